/** The playground's settings in a real browser: only what the model and the format take is offered and sent, and nothing that was filled in is lost. */

import { expect } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import {
  accessibilityFaults,
  browserTimeoutMs,
  launchBrowser,
  leaveBrowser,
  openPage,
  visit,
  visitKeeping,
  type WatchedPage,
} from '../harness/browser.ts';
import { needing } from '../harness/needs.ts';
import { pastedToken } from '../harness/playground.ts';
import { isFullSize } from '../harness/size.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, afterEach, beforeAll, beforeEach, describe, test } = needing('chromium');

let upstream: RunningUpstream;
let weir: RunningWeir;
let browser: Browser;
let watched: WatchedPage;
let page: Page;
let sent: Record<string, unknown>[] = [];

beforeAll(async () => {
  upstream = await startUpstream(['gpt-4.1', 'o3']);
  const home = { kind: 'openai-chat', base_url: upstream.base, key: 'sk-upstream', models: ['gpt-4.1', 'o3'] };
  [weir, browser] = await Promise.all([startWeir({ yaml: { providers: { up: home } } }), launchBrowser()]);
}, browserTimeoutMs);

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
  await upstream?.stop();
});

beforeEach(() => {
  sent = [];
});

beforeAll(async () => {
  watched = await openPage(browser, { viewport: { width: 1440, height: 1000 }, reducedMotion: 'reduce' });
  page = watched.page;
  page.setDefaultTimeout(60_000);
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.postDataJSON() as Record<string, unknown>);
  });
  await page.goto(`${weir.url}/console/playground`);
});

afterEach(() => {
  const { complaints } = watched.take();
  expect(complaints).toEqual([]);
});

const aside = () => page.locator('aside');
const field = (label: string) => aside().getByLabel(label, { exact: true });
const names = [
  'Temperature',
  'Top P',
  'Top K',
  'Max tokens',
  'Presence penalty',
  'Frequency penalty',
  'Seed',
  'Reasoning effort',
  'Stop sequences',
  'Tools',
  'Structured output',
];

async function offered(): Promise<readonly string[]> {
  const counts = await Promise.all(names.map((name) => field(name).count()));
  return names.filter((_, index) => counts[index] === 1);
}

/** With a token and without settings of the test before. */
async function open(query: string): Promise<void> {
  await visitKeeping(page, `/console/playground?drawer=settings&${query}`, pastedToken(weir.token));
  await field('System prompt').waitFor();
}

async function look(query: string): Promise<void> {
  await visit(page, `/console/playground?drawer=settings&${query}`);
  await field('System prompt').waitFor();
}

async function choose(from: string, to: string): Promise<void> {
  await page.getByRole('button', { name: from }).first().click();
  await page.getByRole('option', { name: to }).first().click();
}

async function say(text: string, replies: number): Promise<void> {
  const before = sent.length;
  const composer = page.getByRole('textbox', { name: 'Message', exact: true });
  await composer.fill(text);
  await composer.press('Enter');
  await until(() => sent.length === before + replies);
  await page.getByText('First token').first().waitFor();
}

describe('what is offered', () => {
  test('is what both the model and the format take', async () => {
    await open('model=sandbox-chat');
    expect(await offered()).toEqual(['Max tokens', 'Seed', 'Stop sequences', 'Tools', 'Structured output']);
    await aside()
      .getByText(
        'Not supported by this model and format: Temperature, Top P, Top K, Presence penalty, Frequency penalty, Reasoning effort.',
      )
      .waitFor();
    await look('model=sandbox-chat&format=responses');
    expect(await offered()).toEqual(['Max tokens', 'Tools', 'Structured output']);
    await look('model=gpt-4.1');
    expect(await offered()).toEqual(names.filter((name) => name !== 'Top K' && name !== 'Reasoning effort'));
    await look('model=sandbox-refuse');
    expect(await offered()).toEqual(['Max tokens']);
  }, 300_000);

  test('of two side by side is what one of them takes, and each is sent its own', async () => {
    await open('model=gpt-4.1&beside=o3');
    expect(await offered()).toContain('Temperature');
    expect(await offered()).toContain('Reasoning effort');
    await aside().getByText('Not supported by o3, so it is omitted there.').first().waitFor();
    await field('Temperature').fill('0.5');
    await field('Max tokens').fill('50');
    await field('Reasoning effort').selectOption('low');
    await say('Hello', 2);
    const [plain, thinker] = ['gpt-4.1', 'o3'].map((model) => sent.find((body) => body['model'] === model));
    expect(plain).toMatchObject({ temperature: 0.5, max_completion_tokens: 50 });
    expect(plain).not.toHaveProperty('reasoning_effort');
    expect(thinker).toMatchObject({ reasoning_effort: 'low', max_completion_tokens: 50 });
    expect(thinker).not.toHaveProperty('temperature');
  }, 300_000);
});

test('what is filled in and not taken by the next model is kept, muted and left out, and comes back', async () => {
  await open('model=gpt-4.1');
  await field('Temperature').fill('0.5');
  await field('Tools').fill('[{"name":"look","parameters":{"type":"object"}}]');
  await choose('gpt-4.1', 'sandbox-refuse');
  await aside().getByText('Not supported by this model, so it is omitted.').first().waitFor();
  expect(await offered()).toEqual(['Temperature', 'Max tokens', 'Tools']);
  expect(await field('Temperature').inputValue()).toBe('0.5');
  expect(await field('Temperature').evaluate((input) => getComputedStyle(input).borderStyle)).toBe('dashed');
  for (const colorScheme of isFullSize ? (['light', 'dark'] as const) : (['dark'] as const)) {
    await page.emulateMedia({ colorScheme });
    expect(await accessibilityFaults(page)).toEqual([]);
  }
  await say('Hello', 1);
  expect(sent[0]).not.toHaveProperty('temperature');
  expect(sent[0]).not.toHaveProperty('tools');
  await choose('sandbox-refuse', 'gpt-4.1');
  await until(async () => (await aside().getByText('so it is omitted').count()) === 0);
  expect(await field('Temperature').inputValue()).toBe('0.5');
  await say('Hello again', 1);
  expect(sent[1]).toMatchObject({ temperature: 0.5, tools: [{ function: { name: 'look' } }] });
}, 300_000);

test('a list that says nothing about a model offers everything', async () => {
  await page.route('**/v1/models', async (route) => {
    const reply = await route.fetch();
    const list = (await reply.json()) as { data: Record<string, unknown>[] };
    const data = list.data.map(({ supported_parameters: _, ...row }) => row);
    await route.fulfill({ response: reply, json: { ...list, data } });
  });
  // Loaded, because the list of before would be used for seconds.
  await page.goto(`${weir.url}/console/nowhere`);
  await open('model=sandbox-refuse');
  expect(await offered()).toEqual(names.filter((name) => name !== 'Top K'));
}, 300_000);
