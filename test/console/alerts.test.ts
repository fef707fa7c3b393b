/** The page of alerts: channels that are made and tested, rules, history, what a viewer sees, and the page in Chinese. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import type { AlertView, RuleView } from '../../src/admin/contracts/alert-contract.ts';
import { type HookReceiver, startHooks } from '../harness/alert-receivers.ts';
import {
  accessibilityFaults,
  browserTimeoutMs,
  dialog,
  launchBrowser,
  leaveBrowser,
  visit,
  visitFresh,
  type WatchedPage,
} from '../harness/browser.ts';
import { post, scripted } from '../harness/chat.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { enterAs, openAs, ownerOf, personOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, afterEach, beforeAll, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

let hooks: HookReceiver;
let weir: RunningWeir;
let browser: Browser;
let owner: ConsoleClient;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  hooks = startHooks();
  const yaml = {
    providers: { closed: { kind: 'openai', base_url: 'http://127.0.0.1:1/v1', keys: ['sk-any'], models: ['gone'] } },
    alerts: { poll_ms: 200, retry_ms: 100 },
    egress: { allowed_networks: ['127.0.0.1/32'] },
  };
  [weir, browser] = await Promise.all([startWeir({ yaml }), launchBrowser()]);
  owner = await ownerOf(weir);
  watched = await openAs(browser, weir, owner, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  page = watched.page;
  page.setDefaultTimeout(60_000);
  await page.goto(`${weir.url}/console`);
}, browserTimeoutMs);

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
  await hooks?.stop();
});

afterEach(() => {
  expect(watched.take().complaints).toEqual([]);
});

const button = (name: string) => page.getByRole('button', { name, exact: true });

test('a webhook is added, its secret is shown once, and the test button shows what it answered', async () => {
  await visit(page, '/console/alerts?tab=channels');
  await button('Add channel').click();
  await page.locator(dialog).getByLabel('Name').fill('operations');
  await page.locator(dialog).getByLabel('URL').fill(`${hooks.url}/hook`);
  await button('Save').click();
  const secret = page.locator(dialog).locator('[data-secret]');
  await secret.waitFor();
  hooks.secret = (await secret.innerText()).trim();
  expect(hooks.secret).toStartWith('whsec_');
  await button('I stored it').click();
  await page.getByRole('cell', { name: 'operations' }).click();
  await button('Send test').click();
  await page.getByText('The receiver accepted the test').waitFor();
  expect(await page.locator(dialog).innerText()).toContain('200 thank you');
  expect(hooks.received.at(-1)).toMatchObject({ path: '/hook', signatureFits: true });
  hooks.failures = 1;
  await button('Send test').click();
  await page.getByText('The test failed').waitFor();
  expect(await page.locator(dialog).innerText()).toContain('status 503 come back later');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
});

test('a rule is added; a mistake is shown where it was made', async () => {
  await visit(page, '/console/alerts?tab=rules');
  await button('Add rule').click();
  await page.locator(dialog).getByLabel('Name').fill('everything');
  await page.locator(dialog).getByLabel('operations').check();
  await page.locator(dialog).getByLabel('Budget thresholds').fill('many');
  await button('Save').click();
  await page.getByText('Enter whole numbers, separated by commas.').waitFor();
  await page.locator(dialog).getByLabel('Budget thresholds').fill('60, 90');
  await page.locator(dialog).getByLabel('Quiet hours').check();
  await page.locator(dialog).getByLabel('Time zone').fill('Mars/Olympus');
  await button('Save').click();
  await page.getByText('must be the name of a time zone, such as Europe/Berlin').first().waitFor();
  // The browser reports every refused request.
  expect(watched.take().complaints).toHaveLength(1);
  await page.locator(dialog).getByLabel('Time zone').fill('Europe/Berlin');
  await button('Save').click();
  await page.getByRole('cell', { name: 'everything' }).waitFor();
  const { items } = (await owner.get('/alert-rules')).body as { items: RuleView[] };
  expect(items).toMatchObject([
    { name: 'everything', budgetPercents: [60, 90], quiet: { timeZone: 'Europe/Berlin', from: '22:00', to: '07:00' } },
  ]);
});

test('history shows what was raised and where it went', async () => {
  for (let tries = 0; tries < 6; tries++) await (await post(weir, scripted({}, { model: 'closed/gone' }))).text();
  const delivered = ({ kind, deliveries }: AlertView): boolean =>
    kind === 'provider-down' && deliveries.some(({ state }) => state === 'delivered');
  await until(async () => ((await owner.get('/alerts')).body as { items: AlertView[] }).items.some(delivered));
  await visitFresh(page, '/console/alerts');
  await page.getByRole('cell', { name: 'closed is down' }).click();
  const text = await page.locator(dialog).innerText();
  expect(text).toContain('Critical');
  expect(text).toContain('operations');
  expect(text).toContain('Delivered');
  await page.keyboard.press('Escape');
  await page.getByLabel('Kind').selectOption('Budget');
  await page.getByText('No alert matches').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
});

test('a viewer reads and finds no button that would be refused; a member has no such page', async () => {
  await enterAs(watched, weir, await personOf(weir, owner, 'viewer'));
  await visitFresh(page, '/console/alerts?tab=channels');
  await page.getByRole('cell', { name: 'operations' }).click();
  expect(await button('Send test').count()).toBe(0);
  await page.keyboard.press('Escape');
  expect(await button('Add channel').count()).toBe(0);
  await enterAs(watched, weir, await personOf(weir, owner, 'member'));
  await visitFresh(page, '/console');
  expect(await page.getByRole('link', { name: 'Alerts' }).count()).toBe(0);
});
