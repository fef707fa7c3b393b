/** Usage by every dimension in a real browser: groups, filters, zoom and totals say what was sent, and the URL alone shows it again. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Locator, Page } from 'playwright-core';
import {
  accessibilityFaults,
  browserTimeoutMs,
  launchBrowser,
  leaveBrowser,
  visit,
  type WatchedPage,
} from '../harness/browser.ts';
import type { Target } from '../harness/chat.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { openAs, ownerName, ownerOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { sampled } from '../harness/size.ts';
import { until } from '../harness/until.ts';
import { type Stage, send, sendTakenOver, startStage, untilCounted } from './traffic.ts';

const { afterAll, afterEach, beforeAll, describe, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

const sent = { chat: 4, reasoner: 3, failed: 2, takenOver: 1 } as const;
const total = sent.chat + sent.reasoner + sent.failed + sent.takenOver;
const ofBilling = sent.reasoner + sent.failed;
const spend = '$0.004';

let stage: Stage;
let browser: Browser;
let owner: ConsoleClient;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  [stage, browser] = await Promise.all([startStage(), launchBrowser()]);
  const { weir } = stage;
  owner = await ownerOf(weir);
  const { body } = await owner.post('/tokens', { name: 'billing', labels: ['team-a', 'shared'] });
  const billing: Target = { base: weir.base, token: (body as { token: string }).token };
  for (let index = 0; index < sent.chat; index++) await send(weir, 'sandbox-chat');
  for (let index = 0; index < sent.reasoner; index++) await send(billing, 'sandbox-reasoner', { user: 'user-7' });
  for (let index = 0; index < sent.failed; index++) await send(billing, 'sandbox-500');
  await sendTakenOver(stage);
  await untilCounted(owner, total);
  watched = await openAs(browser, weir, owner, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  page = watched.page;
  await page.goto(`${weir.url}/console`);
});

afterAll(async () => {
  await leaveBrowser(browser);
  await stage?.remove();
});

afterEach(() => {
  expect(watched.take().complaints).toEqual([]);
});

/** All was sent before: what is known of it need not be asked for again. */
const open = (path: string) => visit(page, path);
const words = () => new URL(page.url()).searchParams;
const figure = (id: string) => page.locator(`[data-figure=${id}] p`).first();
const table = (dimension: string) => page.getByRole('table', { name: `Usage by ${dimension}`, exact: true });

/** The groups of a table with their numbers of requests, without the total. */
async function groupsOf(shown: Locator): Promise<Record<string, number>> {
  const rows = await shown
    .locator('tbody tr')
    .evaluateAll((all) =>
      all.map(
        (row) => [row.querySelector('th')?.textContent ?? '', row.querySelector('td')?.textContent ?? ''] as const,
      ),
    );
  return Object.fromEntries(rows.map(([name, requests]) => [name, Number(requests)]));
}

async function untilRequests(count: number): Promise<void> {
  await figure('requests')
    .filter({ hasText: new RegExp(`^${count}$`) })
    .waitFor();
}

describe('grouped by', () => {
  for (const [by, name, groups] of [
    ['model', 'model', { 'house-model': 1, 'sandbox-chat': 4, 'sandbox-reasoner': 3, 'sandbox-500': 2 }],
    ['provider', 'provider', { 'second-choice': 1, sandbox: 9 }],
    ['label', 'label', { 'team-a': ofBilling, shared: ofBilling, 'No label': total - ofBilling }],
    ['owner', 'owner', { [ownerName]: ofBilling, 'No owner': total - ofBilling }],
    ['user', 'end user', { 'user-7': sent.reasoner, 'No end user': total - sent.reasoner }],
    ['endpoint', 'endpoint', { chat: total }],
    ['code', 'error code', { Succeeded: total - sent.failed, upstream_failed: sent.failed }],
  ] as const) {
    test(name, async () => {
      await open(`/console?range=1h&by=${by}`);
      await table(name).waitFor();
      expect(await groupsOf(table(name))).toEqual(groups);
      // Every chart of the group has its series, and together they are the total.
      const chart = page.getByRole('figure', { name: `Requests by ${name}` });
      const cells = await chart.locator('tbody td').allInnerTexts();
      const sum = cells.reduce((all, text) => all + Number(text), 0);
      expect(sum).toBe(by === 'label' ? total + ofBilling : total);
      expect(await page.getByText('several labels').count()).toBe(by === 'label' ? 1 : 0);
    });
  }

  test('token and provider key, chosen in the menu', async () => {
    await open('/console?range=1h');
    await untilRequests(total);
    await page.getByRole('button', { name: 'Group by' }).click();
    await page.getByRole('menuitemradio', { name: 'Token' }).click();
    await table('token').waitFor();
    expect(words().get('by')).toBe('token');
    expect(await groupsOf(table('token'))).toMatchObject({ billing: ofBilling });
    await page.getByRole('button', { name: 'Group by' }).click();
    await page.getByRole('menuitemradio', { name: 'Provider key' }).click();
    await table('provider key').waitFor();
    const keys = await groupsOf(table('provider key'));
    expect(Object.entries(keys).find(([key]) => key.includes('second-key'))?.[1]).toBe(sent.takenOver);
    await page.goBack();
    await table('token').waitFor();
  });
});

