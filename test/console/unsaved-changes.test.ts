/** What someone changed and did not save is never lost unasked: not by Escape, not by Back, not by a link, on no panel that edits. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Locator, Page, Route } from 'playwright-core';
import {
  accessibilityFaults,
  browserTimeoutMs,
  dialog,
  launchBrowser,
  leaveBrowser,
  visitFresh,
  type WatchedPage,
} from '../harness/browser.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { openAs, ownerOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, afterEach, beforeAll, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

let weir: RunningWeir;
let browser: Browser;
let owner: ConsoleClient;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  [weir, browser] = await Promise.all([startWeir(), launchBrowser()]);
  owner = await ownerOf(weir);
  watched = await openAs(browser, weir, owner, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  page = watched.page;
  page.setDefaultTimeout(60_000);
}, browserTimeoutMs);

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
});

afterEach(() => {
  const { complaints } = watched.take();
  // What was deleted is asked for once more before the page has heard of it.
  expect(complaints.filter((text) => !text.includes('status of 404'))).toEqual([]);
});

const question = (): Locator => page.getByRole('dialog', { name: 'Leave without saving?' });
const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
const inQuestion = (name: string): Promise<void> => question().getByRole('button', { name, exact: true }).click();
const gone = (locator: Locator): Promise<void> => locator.waitFor({ state: 'detached' });
const wordOf = (name: string): string | null => new URL(page.url()).searchParams.get(name);
const focused = (): Promise<string> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName ?? '');

const rendered = (): Promise<unknown> =>
  page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))));

/** A key that comes sooner than any hand could press it may still find the panel in charge of Escape, which only asks again. */
async function answerNo(): Promise<void> {
  await until(async () => {
    if ((await question().count()) > 0) await page.keyboard.press('Escape');
    return (await question().count()) === 0;
  });
  await rendered();
}

/** Asked and answered with no: everything is where it was. */
async function staysAfter(leave: () => Promise<unknown>, field: Locator, value: string): Promise<void> {
  const before = page.url();
  await leave();
  await question().waitFor();
  await answerNo();
  expect([page.url(), await field.inputValue()]).toEqual([before, value]);
}

const target = { provider: 'sandbox', model: 'sandbox-chat' };
const makeRoute = (alias: string) => owner.post('/routes', { alias, entry: { targets: [target] } });

test('a route: Escape, the panel’s button, Back, another tab and another page ask; nothing else does', async () => {
  await makeRoute('kept-route');
  await visitFresh(page, `${weir.url}/console/models`);
  await page.getByRole('row', { name: /kept-route/ }).click();
  await page.getByRole('tab', { name: 'Route' }).click();
  const choose = page.getByLabel('Load balancing within a tier');
  await choose.waitFor();
  await page.keyboard.press('Escape');
  await gone(choose);
  await page.goBack();
  await choose.selectOption('fastest');
  await staysAfter(() => page.keyboard.press('Escape'), choose, 'fastest');
  await staysAfter(() => press('Close'), choose, 'fastest');
  await staysAfter(() => page.goBack(), choose, 'fastest');
  await staysAfter(() => page.getByRole('tab', { name: 'Prices' }).click(), choose, 'fastest');
  await staysAfter(() => page.getByRole('link', { name: 'Tokens' }).click(), choose, 'fastest');
  // The list behind is another matter.
  await page.getByLabel('Filter', { exact: false }).first().fill('kept');
  expect([await question().count(), await choose.inputValue()]).toEqual([0, 'fastest']);
  // By keys alone, to the end: asked, and left.
  await choose.focus();
  await page.keyboard.press('Escape');
  await question().waitFor();
  expect(await accessibilityFaults(page, dialog)).toEqual([]);
  await question().getByRole('button', { name: 'Leave without saving' }).focus();
  await page.keyboard.press('Enter');
  await gone(choose);
  expect([wordOf('model'), wordOf('filter')]).toEqual([null, 'kept']);
  const kept = (await owner.get('/model?id=kept-route')).body as { route: { entry: object } };
  expect(kept.route.entry).not.toHaveProperty('choose');
});

