/** Whatever providers answer where no conversation is held, whatever a task is called or failed of, and whatever the operator writes: no page runs it. Tried in a real browser. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { browserTimeoutMs, launchBrowser, leaveBrowser, visit, type WatchedPage } from '../harness/browser.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { openAs, ownerOf } from '../harness/console-session.ts';
import { type HostileUpstream, startHostileUpstream } from '../harness/hostile-upstream.ts';
import { needing } from '../harness/needs.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import {
  corpus,
  expectUnharmed,
  harmlessLinks,
  hostileName,
  markdown,
  strike,
  watchHeldBytes,
} from './hostile-texts.ts';

const { afterAll, afterEach, beforeAll, describe, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

/** Texts that stand in one line, as most of them would be written. */
const everything = [...corpus, ...markdown].map((text) => text.replaceAll('\n', ' ')).join(' ');
const beginning = corpus[0] ?? '';
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" onload="${strike}"><script>${strike};parent.${strike}</script></svg>`;
/** By the first word Weir knows what each can do. */
const nameOf = (kind: string): string => `${kind}-${hostileName}`;

let weir: RunningWeir;
let upstream: HostileUpstream;
let browser: Browser;
let owner: ConsoleClient;
let token: string;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  upstream = startHostileUpstream({ text: everything, name: hostileName, file: drawing });
  const place = { base_url: upstream.base, key: 'sk-x' };
  const plain = ['writer', 'embed', 'rerank', 'moderation', 'gpt-image', 'tts', 'whisper'].map(nameOf);
  const yaml = {
    providers: {
      up: { kind: 'openai-chat', ...place, models: plain },
      live: { kind: 'litellm', ...place, models: [nameOf('sora'), nameOf('gpt-realtime')] },
    },
    prices: { '*': { input: 0, output: 0, video_second: 0, image: 0, minute: 0, characters: 0, searches: 0 } },
    sandbox: { enabled: false },
  };
  const env = { WEIR_TASKS_ASK_EVERY_MS: '200' };
  [weir, browser] = await Promise.all([startWeir({ yaml, env }), launchBrowser()]);
  owner = await ownerOf(weir);
  token = ((await owner.post('/tokens', { name: beginning })).body as { token: string }).token;
  watched = await openAs(browser, weir, owner, { viewport: { width: 1440, height: 1000 }, reducedMotion: 'reduce' });
  page = watched.page;
  await watchHeldBytes(page);
  // Its name is hostile too, which the token of the playground's own would not be.
  await page.addInitScript(
    (value) => sessionStorage.setItem('weir.playground-token', JSON.stringify({ value, kind: 'pasted' })),
    token,
  );
  page.setDefaultTimeout(60_000);
  await page.goto(`${weir.url}/console/playground`);
}, browserTimeoutMs);

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
  upstream?.stop();
});

afterEach(async () => {
  watched.take();
  await page.unrouteAll({ behavior: 'wait' });
});

/**
 * The tab with the token that it kept; the one model that it can use is chosen. Not loaded again: whatever comes to
 * life in one tab, however late, is still seen in the next.
 */
async function openTab(tab: string): Promise<void> {
  await visit(page, `/console/playground?tab=${tab}`);
  await page.getByLabel('Model', { exact: true }).waitFor();
}

const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
const result = () => page.getByRole('region', { name: 'Result' });

/** Shown whole and as text, beside the result in the wire's panel too, and nothing in it is more than text. */
async function expectText(text = beginning): Promise<void> {
  await result().getByText(text).first().waitFor();
  await page.getByRole('button', { name: 'Raw request and response' }).click();
  await page.locator('aside').waitFor();
  await expectUnharmed(weir, watched);
  await harmlessLinks(page);
}

