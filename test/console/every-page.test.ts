/** Every page of the console in both themes, wide and on a phone: readable by everybody, in shape, still after the first paint, and alone with our origin. */

import { expect } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import {
  accessibilityFaults,
  browserTimeoutMs,
  dialog,
  everyLook,
  type Look,
  launchBrowser,
  leaveBrowser,
  openPage,
  type WatchedPage,
} from '../harness/browser.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { openAs, ownerName, ownerOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { isFullSize } from '../harness/size.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, beforeAll, test } = needing('chromium');

let weir: RunningWeir;
let browser: Browser;
let owner: ConsoleClient;

beforeAll(async () => {
  [weir, browser] = await Promise.all([startWeir(), launchBrowser()]);
  owner = await ownerOf(weir);
  await traffic();
}, browserTimeoutMs);

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
});

/** Something to see on every page: successes, failures, a video, tokens with budgets. */
async function traffic(): Promise<void> {
  const headers = { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' };
  const send = (path: string, body: object) =>
    fetch(`${weir.base}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) }).then((reply) =>
      reply.text(),
    );
  const messages = [{ role: 'user', content: 'What is 6 * 7?' }];
  const models = ['sandbox-chat', 'sandbox-reasoner', 'sandbox-500', 'sandbox-chat', 'sandbox-429', 'sandbox-chat'];
  await Promise.all([
    ...models.map((model) => send('chat/completions', { model, messages })),
    send('embeddings', { model: 'sandbox-embed', input: 'water' }),
    send('videos', { model: 'sandbox-video', prompt: 'water over a weir', seconds: '4' }),
    owner.post('/tokens', { name: 'nightly tests', budgetUsd: '5', budgetPeriod: 'month', rpm: 60 }),
    owner.post('/tokens', { name: 'support chat', budgetUsd: '20', models: ['sandbox-*'] }),
  ]);
  const budgets = [{ unit: 'usd', limit: '50', period: 'month' }];
  const { id } = (await owner.post('/teams', { name: 'Search team', terms: { budgets, rpm: 600 } })).body as {
    id: string;
  };
  await owner.post(`/teams/${id}/projects`, { name: 'Ranking' });
  await owner.call('PUT', `/teams/${id}/members/${ownerName}`, { body: { role: 'admin' } });
  await owner.post('/tokens', { name: 'search service', unitId: id, ownerId: null });
}

interface Place {
  readonly name: string;
  readonly path: string;
  readonly title: string;
  /** Seen by someone who is not signed in. */
  readonly out?: boolean;
  /** A panel above a page that is among these itself: only the panel is judged. */
  readonly panel?: boolean;
  /** What someone does there first. */
  act?(page: Page): Promise<void>;
}

/** A reply in the playground, with the wire beside it. */
async function converse(page: Page): Promise<void> {
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('What is 6 * 7, and what is 42 / 6?');
  await message.press('Enter');
  await page.getByText('First token').first().waitFor();
  // On a phone the drawer covers the rest, and its tabs are the same.
  await page.getByRole('tab', { name: 'Events' }).click();
  await page.mouse.move(0, 0);
}

async function openTeam(page: Page): Promise<void> {
  await page.getByText('Search team').first().click();
  await page.getByRole('dialog').getByRole('link', { name: 'search service' }).waitFor();
}

const pages: readonly Place[] = [
  { name: 'overview', path: '/console', title: 'Overview' },
  { name: 'playground', path: '/console/playground', title: 'Playground' },
  {
    name: 'conversation',
    path: '/console/playground?drawer=wire&model=sandbox-reasoner',
    title: 'Playground',
    act: converse,
  },
  { name: 'requests', path: '/console/requests', title: 'Requests' },
  { name: 'tokens', path: '/console/tokens', title: 'Tokens' },
  { name: 'new-token', path: '/console/tokens?new=app', title: 'Tokens', panel: true },
  { name: 'teams', path: '/console/teams', title: 'Teams' },
  { name: 'team', path: '/console/teams', title: 'Teams', panel: true, act: openTeam },
  { name: 'new-team', path: '/console/teams?do=new', title: 'Teams', panel: true },
  { name: 'providers', path: '/console/providers', title: 'Providers' },
  { name: 'models', path: '/console/models', title: 'Models' },
  { name: 'model', path: '/console/models?model=sandbox-chat', title: 'Models', panel: true },
  { name: 'tasks', path: '/console/tasks', title: 'Tasks' },
  { name: 'alerts', path: '/console/alerts', title: 'Alerts' },
  { name: 'new-alert-rule', path: '/console/alerts?tab=rules&rule=new', title: 'Alerts', panel: true },
  { name: 'settings', path: '/console/settings', title: 'Settings' },
  { name: 'new-admin-key', path: '/console/settings?key=new', title: 'Settings', panel: true },
  { name: 'device', path: '/console/device', title: 'Sign in a program' },
  { name: 'reference', path: '/console/reference', title: 'API reference' },
  { name: 'sign-in', path: '/console/sign-in', title: 'Sign in', out: true },
  { name: 'nowhere', path: '/console/nowhere', title: 'Page not found' },
  { name: 'home', path: '/', title: 'One API' },
];

/** Ours to judge is what moved after it was shown, and the part of the window that moved with it. */
async function watchShifts({ page }: WatchedPage): Promise<void> {
  await page.addInitScript(() => {
    const seen: { shift: number } = Object.assign(window, { shift: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) {
        if (!entry.hadRecentInput) seen.shift += entry.value;
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** The page that the tests share: the first loads everything anew, the others what is theirs. */
let shared: WatchedPage | undefined;

async function openIn({ colorScheme, width }: Look, { out }: Place): Promise<WatchedPage> {
  const options = { reducedMotion: 'reduce' } as const;
  const known = out === true ? undefined : shared;
  const watched = known ?? (await (out === true ? openPage(browser, options) : openAs(browser, weir, owner, options)));
  if (known === undefined) await watchShifts(watched);
  if (out !== true) shared = watched;
  await watched.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await watched.page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
  return watched;
}

/** Each page in one look, each look on several pages; every page in every look in `npm run soak`. */
const seen = pages.flatMap((place, index) =>
  everyLook
    .filter((_, at) => isFullSize || at === index % everyLook.length)
    .map((look) => ({ ...place, ...look, look, place })),
);

test.each(seen)(
  '$name in $colorScheme at $width px',
  async ({ path, title, out, panel, act, look, place, width }) => {
    const watched = await openIn(look, place);
    const { page } = watched;
    await page.goto(weir.url + path, { waitUntil: 'networkidle' });
    await page.locator('h1', { hasText: title }).waitFor();
    await page.evaluate(() => document.fonts.ready);
    await act?.(page);
    expect(await accessibilityFaults(page, panel === true ? dialog : undefined, true)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(await page.evaluate(() => (window as unknown as { shift: number }).shift)).toBeLessThan(0.1);
    const { complaints, requested } = watched.take();
    expect(complaints).toEqual([]);
    expect(requested.filter((url) => !url.startsWith(`${weir.url}/`) && !/^(data|blob):/.test(url))).toEqual([]);
    if (out === true) await watched.close();
    // What was done there, and the token, is for this look alone.
    else if (act !== undefined) await page.evaluate(() => [sessionStorage, localStorage].map((one) => one.clear()));
  },
  browserTimeoutMs,
);