test('Back leads where it was meant to once that is wanted, and what was saved asks nothing', async () => {
  await makeRoute('saved-route');
  await visitFresh(page, `${weir.url}/console/requests`);
  await page.getByRole('link', { name: 'Models' }).click();
  await page.getByRole('row', { name: /saved-route/ }).click();
  await page.getByRole('tab', { name: 'Route' }).click();
  const choose = page.getByLabel('Load balancing within a tier');
  await choose.selectOption('cheapest');
  await page.goBack();
  await question().waitFor();
  await inQuestion('Leave without saving');
  await gone(choose);
  expect([new URL(page.url()).pathname, wordOf('model')]).toEqual(['/console/models', null]);
  await page.goForward();
  await choose.selectOption('cheapest');
  await press('Save route');
  await page.getByText('Saved route saved-route.').waitFor();
  await page.goBack();
  await gone(choose);
  await page.goBack();
  await until(() => new URL(page.url()).pathname === '/console/requests');
  expect(await question().count()).toBe(0);
});

test('after “keep editing” the focus is where it was', async () => {
  await makeRoute('focused-route');
  await visitFresh(page, `${weir.url}/console/models?model=focused-route&view=route`);
  const choose = page.getByLabel('Load balancing within a tier');
  await choose.selectOption('fastest');
  await choose.focus();
  const before = await focused();
  await page.keyboard.press('Escape');
  await question().waitFor();
  await answerNo();
  await until(async () => (await focused()) === before, 60_000, `the focus on ${before}`);
});

test('what is deleted takes its changes along', async () => {
  await makeRoute('doomed-route');
  await visitFresh(page, `${weir.url}/console/models?model=doomed-route&view=route`);
  const choose = page.getByLabel('Load balancing within a tier');
  await choose.selectOption('fastest');
  await press('Delete alias');
  await page
    .getByRole('dialog', { name: /Delete/ })
    .getByRole('button', { name: 'Delete alias' })
    .click();
  await gone(choose);
  expect([await question().count(), wordOf('model')]).toEqual([0, null]);
});

test('a new alias, an own price', async () => {
  await makeRoute('priced-route');
  await visitFresh(page, `${weir.url}/console/models?alias=-`);
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('half-made');
  await staysAfter(() => page.keyboard.press('Escape'), name, 'half-made');
  await page.keyboard.press('Escape');
  await inQuestion('Leave without saving');
  await gone(name);
  await visitFresh(page, `${weir.url}/console/models?model=priced-route&view=prices`);
  await press('Set price');
  const input = page.getByLabel('Input', { exact: true });
  await input.fill('1.5');
  await staysAfter(() => page.keyboard.press('Escape'), input, '1.5');
  await press('Cancel');
  await gone(input);
  await page.keyboard.press('Escape');
  await until(() => wordOf('model') === null);
});

test('a token, new or old; “cancel” says enough', async () => {
  const { id } = (await owner.post('/tokens', { name: 'old name' })).body as { id: string };
  await visitFresh(page, `${weir.url}/console/tokens?token=${id}`);
  await press('Edit');
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('new name');
  await staysAfter(() => page.keyboard.press('Escape'), name, 'new name');
  await staysAfter(() => page.goBack(), name, 'new name');
  await press('Cancel');
  await gone(name);
  await press('Edit');
  await name.fill('newer name');
  await press('Save');
  await page.getByRole('heading', { name: 'newer name' }).waitFor();
  expect(await question().count()).toBe(0);
  await visitFresh(page, `${weir.url}/console/tokens`);
  await press('Create token');
  await name.fill('never made');
  await page.getByText('A service with its own users').click();
  expect(await question().count()).toBe(0);
  await staysAfter(() => page.keyboard.press('Escape'), name, 'never made');
  await staysAfter(() => page.goBack(), name, 'never made');
});

