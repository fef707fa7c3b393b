/** A model that ends is seen in the console: a badge beside its name, the day in its panel, and on the overview whose tokens still use it. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import type { EndingModelView } from '../../src/admin/contracts/analytics-contract.ts';
import {
  accessibilityFaults,
  browserTimeoutMs,
  launchBrowser,
  leaveBrowser,
  visit,
  visitFresh,
  type WatchedPage,
} from '../harness/browser.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { openAs, ownerOf, personOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, beforeAll, describe, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

const rows = [
  { id: 'qqx-ending', deprecation_date: '2026-06-01', shutdown_date: '2099-01-14' },
  { id: 'qqx-over', shutdown_date: '2020-05-06' },
  { id: 'qqx-plain' },
];

let provider: ReturnType<typeof Bun.serve>;
let weir: RunningWeir;
let browser: Browser;
let owner: ConsoleClient;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  provider = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      if (request.method === 'GET') return Response.json({ object: 'list', data: rows });
      const { model } = (await request.json()) as { model: string };
      const choices = [
        { index: 0, message: { role: 'assistant', content: 'ok', refusal: null }, finish_reason: 'stop' },
      ];
      const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
      return Response.json({ id: 'c', object: 'chat.completion', created: 1, model, choices, usage });
    },
  });
  const up = { kind: 'openai-chat', base_url: `http://127.0.0.1:${provider.port}/v1`, key: 'provider-key-0123456789' };
  [weir, browser] = await Promise.all([startWeir({ yaml: { providers: { up } } }), launchBrowser()]);
  owner = await ownerOf(weir);
  await until(async () => JSON.stringify((await owner.get('/models')).body).includes('qqx-ending'));
  for (const model of ['qqx-ending', 'qqx-ending', 'up/qqx-ending', 'qqx-plain']) await say(model);
  watched = await openAs(browser, weir, owner, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  page = watched.page;
}, browserTimeoutMs);

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
  await provider?.stop(true);
});

async function say(model: string): Promise<void> {
  const reply = await fetch(`${weir.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
  });
  expect(reply.status).toBe(200);
  await reply.text();
}

describe('a model that ends', () => {
  test('is told with the tokens that used it; a member sees those of others not', async () => {
    const { items } = (await owner.get('/usage/ending')).body as { items: readonly EndingModelView[] };
    expect(items).toEqual([
      {
        provider: 'up',
        model: 'qqx-ending',
        names: ['qqx-ending', 'up/qqx-ending'],
        deprecatedAt: '2026-06-01',
        shutdownAt: '2099-01-14',
        tokens: [{ id: expect.any(String), name: expect.any(String), requests: 3 }],
      },
    ]);
    const member = await personOf(weir, owner, 'member');
    expect((await member.get('/usage/ending')).body).toEqual({ items: [] });
  });

  test('stands on the overview, with a link to the token', async () => {
    await page.goto(`${weir.url}/console`);
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Models shutting down' }) });
    await card.waitFor();
    const text = await card.innerText();
    expect(text).toContain('up/qqx-ending');
    expect(text).toContain('3×');
    expect(text).toContain('shuts down Jan 14, 2099');
    expect(text).not.toContain('qqx-plain');
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('has a badge in the list of models, and the days in its panel', async () => {
    await visitFresh(page, `${weir.url}/console/models?model=qqx-ending`);
    const panel = page.getByRole('dialog');
    await panel.getByText('deprecated since Jun 1, 2026').waitFor();
    expect(await panel.innerText()).toContain('shuts down Jan 14, 2099');
    await visit(page, '/console/models');
    await page.getByText('shut down May 6, 2020').waitFor();
    const badges = await page.getByText(/^(shuts|shut) down /).count();
    expect(badges).toBe(2);
    expect(watched.complaints).toEqual([]);
  });
});
