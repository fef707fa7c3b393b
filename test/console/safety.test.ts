/** Whatever models, tokens, people and providers say or are called, no page of the console ever runs it: tried in a real browser. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { scriptText } from '../fake-upstream/script.ts';
import { browserTimeoutMs, launchBrowser, openPage, type WatchedPage } from '../harness/browser.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { openAs, ownerOf } from '../harness/console-session.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

/** Each would set `struck` if anything of it came to life. */
const strike = 'window.struck=1';
const corpus = [
  `<img src=x onerror="${strike}">`,
  `<script>${strike}</script>`,
  `<svg/onload=${strike}>`,
  `"><script>${strike}</script>`,
  `'-(${strike})-'`,
  `<iframe srcdoc="<script>parent.${strike}</script>"></iframe>`,
  `<a href="javascript:${strike}">press</a>`,
  `<details open ontoggle=${strike}>`,
  `<style>@import "https://evil.example/x.css";</style>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${strike}&gt;">`,
  `<form action="https://evil.example"><input type=submit></form>`,
  `<meta http-equiv="refresh" content="0;url=https://evil.example">`,
  `<base href="https://evil.example/">`,
  `<object data="javascript:${strike}"></object>`,
  `\${${strike}} {{constructor.constructor("${strike}")()}}`,
];
/** What only a reader of Markdown could bring to life. */
const markdown = [
  `[press](javascript:${strike})`,
  `[press](jav&#x09;ascript:${strike})`,
  `[press](data:text/html,<script>${strike}</script>)`,
  `![picture](https://evil.example/tracked.png)`,
  `![x](javascript:${strike})`,
  `<https://evil.example/"onmouseover="${strike}>`,
  '```html\n<script>' + strike + '</script>\n```',
  `| a |\n| --- |\n| <img src=x onerror=${strike}> |`,
  `[ref]: javascript:${strike}\n[press][ref]`,
];
const modelName = `<img/src=x/onerror=${strike}>`;

let weir: RunningWeir;
let upstream: RunningUpstream;
let browser: Browser;
let owner: ConsoleClient;

beforeAll(async () => {
  upstream = await startUpstream([modelName, 'plain']);
  const up = { kind: 'openai', base_url: upstream.base, key: 'sk-x', models: [modelName, 'plain'] };
  [weir, browser] = await Promise.all([
    startWeir({ yaml: { providers: { up }, sandbox: { enabled: false } } }),
    launchBrowser(),
  ]);
  owner = await ownerOf(weir);
  await fetch(`${weir.url}/console`);
}, browserTimeoutMs);

afterAll(async () => {
  await browser?.close();
  await weir?.remove();
  await upstream?.stop();
});

async function chat(content: string, model = modelName): Promise<Response> {
  return fetch(`${weir.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
  });
}

/** Nothing ran, nobody else was asked, the policy had nothing to stop, and the text is there as text. */
async function expectUnharmed({ page, complaints, requested }: WatchedPage, text?: string): Promise<void> {
  if (text !== undefined) await page.getByText(text).first().waitFor();
  expect(await page.evaluate(() => (window as { struck?: number }).struck)).toBeUndefined();
  expect(complaints.filter((complaint) => /policy|refused|evil/i.test(complaint))).toEqual([]);
  expect(requested.filter((url) => !url.startsWith(`${weir.url}/`) && !/^(data|blob):/.test(url))).toEqual([]);
}

/** Everything that can be pressed in a reply is pressed: a link may lie in wait. */
async function pressLinks(page: Page): Promise<void> {
  for (const link of await page.locator('main a[href]').all()) {
    const href = (await link.getAttribute('href')) ?? '';
    expect(href).toMatch(/^(https?:|mailto:|\/|#)/);
  }
}

describe('names', () => {
  test(
    'of models, tokens and people are texts on every page',
    async () => {
      for (const [index, payload] of corpus.entries()) {
        const made = await owner.post('/tokens', { name: payload.slice(0, 100) });
        expect([index, made.status]).toEqual([index, 200]);
        await owner.post('/accounts', { name: payload.slice(0, 100), role: 'member' });
      }
      expect((await chat(scriptText({ text: 'ok' }))).status).toBe(200);
      const tokens = (await owner.get('/tokens')).body as { items: { id: string; name: string }[] };
      const named = tokens.items.find(({ name }) => name.startsWith('<img src'));
      const watched = await openAs(browser, weir, owner, { viewport: { width: 1440, height: 1000 } });
      const { page } = watched;
      const places: [path: string, text: string][] = [
        ['/console', modelName],
        ['/console/requests', modelName],
        ['/console/tokens', corpus[0] ?? ''],
        [`/console/tokens?token=${named?.id}`, corpus[0] ?? ''],
        ['/console/models', modelName],
        [`/console/models?${new URLSearchParams({ model: modelName })}`, modelName],
        ['/console/providers?provider=up', modelName],
        ['/console/settings', corpus[1] ?? ''],
        [`/console/requests?${new URLSearchParams({ model: modelName, code: corpus[0] ?? '' })}`, modelName],
      ];
      for (const [path, text] of places) {
        await page.goto(weir.url + path, { waitUntil: 'networkidle' });
        await expectUnharmed(watched, text);
      }
      await page.keyboard.press('Control+k');
      await page.keyboard.type('img');
      await expectUnharmed(watched, modelName);
      await watched.close();
    },
    2 * browserTimeoutMs,
  );

  test('of providers can hold nothing of the kind', async () => {
    const entry = { kind: 'openai', base_url: upstream.base };
    for (const name of corpus) {
      const reply = await owner.post('/providers', { name, entry, keys: [{ value: 'sk-y' }] });
      expect([name, reply.status]).toEqual([name, 400]);
    }
  });
});

describe('the playground', () => {
  test(
    'shows what a model writes and what a provider complains of as text',
    async () => {
      const watched = await openPage(browser, { viewport: { width: 1440, height: 1000 } });
      const { page } = watched;
      await page.goto(`${weir.url}/console/playground`);
      await page.getByLabel('Weir token').fill(weir.token);
      await page.keyboard.press('Enter');
      const message = page.getByRole('textbox', { name: 'Message' });
      for (const text of [...corpus.slice(0, 4), ...markdown, [...corpus, ...markdown].join('\n\n')]) {
        await message.fill(scriptText({ text: `${text}\n\nend of it` }));
        await message.press('Enter');
        await page.getByText('end of it', { exact: true }).last().waitFor();
        await expectUnharmed(watched);
        await pressLinks(page);
      }
      const body = JSON.stringify({ error: { message: corpus.join(' '), type: 'invalid_request_error' } });
      await message.fill(scriptText({ status: 400, body, contentType: 'application/json' }));
      await message.press('Enter');
      await page.getByText('<details open ontoggle').first().waitFor();
      await expectUnharmed(watched);
      await watched.close();
    },
    2 * browserTimeoutMs,
  );
});

test('no page may be framed, and scripts come from here or not at all', async () => {
  for (const path of ['/', '/console', '/console/playground', '/console/tokens', '/console/api/session']) {
    const policy = (await fetch(weir.url + path)).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe-(inline|eval)|\*/);
  }
});