test('a provider: its connection, a new key, and one that is being added', async () => {
  const entry = { kind: 'openai-chat', base_url: 'http://127.0.0.1:9/v1' };
  expect((await owner.post('/providers', { name: 'mine', entry, keys: [{ value: 'sk-1' }] })).status).toBe(200);
  await visitFresh(page, `${weir.url}/console/providers?provider=mine`);
  await press('Edit');
  const region = page.getByLabel('Region');
  await region.fill('eu');
  await staysAfter(() => page.keyboard.press('Escape'), region, 'eu');
  await press('Cancel');
  await press('Add key');
  const key = page.getByLabel('Key', { exact: true });
  await key.fill('sk-2');
  await staysAfter(() => page.keyboard.press('Escape'), key, 'sk-2');
  await page.keyboard.press('Escape');
  await inQuestion('Leave without saving');
  await gone(key);
  await visitFresh(page, `${weir.url}/console/providers?add=openai-chat`);
  const address = page.getByLabel('Base URL').first();
  await address.fill('http://127.0.0.1:9/v1');
  await staysAfter(() => press('Change'), address, 'http://127.0.0.1:9/v1');
  await staysAfter(() => page.keyboard.press('Escape'), address, 'http://127.0.0.1:9/v1');
});

/** An end user of a new token, once a request has named them. */
async function endUserId(): Promise<string> {
  const token = (await owner.post('/tokens', { name: 'portal', endUsers: { rpm: 30 } })).body;
  const { status } = await fetch(`${weir.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${(token as { token: string }).token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello' }], user: 'ana' }),
  });
  expect(status).toBe(200);
  const find = async () => ((await owner.get('/end-users?q=ana')).body as { items: { id: string }[] }).items[0]?.id;
  await until(async () => (await find()) !== undefined, 60_000, 'the end user');
  return (await find()) ?? '';
}

test('what was saved asks nothing, even before the page has read it again', async () => {
  const account = { name: 'pat', role: 'member', password: 'pat opens the gates' };
  const person = ((await owner.post('/accounts', account)).body as { account: { id: string } }).account.id;
  const hook = { kind: 'webhook', name: 'pager', url: 'https://hooks.example/' };
  const channel = ((await owner.post('/alert-channels', hook)).body as { channel: { id: string } }).channel.id;
  const key = ((await owner.post('/admin-keys', { name: 'deploys', role: 'viewer' })).body as { id: string }).id;
  const panel = page.locator(dialog);
  const cases: [address: string, change: () => Promise<unknown>, save: string][] = [
    [`end-users?id=${await endUserId()}`, () => panel.getByLabel('Note').fill('Asked for a refund'), 'Save note'],
    [`settings?person=${person}#people`, () => panel.locator('input[value=viewer]').check(), 'Change role'],
    [`settings?key=${key}`, () => panel.getByLabel('Name', { exact: true }).fill('releases'), 'Save'],
    [`alerts?tab=channels&channel=${channel}`, () => panel.getByLabel('Name').fill('beeper'), 'Save'],
  ];
  const held: Route[] = [];
  let isHolding = false;
  await page.route('**/console/api/**', async (route) => {
    if (route.request().method() !== 'GET') {
      const response = await route.fetch();
      isHolding = true;
      await route.fulfill({ response });
    } else if (isHolding) held.push(route);
    else await route.continue();
  });
  for (const [address, change, save] of cases) {
    await visitFresh(page, `${weir.url}/console/${address}`);
    await change();
    await panel.getByRole('button', { name: save, exact: true }).click();
    await until(() => held.length > 0, 60_000, `the reads after ${save} of ${address}`);
    await rendered();
    await page.keyboard.press('Escape');
    await gone(panel);
    expect([address, await question().count()]).toEqual([address, 0]);
    isHolding = false;
    await Promise.all(held.splice(0).map((route) => route.continue()));
  }
  await page.unrouteAll({ behavior: 'wait' });
});
