/** What has no price, in a browser: a question mark in lists, what sums leave out, and one step from the overview to a price. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import {
  accessibilityFaults,
  browserTimeoutMs,
  dialog,
  launchBrowser,
  leaveBrowser,
  visitFresh,
  type WatchedPage,
} from '../harness/browser.ts';
import { post } from '../harness/chat.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { openAs, ownerOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, beforeAll, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

const usage = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 };
const provider = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    if (request.method === 'GET') return new Response('not here', { status: 404 });
    const { model } = (await request.json()) as { model: string };
    const choices = [
      { index: 0, message: { role: 'assistant', content: 'Good day', refusal: null }, finish_reason: 'stop' },
    ];
    return Response.json({ id: 'c', object: 'chat.completion', created: 1, model, choices, usage });
  },
});
let weir: RunningWeir;
let owner: ConsoleClient;
let browser: Browser;
let watched: WatchedPage;
let page: Page;

const say = (model: string) => post(weir, { model, messages: [{ role: 'user', content: 'Good day' }] });
/** Rows are written a moment after their replies. */
const untilListed = (query: string, requests: number) =>
  until(async () => {
    const { body } = await owner.get(`/usage/requests${query}`);
    return (body as { items: unknown[] }).items.length === requests;
  });
const goTo = (path: string) => visitFresh(page, `${weir.url}${path}`);
const card = () => page.locator('section', { has: page.getByRole('heading', { name: 'Models without a price' }) });
const panel = () => page.getByRole('dialog');

beforeAll(async () => {
  const base_url = `http://127.0.0.1:${provider.port}/v1`;
  const yaml = {
    providers: { up: { kind: 'openai-chat', base_url, key: 'sk-any', models: ['dark', 'lit', 'gpt-4.1'] } },
    prices: { lit: { input: 1, output: 2 } },
  };
  [weir, browser] = await Promise.all([startWeir({ yaml }), launchBrowser()]);
  owner = await ownerOf(weir);
  for (const model of ['dark', 'lit', 'dark', 'dark']) await (await say(model)).text();
  await untilListed('', 4);
  watched = await openAs(browser, weir, owner);
  page = watched.page;
}, browserTimeoutMs);

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
  await provider.stop(true);
});

test('sums say what they leave out, and lists show a question mark', async () => {
  await goTo('/console');
  await page.locator('[data-figure=spend]').getByText('Excludes 3 requests without a price').waitFor();
  expect(await page.locator('[data-figure=spend]').innerText()).toContain('$0.002');
  await card().getByText('3 requests').waitFor();
  expect(await card().innerText()).toContain('3,000 tokens in, 1,500 out');
  expect(await card().innerText()).not.toContain('up/lit');
  await goTo('/console/requests?model=dark');
  const costs = page.locator('section[aria-label=Requests] tbody tr[tabindex] td:last-child');
  await costs.first().waitFor();
  expect(await costs.allInnerTexts()).toEqual(['?', '?', '?']);
  await page.locator('section[aria-label=Requests] tbody tr[tabindex]').first().click();
  await panel().getByText('This model has no price').waitFor();
  expect(await accessibilityFaults(page, dialog)).toEqual([]);
});

test('the list of models shows a question mark and whose price it is', async () => {
  await goTo('/console/models?filter=up');
  const dark = page.locator('tbody tr', { hasText: 'dark' });
  await dark.waitFor();
  expect((await dark.innerText()).match(/\?/g)).toHaveLength(2);
  await dark.getByText('no price').waitFor();
  await page.locator('tbody tr', { hasText: 'lit' }).getByText('custom').waitFor();
});

test('a guess is marked in lists and says whose price it is', async () => {
  await (await say('gpt-4.1')).text();
  await untilListed('?model=gpt-4.1', 1);
  await goTo('/console/models?filter=gpt-4.1');
  await page.locator('tbody tr', { hasText: 'gpt-4.1' }).getByText('estimate').waitFor();
  await page.locator('tbody tr', { hasText: 'gpt-4.1' }).click();
  await panel().getByText('another provider’s price for the same model: genai-prices@').waitFor();
  await goTo('/console/requests?model=gpt-4.1');
  const row = page.locator('tbody tr', { hasText: 'gpt-4.1' });
  await row.waitFor();
  expect(await row.locator('td').last().innerText()).toBe('~$0.006*');
  await row.click();
  await panel().getByText('Estimated price').waitFor();
  await panel().getByText('Cost estimated from another provider’s price').waitFor();
  expect(await accessibilityFaults(page, dialog)).toEqual([]);
});

test('one step from the overview sets a price, which the next request is charged by', async () => {
  await goTo('/console');
  await card().getByRole('link', { name: 'Set price of up/dark' }).click();
  expect(await panel().getByLabel('Applies to').inputValue()).toBe('up/dark');
  await panel().getByLabel('Input', { exact: true }).fill('2');
  await panel().getByLabel('Output', { exact: true }).fill('4');
  await page.keyboard.press('Enter');
  await page.getByText('It applies to new requests').waitFor();
  const reply = await say('dark');
  await reply.text();
  expect(reply.headers.get('x-weir-cost-usd')).toBe('0.004');
  await goTo('/console');
  await page.locator('[data-figure=spend]').getByText('Excludes 3 requests without a price').waitFor();
  await page.getByRole('heading', { name: 'Latest requests' }).waitFor();
  expect(await card().count()).toBe(0);
  expect(watched.complaints).toEqual([]);
});