describe('the playground’s tab', () => {
  test('of completions', async () => {
    await openTab('completions');
    await page.getByLabel('Prompt').fill(everything);
    await press('Complete');
    await result().getByText('Stopped: stop').waitFor();
    await expectText();
  });

  test('of embeddings', async () => {
    await openTab('embeddings');
    await page.getByLabel('Texts', { exact: true }).fill(corpus.slice(0, 3).join('\n'));
    await press('Embed');
    await result().getByRole('region', { name: 'Vectors' }).waitFor();
    await expectText();
  });

  test('of rerank', async () => {
    await openTab('rerank');
    await page.getByLabel('Documents').fill(corpus.slice(0, 4).join('\n'));
    await page.getByLabel('Query').fill(everything);
    await press('Rerank');
    await result().locator('ol > li').first().waitFor();
    await expectText();
  });

  test('of moderation: names of categories', async () => {
    await openTab('moderation');
    await page.getByLabel('Text').fill(everything);
    await press('Check');
    await result().getByText('Flagged', { exact: true }).first().waitFor();
    await expectText(hostileName);
  });

  test('of images: what became of the prompt, and a drawing declared as one', async () => {
    await openTab('images');
    await page.getByLabel('Prompt').fill(everything);
    await press('Generate');
    await expectText();
  });

  test('of images: addresses of every kind', async () => {
    const urls = [
      `javascript:${strike}`,
      `data:text/html,<script>${strike}</script>`,
      `data:image/svg+xml,${encodeURIComponent(drawing)}`,
      'https://evil.example/picture.png',
      'blob:https://evil.example/1',
      '//evil.example/picture.png',
    ];
    const answer = JSON.stringify({ created: 1, data: urls.map((url) => ({ url, revised_prompt: everything })) });
    await page.route('**/v1/images/generations', (route) =>
      route.fulfill({ contentType: 'application/json', body: answer }),
    );
    await openTab('images');
    await press('Generate');
    await result()
      .locator('li')
      .nth(urls.length - 1)
      .waitFor();
    expect(await result().locator('img').count()).toBe(0);
    await expectUnharmed(weir, watched);
    await harmlessLinks(page);
  });

  test('of speech: a page in the place of a sound', async () => {
    // Weir itself takes no page for a sound; should it ever, the tab does not either.
    const pretended = { contentType: 'text/html', body: `<script>${strike}</script>` };
    await page.route('**/v1/audio/speech', (route) => route.fulfill(pretended));
    await openTab('speech');
    await press('Generate');
    await page.getByRole('link', { name: /Download/ }).waitFor();
    await expectUnharmed(weir, watched);
    await harmlessLinks(page);
  });

  test('of transcription: what was heard, by whom, in which language', async () => {
    await openTab('transcription');
    const sound = {
      name: `${hostileName}.wav`.replaceAll('/', ''),
      mimeType: 'audio/wav',
      buffer: Buffer.alloc(2_000),
    };
    await page.locator('input[type=file]').setInputFiles(sound);
    await press('Transcribe');
    await expectText();
    await result().getByText(hostileName).first().waitFor();
  });

  test('of live conversations: transcripts and complaints', async () => {
    await openTab('realtime');
    await page.getByLabel('Replies').selectOption('text');
    await press('Start talking');
    await page.getByLabel('Message').fill(beginning);
    await press('Send');
    await page.getByRole('alert').getByText(beginning).first().waitFor();
    await page.locator('li[data-who=model]').getByText(beginning).first().waitFor();
    await expectUnharmed(weir, watched);
    await harmlessLinks(page);
    await press('Hang up');
  });

  test('of videos: prompts, failures, and a film that is a drawing with a script', async () => {
    await openTab('video');
    for (const prompt of [`fail ${everything}`, everything]) {
      await page.getByLabel('Prompt').fill(prompt);
      await press('Generate');
      await page
        .getByRole('article', { name: prompt.slice(0, 40) })
        .first()
        .waitFor();
    }
    await page.getByText('Failed', { exact: true }).waitFor();
    await page.getByRole('link', { name: /Download/ }).waitFor();
    await expectUnharmed(weir, watched, beginning);
    await harmlessLinks(page);
  });
});

