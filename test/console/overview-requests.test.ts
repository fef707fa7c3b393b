/** Overview, requests and tasks in a real browser: what the pages say is what was really sent, and a link shows it again. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Locator, Page } from 'playwright-core';
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
import { isFullSize } from '../harness/size.ts';
import { until } from '../harness/until.ts';
import { makeVideo, type Stage, send, sendTakenOver, startStage, takenOver, untilCounted } from './traffic.ts';

const { afterAll, afterEach, beforeAll, describe, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

/** A name that would come to life in a page that trusts it. */
const evilName = '<img src=x onerror="document.title=1">';

let stage: Stage;
let browser: Browser;
let owner: ConsoleClient;
let watched: WatchedPage;

beforeAll(async () => {
  [stage, browser] = await Promise.all([startStage(), launchBrowser()]);
  owner = await ownerOf(stage.weir);
  const viewport = { width: 1440, height: 900 };
  watched = await openAs(browser, stage.weir, owner, { viewport, reducedMotion: 'reduce' });
});

afterAll(async () => {
  await leaveBrowser(browser);
  await stage?.remove();
});

afterEach(() => {
  const { complaints, requested } = watched.take();
  expect(complaints).toEqual([]);
  expect(requested.filter((url) => !url.startsWith(`${stage.weir.url}/`) && !/^(data|blob):/.test(url))).toEqual([]);
});

const open = (page: Page, path: string) => visitFresh(page, `${stage.weir.url}${path}`);
const rowsOf = (page: Page, list: string): Locator => page.locator(`section[aria-label="${list}"] tbody tr[tabindex]`);
const figure = (page: Page, id: string) => page.locator(`[data-figure=${id}] p`).first().innerText();

async function expectReadable(page: Page, part?: string): Promise<void> {
  for (const theme of isFullSize ? (['light', 'dark'] as const) : (['dark'] as const)) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    expect(await accessibilityFaults(page, part)).toEqual([]);
  }
}

test('before anything happened the overview says what to do first', async () => {
  const { page } = watched;
  await open(page, '/console');
  await page.getByRole('heading', { name: 'Get started' }).waitFor();
  await page.getByText('Waiting for the first request').first().waitFor();
  await page.getByRole('button', { name: 'Create a token' }).click();
  expect(new URL(page.url()).pathname).toBe('/console/tokens');
});