test('a group becomes the filter, a written one joins it, and the URL alone shows the same', async () => {
  await open('/console?range=1h&by=model&sort=requests');
  const rows = table('model').locator('tbody th');
  await rows.first().waitFor();
  expect(await rows.allInnerTexts()).toEqual(['sandbox-chat', 'sandbox-reasoner', 'sandbox-500', 'house-model']);
  await table('model').getByRole('button', { name: 'Spend' }).click();
  await rows.first().filter({ hasText: 'house-model' }).waitFor();
  expect(words().get('sort')).toBeNull();
  await table('model').getByRole('link', { name: 'house-model' }).click();
  await untilRequests(sent.takenOver);
  expect(words().get('model')).toBe('house-model');
  expect(await figure('spend').innerText()).toBe(spend);
  await page.getByRole('button', { name: 'Remove filter Model house-model' }).click();
  await page.keyboard.type('team-a');
  await page
    .getByRole('option', { name: /Label\s*team-a/ })
    .first()
    .click();
  await untilRequests(ofBilling);
  expect(words().getAll('label')).toEqual(['team-a']);
  await until(async () => Object.keys(await groupsOf(table('model'))).length === 2, 60_000, 'the groups of the label');
  const shown = await table('model').innerText();
  await page.reload();
  await untilRequests(ofBilling);
  await table('model').waitFor();
  expect(await table('model').innerText()).toBe(shown);
  await page.getByRole('button', { name: 'Remove filter Label team-a' }).waitFor();
});

/** How many buckets the first chart has. */
const bucketsShown = () => page.locator('figure').first().locator('tbody tr').count();

describe('a chart', () => {
  test('says from when to when, shares its crosshair, and zooms by dragging', async () => {
    await open('/console?range=1h');
    const plot = page.locator('[data-plot]').first();
    await plot.waitFor();
    const before = await bucketsShown();
    expect(before).toBeGreaterThan(59);
    const box = await plot.boundingBox();
    if (box === null) throw new Error('the chart has no place');
    await page.mouse.move(box.x + box.width * 0.5, box.y + 40);
    const tip = page.locator('[data-tip]');
    expect(await tip.innerText()).toMatch(/\d\d:\d\d\s–\s\d\d:\d\d/);
    expect(await tip.count()).toBe(1);
    await page
      .locator('figure', { hasText: 'Spend' })
      .locator('figcaption li', { hasText: /Spend\s*\$/ })
      .waitFor();
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + 40, { steps: 5 });
    await page.locator('[data-selected]').waitFor();
    await page.mouse.move(box.x + box.width - 2, box.y + 40, { steps: 5 });
    await page.mouse.up();
    const reset = page.getByRole('button', { name: 'Reset zoom' });
    await reset.waitFor();
    const [from, to] = [Date.parse(words().get('from') ?? ''), Date.parse(words().get('to') ?? '')];
    expect((to - from) % 60_000).toBe(0);
    expect(to - from).toBeLessThan(40 * 60_000);
    await until(async () => (await bucketsShown()) === (to - from) / 60_000, 60_000, 'the minutes of the zoom');
    await untilRequests(total);
    await page.reload();
    await untilRequests(total);
    await reset.click();
    expect([words().get('range'), words().get('from'), words().get('zoomed')]).toEqual(['1h', null, null]);
    await until(async () => (await bucketsShown()) > 59, 60_000, 'the whole hour');
  });

  test('zooms by keyboard, and Escape goes back', async () => {
    await open('/console?range=1h&by=model');
    const plot = page.getByRole('slider', { name: 'Spend by model, chart' });
    await plot.focus();
    for (let step = 0; step < 9; step++) await page.keyboard.press('Shift+ArrowLeft');
    await page.locator('[data-selected]').waitFor();
    // The first Escape takes the selection back, and Enter zooms into one.
    await page.keyboard.press('Escape');
    await page.locator('[data-selected]').waitFor({ state: 'detached' });
    await page.keyboard.press('End');
    expect(await plot.getAttribute('aria-valuetext')).toMatch(/\d\d:\d\d.*house-model/);
    for (let step = 0; step < 19; step++) await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Reset zoom' }).waitFor();
    const span = Date.parse(words().get('to') ?? '') - Date.parse(words().get('from') ?? '');
    expect(span).toBe(20 * 60_000);
    expect(words().get('by')).toBe('model');
    await untilRequests(total);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Reset zoom' }).waitFor({ state: 'detached' });
    expect(words().get('range')).toBe('1h');
  });
});

