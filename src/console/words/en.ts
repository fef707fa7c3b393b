/** The console's words in English; every other language has exactly these, which the type checker sees to. */

import { answers as answersWords } from './en/answers.ts';
import { connection as connectionWords } from './en/connection.ts';
import { device as deviceWords } from './en/device.ts';
import { failures as failuresWords } from './en/failures.ts';
import { firstHour as firstHourWords } from './en/first-hour.ts';
import { health as healthWords } from './en/health.ts';
import { models as modelsWords } from './en/models.ts';
import { operations as operationsWords } from './en/operations.ts';
import { overview as overviewWords } from './en/overview.ts';
import { adminKeys as adminKeysWords } from './en/people/admin-keys.ts';
import { alerts as alertsWords } from './en/people/alerts.ts';
import { endUsers as endUsersWords } from './en/people/end-users.ts';
import { factors as factorsWords } from './en/people/factors.ts';
import { signIn as signInWords } from './en/people/sign-in.ts';
import { teams as teamsWords } from './en/people/teams.ts';
import { playground as playgroundWords } from './en/playground.ts';
import { providers as providersWords } from './en/providers.ts';
import { reference as referenceWords } from './en/reference.ts';
import { requests as requestsWords } from './en/requests.ts';
import { session as sessionWords } from './en/session.ts';
import { settings as settingsWords } from './en/settings.ts';
import { tasks as tasksWords } from './en/tasks.ts';
import { tokenList as tokenListWords } from './en/token-list.ts';
import { tokens as tokensWords } from './en/tokens.ts';
import { usage as usageWords } from './en/usage.ts';

export const en = {
  pages: {
    overview: 'Overview',
    playground: 'Playground',
    requests: 'Requests',
    tokens: 'Tokens',
    teams: 'Teams',
    endUsers: 'End users',
    providers: 'Providers',
    models: 'Models',
    tasks: 'Tasks',
    alerts: 'Alerts',
    settings: 'Settings',
    gallery: 'Gallery',
    reference: 'API reference',
    device: 'Sign in a program',
    signIn: 'Sign in',
    setUp: 'Set up Weir',
    welcome: 'One more step',
    invitation: 'Invitation',
  },
  frame: {
    skip: 'Skip to content',
    rail: 'Pages',
    more: 'More',
    collapse: 'Collapse sidebar',
    expand: 'Expand sidebar',
    home: 'Home page',
    search: 'Search',
    searchEverything: 'Search pages and actions',
    theme: 'Theme',
    themes: { system: 'System', light: 'Light', dark: 'Dark' },
    language: 'Language',
    account: 'Account and preferences',
    sandbox: 'Sandbox',
    sandboxHint: 'These figures are from the built-in sandbox, which is free.',
    shortcuts: 'Keyboard shortcuts',
    baseAddress: 'Copy base URL',
    loading: (page: string) => `Loading ${page}`,
    notFound: 'Page not found',
    notFoundHint: 'Check the URL, or go to the overview.',
    toOverview: 'Go to the overview',
    pageBroke: 'This page couldn’t be displayed',
    pageBrokeHint:
      'Weir may have been updated since you opened this tab. Reload the page; your filters are kept in the URL.',
    reload: 'Reload',
  },
  keys: {
    anywhere: 'Anywhere',
    goTo: 'Go to',
    inTables: 'In tables',
    palette: 'Search everything',
    help: 'Show keyboard shortcuts',
    filter: 'Focus the filter',
    close: 'Close the open panel',
    next: 'Next row',
    previous: 'Previous row',
    open: 'Open the row',
    select: 'Select the row (tokens)',
    newToken: 'Create a token (on Tokens)',
    andThen: 'then',
  },
  palette: {
    title: 'Search everything',
    placeholder: 'Page, action, token, provider, model, or request ID',
    nothing: (text: string) => `No results for “${text}”.`,
    found: (count: number) => (count === 1 ? '1 result' : `${count} results`),
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
    copyByHandNote: 'Text selected. Press Ctrl C to copy it.',
    copyThis: (what: string) => `Copy ${what}`,
    close: 'Close',
    dismiss: 'Dismiss',
    notices: 'Notifications',
    required: 'required',
    optional: 'optional',
    loading: 'Loading',
    requestId: 'Request ID',
    code: 'Code',
    again: 'Try again',
    unreachable: 'Weir isn’t responding. Check that it is running and that you can reach it from this machine.',
    none: '–',
    noPrice: 'No price set',
    chartTable: (chart: string) => `${chart}, as a table`,
    chartTime: 'Time',
    gap: 'no data',
    of: (part: string, whole: string) => `${part} of ${whole}`,
    sortBy: 'Sort by',
    ownOrder: 'Default order',
    ascending: (column: string) => `${column}, ascending`,
    descending: (column: string) => `${column}, descending`,
    selectAll: 'Select all rows',
    selectRow: (name: string) => `Select ${name}`,
    unsaved: {
      title: 'Leave without saving?',
      meaning: 'Your changes will be lost.',
      keep: 'Keep editing',
      leave: 'Leave without saving',
    },
  },
  session: sessionWords,
  factors: factorsWords,
  signIn: signInWords,
  connection: connectionWords,
  firstHour: firstHourWords,
  overview: overviewWords,
  requests: requestsWords,
  device: deviceWords,
  failures: failuresWords,
  tasks: tasksWords,
  alerts: alertsWords,
  adminKeys: adminKeysWords,
  tokens: tokensWords,
  teams: teamsWords,
  endUsers: endUsersWords,
  tokenList: tokenListWords,
  providers: providersWords,
  health: healthWords,
  models: modelsWords,
  settings: settingsWords,
  playground: playgroundWords,
  operations: operationsWords,
  answers: answersWords,
  reference: referenceWords,
  /** What the server says is English already. */
  server: {
    text: (message: string) => `${message}`,
    error: (_code: string, message: string) => `${message}`,
    meaning: (_key: string, meaning: string) => `${meaning}`,
  },
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