describe('after some traffic', () => {
  const sent = { chat: 60, failed: 3, takenOver: 1 } as const;
  const total = sent.chat + sent.failed + sent.takenOver;
  let takenOverId = '';
  let chatTokens = 0;
  let evilId = '';
  let extra = 0;

  beforeAll(async () => {
    const { weir } = stage;
    const { body } = await owner.post('/tokens', { name: evilName });
    const evil = { base: weir.base, token: (body as { token: string }).token };
    evilId = (body as { id: string }).id;
    for (let index = 0; index < sent.chat; index++) {
      await send(index % 2 === 0 ? weir : evil, 'sandbox-chat', { stream: index % 3 === 0 });
    }
    takenOverId = await sendTakenOver(stage);
    for (let index = 0; index < sent.failed; index++) await send(weir, 'sandbox-500');
    await untilCounted(owner, total);
    const overview = (await owner.get('/usage/overview')).body as {
      total: { inputTokens: number; outputTokens: number };
    };
    chatTokens =
      overview.total.inputTokens + overview.total.outputTokens - takenOver.inputTokens - takenOver.outputTokens;
  });

  test('the overview counts what was sent, and its rows lead to the requests they count', async () => {
    const { page } = watched;
    await open(page, '/console?range=1h');
    await page.getByText('Latest requests').waitFor();
    await until(async () => (await figure(page, 'requests')) === `${total}`, 60_000, 'the number of requests');
    expect(await figure(page, 'spend')).toBe('$0.004');
    expect(chatTokens).toBeGreaterThan(sent.chat);
    expect(await figure(page, 'tokens')).toBe((chatTokens + 1_200).toLocaleString('en'));
    expect(await figure(page, 'errors')).toBe(`${((sent.failed / total) * 100).toFixed(1)}%`);
    // The chart can be heard: the columns of its table add up to the same.
    const cells = await page
      .locator('figure', { hasText: 'Succeeded' })
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => [...row.querySelectorAll('td')].map((cell) => Number(cell.textContent))),
      );
    const sums = cells.reduce(([ok = 0, bad = 0], [good = 0, failed = 0]) => [ok + good, bad + failed], [0, 0]);
    expect(sums).toEqual([total - sent.failed, sent.failed]);
    await page.locator('figure [data-plot]').nth(3).waitFor();
    // Otherwise judged among all pages, with traffic too.
    if (isFullSize) await expectReadable(page);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('link', { name: `${evilName} ${sent.chat / 2} requests` }).click();
    await page.locator('h1', { hasText: 'Requests' }).waitFor();
    const query = new URL(page.url()).searchParams;
    expect([query.get('token'), query.get('range')]).toEqual([evilId, '1h']);
    await page.getByText(`${sent.chat / 2} requests`, { exact: true }).waitFor();
    await page.getByRole('button', { name: `Remove filter Token ${evilName}` }).waitFor();
    expect(await page.title()).toBe('Requests · Weir');
    await page.goBack();
    await page.locator('h1', { hasText: 'Overview' }).waitFor();
  });

  test('the tail shows a request as it comes, but not under someone who reads', async () => {
    const { page } = watched;
    await open(page, '/console');
    const rows = rowsOf(page, 'Latest requests');
    await rows.first().waitFor();
    await send(stage.weir, 'sandbox-reasoner');
    extra += 1;
    await rows.first().filter({ hasText: 'sandbox-reasoner' }).waitFor({ timeout: 240_000 });
    await rows.first().hover();
    await send(stage.weir, 'sandbox-refuse');
    extra += 1;
    await page.getByRole('button', { name: '1 new request' }).waitFor({ timeout: 240_000 });
    expect(await rows.first().innerText()).toContain('sandbox-reasoner');
    await page.mouse.move(5, 5);
    await rows.first().filter({ hasText: 'sandbox-refuse' }).waitFor();
    await page.getByRole('switch', { name: 'Live' }).click();
    expect(new URL(page.url()).searchParams.get('live')).toBe('off');
  });

  test('a filter is written, kept in the address, undone by Back and taken along as a file', async () => {
    const { page } = watched;
    await open(page, '/console/requests');
    await page.getByText(`${total + extra} requests`, { exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('5xx');
    await page.keyboard.press('Enter');
    await page.getByText(`${sent.failed} requests`, { exact: true }).waitFor();
    await until(async () => (await rowsOf(page, 'Requests').count()) === sent.failed, 60_000, 'three rows');
    expect(new URL(page.url()).searchParams.get('status')).toBe('5');
    await page.keyboard.type('250ms');
    await page.keyboard.press('Enter');
    await page.getByText('No matching requests', { exact: true }).waitFor();
    await page.goBack();
    await page.getByText(`${sent.failed} requests`, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const saving = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'As CSV' }).click();
    const file = await Bun.file(await (await saving).path()).text();
    const [head = '', ...lines] = file.trim().split('\r\n');
    expect(head).toStartWith('requestId,at,');
    expect(lines.length).toBe(sent.failed);
    expect(lines.every((line) => line.includes('upstream_failed'))).toBe(true);
    await page.reload();
    await page.getByText(`${sent.failed} requests`, { exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.press('Backspace');
    await page.getByText(`${total + extra} requests`, { exact: true }).waitFor();
  });

  test('pages go by place, columns are remembered', async () => {
    const { page } = watched;
    await open(page, '/console/requests');
    const rows = rowsOf(page, 'Requests');
    const idOf = () => rows.first().locator('code').innerText();
    await rows.nth(49).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Request ID' }).click();
    await page.keyboard.press('Escape');
    const newestId = await idOf();
    await page.getByRole('button', { name: 'Older' }).click();
    await until(async () => (await rows.count()) === total + extra - 50, 60_000, 'the rest of the requests');
    expect(await page.getByRole('button', { name: 'Older' }).isDisabled()).toBe(true);
    const olderId = await idOf();
    expect(olderId).not.toBe(newestId);
    await page.reload();
    await until(async () => (await rows.count()) === total + extra - 50, 60_000, 'the same page after a reload');
    expect(await idOf()).toBe(olderId);
    await page.getByRole('button', { name: 'Newer' }).click();
    await until(async () => (await rows.count()) === 50 && (await idOf()) === newestId, 60_000, 'the newest page');
  });

  test('a request tells its story: who was asked, what it cost, and what was said', async () => {
    const { page } = watched;
    await open(page, '/console/requests');
    await rowsOf(page, 'Requests').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill(takenOverId);
    await page.keyboard.press('Enter');
    const panel = page.getByRole('dialog', { name: 'house-model' });
    await panel.locator('ol > li').first().waitFor();
    expect(new URL(page.url()).searchParams.get('request')).toBe(takenOverId);
    const attempts = await panel.locator('ol > li').allInnerTexts();
    expect(attempts.length).toBe(2);
    expect(attempts[0]).toContain('first-choice / gpt-4.1 · key first-key');
    expect(attempts[0]).toContain('Connection failed');
    expect(attempts[1]).toContain('second-choice / gpt-4.1 · key second-key');
    expect(attempts[1]).toMatch(/First token at .*Succeeded/s);
    const lines = await panel.locator('table tbody tr').evaluateAll(cellsOf);
    expect(lines).toEqual([
      ['Input tokens', '1,000', '$2.00 / 1M', '$0.002'],
      ['Output tokens', '200', '$10.00 / 1M', '$0.002'],
    ]);
    expect(await panel.locator('tfoot').innerText()).toContain(`$${takenOver.costUsd}`);
    await panel.getByText('No fields dropped.').waitFor();
    await panel.getByRole('tab', { name: 'Content' }).click();
    await panel.getByText('"content": "Good day to you"').waitFor();
    expect(new URL(page.url()).searchParams.get('view')).toBe('content');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('request')).toBeNull();
    // j, k and Enter: the panel opens for the row that has the focus.
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    expect(new URL(page.url()).searchParams.get('request')).toMatch(/^req_/);
  });

  test('a failed request begins with why: what happened, what the provider said, and what to do', async () => {
    const { page } = watched;
    const failedId = await send(stage.weir, 'sandbox-500');
    const known = async () => {
      const { body } = await owner.get(`/usage/requests/${failedId}`);
      return (body as { error?: object }).error !== undefined;
    };
    await until(known, 60_000, 'the error of the request');
    // Few rows behind the panel: what is judged is the panel.
    await open(page, `/console/requests?status=5&request=${failedId}`);
    const panel = page.getByRole('dialog', { name: 'sandbox-500' });
    const reason = panel.getByRole('region', { name: 'Why it failed' });
    await reason.waitFor();
    const [first = '', ...lines] = (await reason.innerText()).split(/\n+/);
    expect(first).toBe('The provider failed, possibly after it started processing.');
    expect(lines).toContain('sandbox replied 500');
    expect(lines.at(-1)).toStartWith('What to do: Retry.');
    expect(await panel.locator('section, ol').first().getAttribute('aria-label')).toBe('Why it failed');
    await expectReadable(page, dialog);
  });

  test('everybody can read the story, and what was said can be taken into the playground', async () => {
    const { page } = watched;
    await open(page, `/console/requests?model=house-model&request=${takenOverId}`);
    await page.getByRole('dialog', { name: 'house-model' }).getByText('No fields dropped.').waitFor();
    await expectReadable(page, dialog);
    await page.getByRole('button', { name: 'Open in playground' }).click();
    await page.locator('h1', { hasText: 'Playground' }).waitFor();
    const query = new URL(page.url()).searchParams;
    expect([query.get('conversation')?.length, query.get('format')]).toEqual([32, 'chat']);
    await page.getByRole('article').getByText('Good day', { exact: true }).waitFor();
  });

  test(
    'a video task shows its first frame, plays and can be kept',
    async () => {
      const { page } = watched;
      const taskId = await makeVideo(stage.weir);
      await open(page, '/console/tasks');
      const row = rowsOf(page, 'Video tasks').first();
      await row.waitFor();
      const widthPx = () => row.locator('video').evaluate((video: HTMLVideoElement) => video.videoWidth);
      await until(async () => (await widthPx()) === 320, 60_000, 'the first frame');
      await row.click();
      const panel = page.getByRole('dialog', { name: 'sandbox-video' });
      await panel.getByText('320x180').waitFor();
      expect(new URL(page.url()).searchParams.get('task')).toBe(taskId);
      const saving = page.waitForEvent('download');
      await panel.getByRole('link', { name: 'Download' }).click();
      const bytes = await Bun.file(await (await saving).path()).bytes();
      expect(Buffer.from(bytes.subarray(4, 8)).toString()).toBe('ftyp');
      await expectReadable(page, dialog);
      await panel.getByRole('link', { name: 'Show request' }).click();
      await page.getByRole('dialog', { name: 'sandbox-video' }).getByText('Timeline').waitFor();
      await page.keyboard.press('Escape');
      await open(page, '/console/tasks?state=failed');
      await page.getByText('No matching tasks').waitFor();
    },
    browserTimeoutMs,
  );
});

/** Runs in the page. */
function cellsOf(rows: readonly Element[]): string[][] {
  return rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? ''));
}