test('a bucket that is not over yet is hatched', async () => {
  await open('/console?range=1y');
  await untilRequests(total);
  await page.locator('figure [data-partial]').first().waitFor({ state: 'attached' });
});

test('ranges of the calendar are in the menu and in the URL', async () => {
  await open('/console');
  await page.getByRole('button', { name: 'Time range' }).click();
  await page.getByRole('menuitemradio', { name: 'This month' }).click();
  expect(words().get('range')).toBe('this-month');
  await untilRequests(total);
  await page.getByRole('button', { name: 'Time range' }).click();
  await page.getByRole('menuitemradio', { name: 'Yesterday' }).click();
  await figure('requests').waitFor({ state: 'detached' });
  expect(words().get('range')).toBe('yesterday');
});

describe('the list of requests', () => {
  const totals = () => page.getByRole('region', { name: 'Totals of these requests' });

  test('has the totals of its filter, and a histogram that zooms', async () => {
    await open('/console/requests?range=1h&model=house-model');
    await totals().getByText(spend, { exact: true }).waitFor();
    expect((await totals().locator('dd').allInnerTexts()).slice(0, 3)).toEqual(['1', '0%', '1,200']);
    const histogram = totals().getByRole('slider');
    await histogram.focus();
    await page.keyboard.press('End');
    for (let step = 0; step < 19; step++) await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Enter');
    await totals().getByRole('button', { name: 'Reset zoom' }).waitFor();
    await totals().getByText(spend, { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await until(() => words().get('range') === '1h', 60_000, 'the range from before');
  });

  test('finds and marks fallbacks, and understands a duration as it is written', async () => {
    await open('/console/requests?range=1h');
    await page.getByText(`${total} requests`, { exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('fallback');
    await page.keyboard.press('Enter');
    expect(words().get('fallback')).toBe('true');
    const row = page.locator('tbody tr', { hasText: 'house-model' });
    await row.getByTitle('Fallback: 2 attempts').waitFor();
    await page
      .locator('section[aria-label=Requests] tbody tr', { hasText: 'sandbox-chat' })
      .first()
      .waitFor({ state: 'detached' });
    await page.keyboard.type('> 900 s');
    await page.keyboard.press('Enter');
    expect(words().get('duration')).toBe('900000');
    await page.getByText('No matching requests', { exact: true }).waitFor();
  });

  test('saves totals by day and model', async () => {
    await open('/console/requests?range=1h');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Totals…' }).click();
    await page.getByRole('checkbox', { name: 'Label' }).check();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const [head = '', ...lines] = (await Bun.file(await (await saving).path()).text()).trim().split('\r\n');
    expect(head.split(',').slice(0, 3)).toEqual(['day', 'model', 'label']);
    expect(lines.some((line) => line.includes('sandbox-reasoner') && line.includes('team-a'))).toBe(true);
  });
});

for (const [index, [theme, width]] of (
  [
    ['light', 1440],
    ['dark', 390],
  ] as const
).entries()) {
  test(`the grouped overview and its requests are accessible and in shape in ${theme} at ${width} px`, async () => {
    // One of them in each look, the overview where contrast and room are hardest to get right; both in `npm run soak`.
    const judged = sampled(['requests', 'overview'] as const, index);
    const expectInShape = async (part: (typeof judged)[number]) => {
      if (judged.includes(part)) expect(await accessibilityFaults(page, 'main')).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    };
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 900 });
    await open('/console?range=1h&by=label');
    await table('label').waitFor();
    await page.locator('[data-plot]').nth(4).waitFor();
    await expectInShape('overview');
    await open('/console/requests?range=1h&fallback=true');
    await page.getByRole('region', { name: 'Totals of these requests' }).getByText(spend, { exact: true }).waitFor();
    await expectInShape('requests');
  });
}
