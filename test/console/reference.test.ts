/** The API reference in a real browser against a running Weir: found by a search, tried with one's own token, and copied as code that runs. */

import { expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import {
  accessibilityFaults,
  browserTimeoutMs,
  dialog,
  faultsByTheme,
  launchBrowser,
  leaveBrowser,
  openPage,
  visit,
  visitKeeping,
  type WatchedPage,
} from '../harness/browser.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { openAs, ownerOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, afterEach, beforeAll, describe, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

const look = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;

let weir: RunningWeir;
let browser: Browser;
let owner: ConsoleClient;
/** The page of a visitor without an account. */
let shared: WatchedPage;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  [weir, browser] = await Promise.all([startWeir(), launchBrowser()]);
  owner = await ownerOf(weir);
  shared = await openPage(browser, look);
  use(shared);
  await page.goto(`${weir.url}/console/reference`);
});

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
});

afterEach(async () => {
  const { complaints, requested } = watched.take();
  if (watched !== shared) await watched.close();
  use(shared);
  // A refusal is shown in the page; the browser writes it down as well.
  expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  expect(requested.filter((url) => !url.startsWith(`${weir.url}/`) && !/^(data|blob):/.test(url))).toEqual([]);
});

function use(opened: WatchedPage): void {
  watched = opened;
  page = opened.page;
  page.setDefaultTimeout(60_000);
}

/** Without a token, whatever the test before pasted. */
async function visitor(query = ''): Promise<void> {
  await visitKeeping(page, `/console/reference${query}`);
  await search().waitFor();
}

const search = () => page.getByRole('searchbox', { name: 'Search paths, summaries and fields' });
const panel = () => page.getByRole('dialog');
const send = () => panel().getByRole('button', { name: 'Send request' });
const rows = () => page.locator('main li > button');
const reply = () =>
  panel().getByRole('heading', { name: 'Response', exact: true }).locator('xpath=ancestor::section[1]');

const addressOf = (id: string) => `?operation=${encodeURIComponent(id)}&view=try`;

async function openTry(id: string): Promise<void> {
  await visitor(addressOf(id));
  await send().waitFor();
}

/** The panel; the list behind it is judged once with a panel and once without. */
async function expectReadable(): Promise<void> {
  expect(await faultsByTheme(page, dialog)).toEqual([]);
}

