/** Replies as they stream into a real browser: smooth whatever their length and shape, and harmless whatever they say. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Browser, Page } from 'playwright-core';
import { browserTimeoutMs, launchBrowser, openPage, type WatchedPage } from '../harness/browser.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { startWritingUpstream, type WritingUpstream } from '../harness/writing-upstream.ts';

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
  await browser?.close();
  await weir?.remove();
  await upstream?.stop();
});

beforeEach(async () => {
  watched = await openPage(browser, { viewport: { width: 1440, height: 900 } });
  page = watched.page;
  page.setDefaultTimeout(20_000);
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
  await page.getByRole('button', { name: 'Use this token' }).click();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
}

async function say(text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
}

interface Frames {
  /** The fewest frames that any half second had, as frames a second. */
  readonly slowestPerSecond: number;
  /** What the page's main thread worked for one of them: the part that does not depend on who else uses the machine. */
  readonly workMsPerFrame: number;
}

/** Counts pictures while something happens. */
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

const triesMax = 3;

/** How many wanted a processor on average while something ran; more than there are, and frames tell how busy others are, not how quick the page is. */
async function crowdWhile(run: () => Promise<void>): Promise<number> {
  const counts: number[] = [];
  const look = setInterval(() => {
    const [, running = '0'] = /(\d+)\/\d+/.exec(readFileSync('/proc/loadavg', 'utf8')) ?? [];
    counts.push(Number(running));
  }, 50);
  await run().finally(() => clearInterval(look));
  return counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length);
}

/** What the page itself needs for a frame is bounded on any machine; how often it is drawn, where the machine is ours. */
async function expectSmooth(run: () => Promise<void>): Promise<void> {
  const seen: number[] = [];
  for (let tries = 0; tries < triesMax; tries++) {
    let crowd = 0;
    const frames = await framesWhile(async () => {
      crowd = await crowdWhile(run);
    });
    const { slowestPerSecond, workMsPerFrame } = frames;
    console.log(
      `${slowestPerSecond} frames/s at the slowest, ${workMsPerFrame.toFixed(1)} ms of work for each, ${crowd.toFixed(1)} wanted a core`,
    );
    expect(workMsPerFrame).toBeLessThan(1_000 / framesPerSecondMin);
    if (slowestPerSecond >= framesPerSecondMin || crowd > availableParallelism() * 2) return;
    seen.push(slowestPerSecond);
  }
  expect(seen).toEqual([]);
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

test(
  'the playground is usable within a second and a half, with nothing cached',
  async () => {
    const seen: number[] = [];
    // The console is built when it is first asked for.
    await opened();
    for (let tries = 0; tries < triesMax; tries++) {
      let usableMs = 0;
      let workMs = 0;
      const crowd = await crowdWhile(async () => {
        ({ usableMs, workMs } = await opened());
      });
      console.log(
        `usable after ${usableMs.toFixed(0)} ms, ${workMs.toFixed(0)} of them work of the page; ${crowd.toFixed(1)} wanted a core`,
      );
      expect(workMs).toBeLessThan(usableMsMax);
      if (usableMs < usableMsMax || crowd > availableParallelism() * 2) return;
      seen.push(usableMs);
    }
    expect(seen).toEqual([]);
  },
  browserTimeoutMs,
);

/** 5,000 tokens of everything that Markdown has. */
function richText(words: number): string {
  const piece = (at: number) =>
    [
      `## Part ${at}`,
      `Water *runs* over the **low** wall, see [the keeper](https://example.com/${at}) and \`count(${at})\`.`,
      `1. first of ${at}\n2. second\n   - inner one\n   - inner two`,
      `| name | value |\n|---|---:|\n| a${at} | ${at} |\n| b${at} | ${at * 2} |`,
      `\`\`\`ts\nexport function part${at}(): number {\n  return ${at};\n}\n\`\`\``,
    ].join('\n\n');
  const parts: string[] = [];
  for (let count = 0, at = 1; count < words; at++) {
    parts.push(piece(at));
    count += piece(at).split(/\s+/).length;
  }
  return parts.join('\n\n');
}

describe('5,000 tokens', () => {
  const facts = async () => {
    await page.getByText('Streaming').waitFor({ state: 'detached' });
    await page.getByText('First token').waitFor();
  };

  test.each(['drawer=none', 'drawer=wire&wire=events'])(
    'of Markdown, streamed over seconds, never drop below 30 frames a second (%s)',
    async (drawer) => {
      upstream.write(richText(5_000), { wordsPerTick: 40, tickMs: 16 });
      await open(`model=writer&${drawer}`);
      await expectSmooth(async () => {
        await say('Write.');
        await facts();
      });
      expect(await page.locator('article h5').count()).toBeGreaterThan(80);
    },
    browserTimeoutMs,
  );

  test('in one paragraph of the sandbox at full speed, too', async () => {
    await open('model=sandbox-long&drawer=none');
    await expectSmooth(async () => {
      await say('Write.');
      await facts();
      await frameWindow();
    });
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
