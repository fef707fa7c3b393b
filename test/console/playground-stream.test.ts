/** Replies as they stream into a real browser: shown whole and in order, and harmless whatever they say. */

import { expect } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import {
  browserTimeoutMs,
  launchBrowser,
  leaveBrowser,
  openPage,
  visitKeeping,
  type WatchedPage,
} from '../harness/browser.ts';
import { needing } from '../harness/needs.ts';
import { pastedToken } from '../harness/playground.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { richText, startWritingUpstream, type WritingUpstream } from '../harness/writing-upstream.ts';

const { afterAll, afterEach, beforeAll, describe, test } = needing('chromium');

let upstream: WritingUpstream;
let weir: RunningWeir;
let browser: Browser;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  upstream = startWritingUpstream();
  const yaml = {
    providers: { up: { kind: 'openai', base_url: upstream.base, key: 'sk-upstream', models: ['writer'] } },
    prices: { writer: { input: 1, output: 2 } },
  };
  [weir, browser] = await Promise.all([startWeir({ yaml }), launchBrowser()]);
  watched = await openPage(browser, { viewport: { width: 1440, height: 900 } });
  page = watched.page;
  page.setDefaultTimeout(60_000);
  await page.goto(`${weir.url}/console/playground`);
}, browserTimeoutMs);

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
  await upstream?.stop();
});

afterEach(() => {
  const { complaints, requested } = watched.take();
  expect(complaints).toEqual([]);
  expect(requested.filter((url) => !url.startsWith(`${weir.url}/`) && !/^(data|blob):/.test(url))).toEqual([]);
});

async function open(query: string): Promise<void> {
  await visitKeeping(page, `/console/playground?${query}`, pastedToken(weir.token));
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
}

async function say(text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
}

describe('a long reply', () => {
  const streamed = async () => {
    await page.getByText('Streaming').waitFor({ state: 'detached' });
    await page.getByText('First token').waitFor();
  };

  test.each([
    'drawer=none',
    'drawer=wire&wire=events',
  ])('of Markdown is shown whole and in order (%s)', async (drawer) => {
    const text = richText(2_000);
    upstream.write(text, { wordsPerTick: 40, tickMs: 16 });
    await open(`model=writer&${drawer}`);
    await say('Write.');
    await streamed();
    const titles = await page.locator('article h5').allTextContents();
    expect(titles).toEqual([...text.matchAll(/^## (.*)$/gm)].map(([, title = '']) => title));
    expect(titles.length).toBeGreaterThan(30);
  });

  test('in one paragraph of the sandbox is whole', async () => {
    await open('model=sandbox-long&drawer=none');
    await say('Write.');
    await streamed();
    const text = await page.getByRole('region', { name: 'sandbox-long' }).last().innerText();
    expect(text.split(/\s+/).length).toBeGreaterThan(5_000);
  });
});

describe('a reply that means harm', () => {
  const corpus = [
    '<script>window.harmed = 1</script>',
    '<img src=x onerror="window.harmed = 1">',
    '<svg onload="window.harmed = 1"></svg>',
    '[press](javascript:window.harmed=1)',
    '![picture](https://evil.example/pixel.png)',
    '<iframe srcdoc="<script>parent.harmed = 1</script>"></iframe>',
    '<a href="javascript:window.harmed=1" id="trap">x</a>',
    '<style>body { display: none }</style>',
    '| <img src=x onerror="window.harmed = 1"> |\n|---|\n| <b onmouseover="window.harmed = 1">b</b> |',
    '```html\n<script>window.harmed = 1</script>\n```',
  ];

  test('is shown as text, in the conversation and in the wire panel, and loads nothing', async () => {
    upstream.write(corpus.join('\n\n'));
    await open('model=writer&drawer=wire&wire=events');
    await say('<img src=x onerror="window.harmed = 1"> and <script>window.harmed = 1</script>');
    await page.getByText('First token').waitFor();
    const answer = page.getByRole('region', { name: 'writer' });
    expect(await answer.innerText()).toContain('<script>window.harmed = 1</script>');
    await page.getByText('press', { exact: true }).click();
    const events = page.getByRole('listbox', { name: 'Events' });
    await events.focus();
    await page.keyboard.press('Home');
    await page.getByRole('tab', { name: 'Code' }).click();
    expect(await page.evaluate(() => (window as unknown as { harmed?: number }).harmed)).toBeUndefined();
    expect(await page.locator('article :is(script, iframe, style, img)').count()).toBe(0);
    expect(
      await answer.locator('a').evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href)),
    ).toEqual(['https://evil.example/pixel.png']);
  });

  test('a name of a model that means harm is a name', async () => {
    const name = '<img src=x onerror="window.harmed=1">';
    await open(`model=${encodeURIComponent(name)}&drawer=wire`);
    await say('Hello');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('No provider serves this model.');
    expect(await page.evaluate(() => (window as unknown as { harmed?: number }).harmed)).toBeUndefined();
    (watched.complaints as string[]).length = 0;
  });
});
