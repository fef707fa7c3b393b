/** Whatever models, tokens, people and providers say or are called, no page of the console ever runs it: tried in a real browser. */

import { expect } from 'bun:test';
import type { Browser } from 'playwright-core';
import { scriptText } from '../fake-upstream/script.ts';
import {
  browserTimeoutMs,
  launchBrowser,
  leaveBrowser,
  visit,
  visitKeeping,
  type WatchedPage,
} from '../harness/browser.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { openAs, ownerOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { pastedToken } from '../harness/playground.ts';
import { sized } from '../harness/size.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { corpus, expectUnharmed, harmlessLinks, markdown, hostileName as modelName } from './hostile-texts.ts';

const { afterAll, beforeAll, describe, test } = needing('chromium');

let weir: RunningWeir;
let upstream: RunningUpstream;
let browser: Browser;
let owner: ConsoleClient;
/** Never loaded again: whatever comes to life on one page, however late, is still seen on the next. */
let watched: WatchedPage;

beforeAll(async () => {
  upstream = await startUpstream([modelName, 'plain']);
  const up = { kind: 'openai', base_url: upstream.base, key: 'sk-x', models: [modelName, 'plain'] };
  [weir, browser] = await Promise.all([
    startWeir({ yaml: { providers: { up }, sandbox: { enabled: false } } }),
    launchBrowser(),
  ]);
  owner = await ownerOf(weir);
  watched = await openAs(browser, weir, owner, { viewport: { width: 1440, height: 1000 } });
  await watched.page.goto(`${weir.url}/console/nowhere`);
}, browserTimeoutMs);

afterAll(async () => {
  await leaveBrowser(browser);
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

describe('names', () => {
  test(
    'of models, tokens and people are texts on every page',
    async () => {
      for (const [index, payload] of corpus.entries()) {
        const made = await owner.post('/tokens', { name: payload.slice(0, 100) });
        expect([index, made.status]).toEqual([index, 200]);
        // Each costs the hash of a password.
        if (index < sized(4, corpus.length))
          await owner.post('/accounts', { name: payload.slice(0, 100), role: 'member' });
      }
      expect((await chat(scriptText({ text: 'ok' }))).status).toBe(200);
      const tokens = (await owner.get('/tokens')).body as { items: { id: string; name: string }[] };
      const named = tokens.items.find(({ name }) => name.startsWith('<img src'));
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
        await visit(page, path);
        await expectUnharmed(weir, watched, text);
      }
      await page.keyboard.press('Control+k');
      await page.keyboard.type('img');
      await expectUnharmed(weir, watched, modelName);
      await page.keyboard.press('Escape');
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
      const { page } = watched;
      await visitKeeping(page, '/console/playground', pastedToken(weir.token));
      const message = page.getByRole('textbox', { name: 'Message' });
      for (const text of [...corpus.slice(0, 4), ...markdown, [...corpus, ...markdown].join('\n\n')]) {
        await message.fill(scriptText({ text: `${text}\n\nend of it` }));
        await message.press('Enter');
        await page.getByText('end of it', { exact: true }).last().waitFor();
        await expectUnharmed(weir, watched);
        await harmlessLinks(page);
      }
      const body = JSON.stringify({ error: { message: corpus.join(' '), type: 'invalid_request_error' } });
      await message.fill(scriptText({ status: 400, body, contentType: 'application/json' }));
      await message.press('Enter');
      await page.getByText('<details open ontoggle').first().waitFor();
      await expectUnharmed(weir, watched);
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