describe('tasks', () => {
  const order = async (prompt: string): Promise<string> => {
    const reply = await fetch(`${weir.base}/videos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: nameOf('sora'), prompt, seconds: '4' }),
    });
    return ((await reply.json()) as { id: string }).id;
  };

  test('are texts in the list and in their panels; their films run by no address', async () => {
    const [failing, made] = [await order(`fail ${everything}`), await order(everything)];
    const rows = async () => {
      const { items } = (await owner.get('/tasks')).body as {
        items: { id: string; state: string; videos: { path: string }[] }[];
      };
      return items.filter(({ id }) => id === failing || id === made);
    };
    await until(
      async () => (await rows()).every(({ state }) => ['failed', 'completed'].includes(state)),
      60_000,
      'ends',
    );
    // Loaded, so that its film is asked for before it is judged.
    await page.goto(`${weir.url}/console/tasks?task=${made}`, { waitUntil: 'networkidle' });
    await page.getByRole('dialog').waitFor();
    await expectUnharmed(weir, watched, hostileName);
    await harmlessLinks(page);
    await visit(page, `/console/tasks?task=${failing}`);
    await page.getByRole('alert').getByText(beginning).first().waitFor();
    await expectUnharmed(weir, watched, hostileName);
    await harmlessLinks(page);
    // Opened by itself, as a page of its own.
    const films = (await rows()).flatMap(({ videos }) => videos);
    expect(films).toHaveLength(1);
    for (const { path } of films) {
      const reply = await fetch(weir.url + path, { headers: { cookie: owner.cookie } });
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
      expect(reply.headers.get('content-security-policy')).toContain('sandbox');
      await page.goto(weir.url + path).catch(() => undefined);
      expect(await page.evaluate(() => (window as { struck?: number }).struck)).toBeUndefined();
    }
  });

  test('are texts whatever the list says of them', async () => {
    const ids = [`javascript:${strike}`, `data:text/html,<script>${strike}</script>`, `//evil.example/${hostileName}`];
    const items = ids.map((path, at) => ({
      id: `${at}${beginning}`,
      requestId: beginning,
      tokenId: beginning,
      tokenName: everything,
      model: everything,
      provider: everything,
      state: 'completed',
      percent: 100,
      size: everything,
      createdAt: new Date(0).toISOString(),
      error: { code: everything, message: everything },
      isDeleted: false,
      videos: [{ path, mediaType: `image/svg+xml;${everything}` }],
    }));
    await page.route('**/console/api/tasks*', (route) => route.fulfill({ json: { items } }));
    await page.goto(`${weir.url}/console/tasks`);
    for (const { id } of items) {
      await visit(page, `/console/tasks?${new URLSearchParams({ task: id })}`);
      await page.getByRole('alert').getByText(beginning).first().waitFor();
      await expectUnharmed(weir, watched);
      await harmlessLinks(page);
    }
  });
});

describe('what the operator writes and what the interface says of itself', () => {
  test('is text on the home page and in the settings', async () => {
    const saved = await owner.call('PATCH', '/home', {
      body: { shown: true, title: beginning, text: everything.slice(0, 1_500) },
    });
    expect(saved.status).toBe(200);
    const isShown = () =>
      page.evaluate(
        (text) =>
          [document.body.innerText]
            .concat([...document.querySelectorAll('input, textarea')].map((field) => (field as HTMLInputElement).value))
            .some((part) => part.includes(text)),
        beginning,
      );
    await visit(page, '/console/settings?section=home');
    await until(isShown, 60_000, 'the text in the settings');
    await expectUnharmed(weir, watched);
    await harmlessLinks(page);
    await page.goto(weir.url, { waitUntil: 'networkidle' });
    expect(await isShown()).toBe(true);
    await expectUnharmed(weir, watched);
    await harmlessLinks(page);
  });

  test('is text in the reference', async () => {
    const field = { type: 'string', description: everything, enum: [everything], example: everything };
    const operation = {
      operationId: 'hostile',
      tags: [hostileName],
      summary: everything,
      description: everything,
      parameters: [{ name: beginning, in: 'query', description: everything, schema: field }],
      requestBody: {
        content: {
          'application/json': {
            schema: { type: 'object', properties: { [beginning]: field } },
            example: { [beginning]: everything },
          },
        },
      },
      responses: { '200': { description: everything } },
    };
    await page.route('**/openapi.json', (route) =>
      route.fulfill({
        json: { openapi: '3.1.0', info: { title: everything }, paths: { [`/v1/${beginning}`]: { post: operation } } },
      }),
    );
    await page.goto(`${weir.url}/console/reference`);
    await page.getByText(hostileName).first().waitFor();
    await page.locator('main button').filter({ hasText: '/v1/' }).first().click();
    await page.getByRole('dialog').getByText(beginning).first().waitFor();
    await expectUnharmed(weir, watched);
    await harmlessLinks(page);
  });
});
