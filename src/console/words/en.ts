/** The console's words in English; every other language has exactly these, which the type checker sees to. */

import { failures as failuresWords } from './en/failures.ts';
import { models as modelsWords } from './en/models.ts';
import { operations as operationsWords } from './en/operations.ts';
import { overview as overviewWords } from './en/overview.ts';
import { playground as playgroundWords } from './en/playground.ts';
import { providers as providersWords } from './en/providers.ts';
import { requests as requestsWords } from './en/requests.ts';
import { session as sessionWords } from './en/session.ts';
import { settings as settingsWords } from './en/settings.ts';
import { tasks as tasksWords } from './en/tasks.ts';
import { tokens as tokensWords } from './en/tokens.ts';
import { usage as usageWords } from './en/usage.ts';

export const en = {
  pages: {
    overview: 'Overview',
    playground: 'Playground',
    requests: 'Requests',
    tokens: 'Tokens',
    providers: 'Providers',
    models: 'Models',
    tasks: 'Tasks',
    settings: 'Settings',
    gallery: 'Gallery',
    reference: 'API reference',
    signIn: 'Sign in',
    setUp: 'Set up Weir',
  },
  frame: {
    skip: 'Skip to the content',
    rail: 'Pages',
    more: 'More',
    collapse: 'Collapse the rail',
    expand: 'Expand the rail',
    home: 'Home page',
    search: 'Search',
    searchEverything: 'Search pages and actions',
    theme: 'Theme',
    themes: { system: 'Follow the system', light: 'Light', dark: 'Dark' },
    language: 'Language',
    account: 'Account and preferences',
    sandbox: 'Sandbox',
    sandboxHint: 'These numbers come from the built-in sandbox, which costs nothing.',
    shortcuts: 'Keyboard shortcuts',
    baseAddress: 'Copy the base address',
    loading: (page: string) => `Loading ${page}`,
    notFound: 'There is no such page',
    notFoundHint: 'The address may be mistyped, or the page has moved.',
    toOverview: 'Go to the overview',
    pageBroke: 'This page could not be shown',
    pageBrokeHint:
      'Weir may have been updated since this tab was opened. Load it again; your filters stay in the address.',
    reload: 'Load again',
  },
  keys: {
    anywhere: 'Anywhere',
    goTo: 'Go to',
    inTables: 'In tables',
    palette: 'Search everything',
    help: 'Show this list',
    filter: 'Put the cursor into the filter',
    close: 'Close what is open',
    next: 'Next row',
    previous: 'Previous row',
    open: 'Open the row',
    andThen: 'then',
  },
  palette: {
    title: 'Search everything',
    placeholder: 'Page, action, token, provider, model, or request id',
    nothing: (text: string) => `Nothing matches “${text}”.`,
    found: (count: number) => (count === 1 ? '1 match' : `${count} matches`),
    createToken: 'Create a token',
    openRequest: (id: string) => `Open request ${id}`,
    groups: {
      pages: 'Pages',
      actions: 'Actions',
      requests: 'Requests',
      tokens: 'Tokens',
      providers: 'Providers',
      models: 'Models',
    },
  },
  parts: {
    copy: 'Copy',
    copied: 'Copied',
    copyByHand: 'Press Ctrl C',
    copiedNote: 'Copied to the clipboard.',
    copyByHandNote: 'The text is selected. Press Ctrl C to copy it.',
    copyThis: (what: string) => `Copy ${what}`,
    close: 'Close',
    dismiss: 'Dismiss',
    notices: 'Notices',
    required: 'required',
    optional: 'optional',
    loading: 'Loading',
    requestId: 'Request id',
    code: 'Code',
    again: 'Try again',
    unreachable: 'Weir does not answer. Check that it runs and that this machine reaches it.',
    none: '–',
    noPrice: 'No price is known for this',
    chartTable: (chart: string) => `${chart}, as a table`,
    chartTime: 'Time',
    gap: 'no data',
    of: (part: string, whole: string) => `${part} of ${whole}`,
    unsaved: {
      title: 'Leave without saving?',
      meaning: 'What you changed here is not saved yet, and would be lost.',
      keep: 'Keep editing',
      leave: 'Leave without saving',
    },
  },
  session: sessionWords,
  overview: overviewWords,
  requests: requestsWords,
  failures: failuresWords,
  tasks: tasksWords,
  tokens: tokensWords,
  providers: providersWords,
  models: modelsWords,
  settings: settingsWords,
  playground: playgroundWords,
  operations: operationsWords,
  usage: usageWords,
  units: { ms: 'ms', s: 's', min: 'min', h: 'h', d: 'd' },
};

/** Texts stay texts and sentences with gaps stay functions; only what they say differs. */
type Translated<Entry> = {
  readonly [Key in keyof Entry]: Entry[Key] extends string
    ? string
    : Entry[Key] extends (...gaps: infer Gaps) => string
      ? (...gaps: Gaps) => string
      : Translated<Entry[Key]>;
};

export type Words = Translated<typeof en>;