describe('the search', () => {
  test('finds paths, summaries and fields, by keyboard alone', async () => {
    await visitor();
    const all = await rows().count();
    expect(all).toBeGreaterThan(50);
    await page.keyboard.press('/');
    await page.keyboard.type('reasoning_effort');
    await until(async () => (await rows().count()) === 1);
    expect(await rows().first().innerText()).toMatch(
      /\/v1\/chat\/completions\s+Create a chat completion\.\s+Fields: reasoning_effort/,
    );
    expect(new URL(page.url()).searchParams.get('find')).toBe('reasoning_effort');
    await page.keyboard.press('Escape');
    await until(async () => (await rows().count()) === all);
    await page.keyboard.type('generate images');
    await until(async () => (await rows().count()) === 1);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await panel().getByText('/v1/images/generations').first().waitFor();
    expect(await faultsByTheme(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await search().fill('zebra');
    await page.getByText('No endpoint matches “zebra”').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await until(async () => (await rows().count()) === all);
  });
});

describe('a try', () => {
  test('by a visitor needs a token, sends what is written, and shows all that came back', async () => {
    // The address alone leads here, with nothing loaded before.
    await page.goto(`${weir.url}/console/reference${addressOf('POST /v1/chat/completions')}`);
    await send().click();
    await panel().getByText('Paste a token first.').waitFor();
    await panel().getByLabel('Token', { exact: true }).fill(weir.token);
    await panel().getByLabel('Body (JSON)').fill('{');
    await send().click();
    await panel()
      .getByText(/^Invalid JSON:/)
      .waitFor();
    await panel()
      .getByLabel('Body (JSON)')
      .fill(JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'What is 6 * 7?' }] }));
    await panel().getByLabel('Body (JSON)').press('Tab');
    await page.keyboard.press('Enter');
    await reply().getByText('200', { exact: true }).first().waitFor();
    const body = () => reply().locator('figure code').innerText();
    await until(async () => (await body()).includes('6 * 7 = 42'));
    expect(JSON.parse(await body())).toMatchObject({ object: 'chat.completion' });
    expect(await reply().innerText()).toMatch(/Time\s+[\d.]+\s?m?s/);
    await reply().getByText('Response headers').click();
    expect(await reply().innerText()).toMatch(/x-weir-provider\s+sandbox/);
    await expectReadable();
  });

  test('that is refused shows the status and the reason', async () => {
    await openTry('GET /v1/models');
    await panel().getByLabel('Token', { exact: true }).fill('weir_nonsense');
    await send().click();
    await reply().getByText('401', { exact: true }).first().waitFor();
    await until(async () => (await reply().locator('figure code').innerText()).includes('token_malformed'));
    await expectReadable();
  });

  test('of a stream shows it as it arrives, and stops when told to', async () => {
    await openTry('POST /v1/chat/completions');
    await panel().getByLabel('Token', { exact: true }).fill(weir.token);
    const messages = [{ role: 'user', content: 'Hello' }];
    await panel()
      .getByLabel('Body (JSON)')
      .fill(JSON.stringify({ model: 'sandbox-stall', messages, stream: true }));
    await send().click();
    await reply().getByText('Receiving', { exact: true }).waitFor();
    await until(async () => ((await reply().locator('figure code').textContent()) ?? '').startsWith('data: {'));
    await panel().getByRole('button', { name: 'Stop', exact: true }).click();
    await reply().getByText('Receiving', { exact: true }).waitFor({ state: 'detached' });
    expect(await reply().locator('figure code').textContent()).toContain('data: {');
  });

  test('of a file plays it, and one of an open path needs no token', async () => {
    await openTry('POST /v1/audio/speech');
    await panel().getByLabel('Token', { exact: true }).fill(weir.token);
    await send().click();
    await reply().locator('audio').waitFor();
    expect(await accessibilityFaults(page, dialog)).toEqual([]);
    await openTry('GET /healthz');
    await panel().getByText('No token needed.').waitFor();
    await send().click();
    await reply().getByText('200', { exact: true }).first().waitFor();
  });

  test('by someone signed in uses their playground token, in the settings too', async () => {
    use(await openAs(browser, weir, owner, look));
    await page.goto(
      `${weir.url}/console/settings?section=about&view=try&operation=${encodeURIComponent('POST /v1/embeddings')}`,
    );
    await panel().getByText('Your playground token is used.').waitFor();
    await send().click();
    await reply().getByText('200', { exact: true }).first().waitFor();
    const token = await page.evaluate(() => JSON.parse({ ...sessionStorage }['weir.playground-token'] ?? '{}').value);
    expect(token).toMatch(/^weir_/);
    expect(page.url()).not.toContain(token);
    await expectReadable();
  });

  test('fills in an id that is missing, and uploads a file', async () => {
    await openTry('GET /v1/videos/{id}');
    await panel().getByLabel('Token', { exact: true }).fill(weir.token);
    await send().click();
    await panel().getByText('Enter a value for id.').waitFor();
    await panel().getByLabel('id', { exact: true }).fill('video_none');
    await send().click();
    await reply().getByText('404', { exact: true }).first().waitFor();
    await visit(page, `/console/reference${addressOf('POST /v1/audio/transcriptions')}`);
    const speech = await fetch(`${weir.base}/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox-speak', input: 'Hello', voice: 'alloy', response_format: 'wav' }),
    });
    await panel()
      .locator('input[type=file]')
      .setInputFiles({ name: 'a.wav', mimeType: 'audio/wav', buffer: Buffer.from(await speech.arrayBuffer()) });
    await send().click();
    await reply().getByText('200', { exact: true }).first().waitFor();
  });
});

describe('examples', () => {
  const ids = [
    'POST /v1/chat/completions',
    'POST /v1/messages',
    'POST /v1beta/models/{model}:generateContent',
    'POST /v2/chat',
    'POST /v2/embed',
    'POST /v1/embeddings',
    'POST /v1/images/generations',
    'POST /v1/rerank',
    'GET /v1/models',
  ];

  test('in TypeScript run as they are, with the libraries of their formats', async () => {
    await visitor();
    const codes: string[] = [];
    for (const id of ids) {
      await visit(page, `/console/reference?operation=${encodeURIComponent(id)}`);
      await panel().getByRole('tab', { name: 'TypeScript' }).click();
      const code = panel().locator('figure code');
      await until(async () => /await/.test(await code.innerText()));
      codes.push((await code.textContent()) ?? '');
    }
    const printed = await run(codes);
    expect(printed.map((output, index) => (output === '' ? `${ids[index]} printed nothing` : ''))).toEqual(
      ids.map(() => ''),
    );
  });

  /** What each prints. One process runs them one after the other: a library that several use is loaded once. */
  async function run(codes: readonly string[]): Promise<readonly string[]> {
    const fileOf = (name: number | string) => join(import.meta.dir, `.example-${process.pid}-${name}.ts`);
    const files = codes.map((_, index) => fileOf(index));
    const begin = `begin-${crypto.randomUUID()}`;
    const lines = files.map((file) => `console.log(${JSON.stringify(begin)});\nawait import(${JSON.stringify(file)});`);
    await Promise.all(codes.map((code, index) => Bun.write(fileOf(index), code)));
    await Bun.write(fileOf('all'), lines.join('\n'));
    const env = { PATH: process.env['PATH'] ?? '', WEIR_TOKEN: weir.token };
    const words = [process.execPath, fileOf('all')];
    const child = Bun.spawn(words, { env, stdout: 'pipe', stderr: 'pipe', timeout: 240_000 });
    const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    await Promise.all([...files, fileOf('all')].map((file) => Bun.file(file).delete()));
    const printed = output.split(`${begin}\n`).slice(1);
    const status = await child.exited;
    expect(status === 0 ? '' : `${ids[printed.length - 1]} ended with ${status}: ${errors}`).toBe('');
    return printed.map((text) => text.trim());
  }
});
