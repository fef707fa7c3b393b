/** Replies as they stream into a real browser: frames a second, and what the page works for each; how soon the page is usable. */

import { expect } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { browserTimeoutMs, launchBrowser, leaveBrowser, openPage, type WatchedPage } from '../harness/browser.ts';
import { needing } from '../harness/needs.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { richText, startWritingUpstream, type WritingUpstream } from '../harness/writing-upstream.ts';
import { judge, judgeLeast } from './figures.ts';

const { afterAll, afterEach, beforeAll, beforeEach, describe, test } = needing('chromium');

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
}, browserTimeoutMs);

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
  await upstream?.stop();
});

beforeEach(async () => {
  watched = await openPage(browser, { viewport: { width: 1440, height: 900 } });
  page = watched.page;
  page.setDefaultTimeout(60_000);
});

afterEach(async () => {
  const { complaints, requested } = watched;
  await watched.close();
  expect(complaints).toEqual([]);
  expect(requested.filter((url) => !url.startsWith(`${weir.url}/`) && !/^(data|blob):/.test(url))).toEqual([]);
});

async function open(query: string): Promise<void> {
  await page.goto(`${weir.url}/console/playground?${query}`);
  await page.getByLabel('Weir token').fill(weir.token);
  await page.getByRole('button', { name: 'Use token' }).click();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
}

async function say(text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
}

interface Frames {
  /** The fewest frames that any half second had, as frames a second. */
  readonly slowestPerSecond: number;
  /** What the page's main thread worked for one of them: the part that does not depend on other load of the machine. */
  readonly workMsPerFrame: number;
}

/** Counts frames while something happens. */
async function framesWhile(run: () => Promise<void>): Promise<Frames> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const workMs = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
  };
  await page.evaluate(() => {
    const at: number[] = [];
    Object.assign(window, { framesAt: at });
    const look = (nowMs: number) => {
      at.push(nowMs);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  const beforeMs = await workMs();
  await run();
  const workedMs = (await workMs()) - beforeMs;
  const { count, slowestPerSecond } = await page.evaluate(() => {
    const at = (window as unknown as { framesAt: number[] }).framesAt;
    const windowMs = 500;
    const last = at.at(-1) ?? 0;
    let fewest = at.length;
    for (const startMs of at) {
      if (startMs + windowMs > last) break;
      fewest = Math.min(fewest, at.filter((each) => each >= startMs && each < startMs + windowMs).length);
    }
    return { count: at.length, slowestPerSecond: (fewest * 1_000) / windowMs };
  });
  await session.detach();
  return { slowestPerSecond, workMsPerFrame: workedMs / count };
}

/** The window that is measured must be full. */
const frameWindow = () =>
  page.waitForFunction(() => {
    const at = (window as unknown as { framesAt: number[] }).framesAt;
    return (at.at(-1) ?? 0) - (at[0] ?? 0) > 700;
  });

const framesPerSecondMin = 30;

async function judgeSmooth(what: string, run: () => Promise<void>): Promise<void> {
  const { slowestPerSecond, workMsPerFrame } = await framesWhile(run);
  judge(`${what}: work of the page for a frame`, workMsPerFrame, 1_000 / framesPerSecondMin, 'ms');
  judgeLeast(`${what}: the slowest half second`, slowestPerSecond, framesPerSecondMin, 'frames a second');
}

const usableMsMax = 1_500;

/** From the navigation until the field for the token can be typed into, in a browser that has nothing cached. */
async function opened(): Promise<{ readonly usableMs: number; readonly workMs: number }> {
  const fresh = await openPage(browser, { viewport: { width: 1440, height: 900 } });
  try {
    const session = await fresh.page.context().newCDPSession(fresh.page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await fresh.page.goto(`${weir.url}/console/playground`, { waitUntil: 'commit' });
    await fresh.page.getByLabel('Weir token').fill(weir.token);
    const usableMs = await fresh.page.evaluate(() => performance.now());
    const { metrics } = await session.send('Performance.getMetrics');
    return { usableMs, workMs: (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000 };
  } finally {
    await fresh.close();
  }
}

test('the playground opens, with nothing cached', async () => {
  // The console is built at its first request.
  await opened();
  const { usableMs, workMs } = await opened();
  judge('work of the page until it is usable', workMs, usableMsMax, 'ms');
  judge('the playground is usable', usableMs, usableMsMax, 'ms');
});

describe('5,000 tokens', () => {
  const facts = async () => {
    await page.getByText('Streaming').waitFor({ state: 'detached' });
    await page.getByText('First token').waitFor();
  };

  test.each(['drawer=none', 'drawer=wire&wire=events'])(
    'of Markdown, streamed over seconds (%s)',
    async (drawer) => {
      upstream.write(richText(5_000), { wordsPerTick: 40, tickMs: 16 });
      await open(`model=writer&${drawer}`);
      await judgeSmooth(`Markdown, ${drawer}`, async () => {
        await say('Write.');
        await facts();
      });
      expect(await page.locator('article h5').count()).toBeGreaterThan(80);
    },
    browserTimeoutMs,
  );

  test('in one paragraph of the sandbox at full speed, too', async () => {
    await open('model=sandbox-long&drawer=none');
    await judgeSmooth('one paragraph at full speed', async () => {
      await say('Write.');
      await facts();
      await frameWindow();
    });
    const text = await page.getByRole('region', { name: 'sandbox-long' }).last().innerText();
    expect(text.split(/\s+/).length).toBeGreaterThan(5_000);
  });
});
