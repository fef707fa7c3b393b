/** The playground's conversation in a real browser against a running Weir: with a token alone, all by keyboard, in four formats, kept in the browser only. */

import { expect } from 'bun:test';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { mintToken } from '../../src/access/token-format.ts';
import {
  accessibilityFaults,
  browserTimeoutMs,
  launchBrowser,
  leaveBrowser,
  looks,
  openPage,
  pasted,
  visit,
  visitKeeping,
  type WatchedPage,
} from '../harness/browser.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { openAs, ownerOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { pastedToken } from '../harness/playground.ts';
import { isFullSize } from '../harness/size.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { startWritingUpstream, type WritingUpstream } from '../harness/writing-upstream.ts';

const { afterAll, afterEach, beforeAll, describe, test } = needing('chromium');

const look = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;

let upstream: WritingUpstream;
let weir: RunningWeir;
let browser: Browser;
let owner: ConsoleClient;
/** Most tests share it; those of what a browser keeps, or of another person, have one of their own. */
let shared: WatchedPage;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  upstream = startWritingUpstream();
  const yaml = {
    providers: { up: { kind: 'openai', base_url: upstream.base, key: 'sk-upstream', models: ['writer'] } },
    prices: { writer: { input: 1, output: 2 } },
  };
  [weir, browser] = await Promise.all([startWeir({ yaml }), launchBrowser()]);
  owner = await ownerOf(weir);
  shared = await openPage(browser, look);
  use(shared);
  await page.goto(`${weir.url}/console/playground`);
}, browserTimeoutMs);

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
  await upstream?.stop();
});

function use(opened: WatchedPage): void {
  watched = opened;
  page = opened.page;
  page.setDefaultTimeout(60_000);
}

afterEach(async () => {
  const { complaints, requested } = watched.take();
  if (watched !== shared) await watched.close();
  use(shared);
  // A refusal is shown in the page; the browser writes it down as well.
  expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  expect(requested.filter((url) => !url.startsWith(`${weir.url}/`) && !/^(data|blob):/.test(url))).toEqual([]);
});

/** In a browser that knows nothing of it yet: loaded, and the token pasted. */
async function load(query = ''): Promise<void> {
  await page.goto(`${weir.url}/console/playground${query}`);
  await paste(weir.token);
  await composer().waitFor();
}

/** In the page that is shared, as if it had been loaded and the token pasted. */
async function open(query = '', token = weir.token): Promise<void> {
  await visitKeeping(page, `/console/playground${query}`, pastedToken(token));
  await composer().waitFor();
}

async function paste(token: string): Promise<void> {
  await page.getByLabel('Weir token').fill(token);
  await page.keyboard.press('Enter');
}

const composer = () => page.getByRole('textbox', { name: 'Message', exact: true });
const answers = (model: string) => page.getByRole('region', { name: model, exact: true });
const facts = () => page.getByRole('region', { name: 'Metrics of the last reply' });
const button = (name: string) => page.getByRole('button', { name, exact: true });

/** Types it as a person would and waits for the end of the reply. */
async function say(text: string): Promise<void> {
  await composer().fill(text);
  await composer().press('Enter');
  await page.getByText('First token').first().waitFor();
  await page.getByText('Streaming', { exact: true }).waitFor({ state: 'detached' });
}

async function createToken(terms: object = {}): Promise<{ readonly id: string; readonly token: string }> {
  const { status, body } = await owner.post('/tokens', { name: `playground-${crypto.randomUUID()}`, ...terms });
  if (status >= 300) throw new Error(JSON.stringify(body));
  return body as { id: string; token: string };
}

describe('a token', () => {
  test('pasted by someone without an account works, and stays in this tab alone', async () => {
    use(await openPage(browser, look));
    await load('?model=sandbox-chat');
    await say('What is 17 * 23?');
    expect(await answers('sandbox-chat').innerText()).toContain('17 * 23 = 391.');
    const kept = await page.evaluate(() => JSON.stringify([location.href, { ...localStorage }, document.cookie]));
    expect(kept).not.toContain(weir.token);
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).toContain(weir.token);
    await page.reload();
    await composer().waitFor();
    const other = await page.context().newPage();
    await other.goto(`${weir.url}/console/playground`);
    await other.getByLabel('Weir token').waitFor();
    await other.close();
    await button(`Token: Pasted token …${weir.token.slice(-4)}`).click();
    await page.getByRole('menuitem', { name: 'Forget token' }).click();
    await page.getByLabel('Weir token').waitFor();
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain(weir.token);
  });

  test('that does not work says why, each in its own words', async () => {
    const expiresAtMs = Date.now() + 4_000;
    const { token: expired } = await createToken({ expiresAt: new Date(expiresAtMs).toISOString() });
    const { id, token: revoked } = await createToken();
    await owner.call('DELETE', `/tokens/${id}`);
    await until(() => Date.now() > expiresAtMs);
    await until(async () => {
      const replies = await Promise.all(
        [expired, revoked].map((token) =>
          fetch(`${weir.base}/models`, { headers: { authorization: `Bearer ${token}` } }),
        ),
      );
      return replies.every(({ status }) => status === 401);
    });
    await visitKeeping(page, '/console/playground');
    for (const [token, words] of [
      ['nonsense', 'This isn’t a Weir token.'],
      [mintToken(), 'This token isn’t from this Weir server.'],
      [expired, 'This token has expired. Create a new one or extend it under Tokens.'],
      [revoked, 'This token was revoked.'],
    ] as const) {
      await paste(token);
      await page.getByRole('alert').getByText(words).waitFor();
      expect(await page.getByRole('alert').innerText()).toMatch(/token_\w+[\s\S]+req_/);
    }
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('that is exhausted or may not use the model says so in the conversation', async () => {
    const { token: poor } = await createToken({ budgetUsd: '0.000001' });
    const { token: narrow } = await createToken({ models: ['sandbox-*'], endpoints: ['chat'] });
    await open('?model=writer', poor);
    await composer().fill('Hello');
    await composer().press('Enter');
    await page.getByRole('alert').getByText('This request could cost more than the token has left.').waitFor();
    await button(`Token: Pasted token …${poor.slice(-4)}`).click();
    await page.getByRole('menuitem', { name: 'Use another token' }).click();
    await paste(narrow);
    await composer().fill('Hello');
    await composer().press('Enter');
    await page.getByRole('alert').getByText('This token can’t use this model.').waitFor();
  });

  test('of one’s own is used by itself where someone is signed in, and the cost is what the books say', async () => {
    use(await openAs(browser, weir, owner, { viewport: { width: 1440, height: 900 } }));
    upstream.write('Eight words of answer, written by the upstream.');
    await page.goto(`${weir.url}/console/playground?model=writer`);
    await composer().waitFor();
    expect(await page.getByLabel('Weir token').count()).toBe(0);
    await say('Hello');
    await facts().getByText('First token').first().waitFor();
    const token = await page.evaluate(() => JSON.parse({ ...sessionStorage }['weir.playground-token'] ?? '{}').value);
    expect(token).toMatch(/^weir_/);
    // 10 tokens at 1 and 8 at 2 dollars a million.
    await facts().getByTitle('$0.000026').waitFor();
    await until(async () => !(await facts().innerText()).includes('about'));
    // Another one is a choice of the chip, and one's own a press away again.
    await button('Token: My playground token').click();
    await page.getByRole('menuitem', { name: 'Use another token' }).click();
    await paste(weir.token);
    await button(`Token: Pasted token …${weir.token.slice(-4)}`).click();
    await page.getByRole('menuitem', { name: 'Use another token' }).click();
    await button('Use my playground token').click();
    await button('Token: My playground token').waitFor();
  });
});

describe('a conversation', () => {
  test('by keyboard: Enter sends, Shift+Enter does not, Escape stops, arrow up edits and forks', async () => {
    await open('?model=sandbox-slow');
    expect(await composer().evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.type('One');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two');
    expect(await composer().inputValue()).toBe('One\ntwo');
    await page.keyboard.press('Enter');
    await button('Stop').waitFor();
    await answers('sandbox-slow').getByText('Weir').first().waitFor();
    await page.keyboard.press('Escape');
    await answers('sandbox-slow').getByText('Stopped.').waitFor();
    await page.keyboard.press('ArrowUp');
    const editor = page.getByRole('textbox', { name: 'Edit message' });
    expect(await editor.inputValue()).toBe('One\ntwo');
    await editor.fill('Three');
    await page.keyboard.press('Enter');
    await page.getByText('2/2').waitFor();
    await button('Stop').click();
    await answers('sandbox-slow').getByText('Stopped.').waitFor();
    await button('Previous version').click();
    await page.getByText('1/2').waitFor();
    expect(await page.locator('article').innerText()).toContain('One\ntwo');
  }, 300_000);

  test('is kept by the browser, listed, renamed and deleted; the address opens it', async () => {
    use(await openPage(browser, look));
    await load();
    await say('Remember this');
    await button('New conversation').click();
    await composer().waitFor();
    expect(await page.locator('article').count()).toBe(0);
    await say('And that');
    await page.goBack();
    await page.goForward();
    await page.getByRole('article').getByText('And that').first().waitFor();
    await page.reload();
    await page.getByRole('article').getByText('And that').first().waitFor();
    const list = page.getByRole('list', { name: 'Conversations' });
    await list.getByRole('button', { name: /^Remember this/ }).click();
    await page.getByRole('article').getByText('Remember this').first().waitFor();
    await button('Rename or delete Remember this').click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Kept');
    await page.keyboard.press('Enter');
    await button('Rename or delete Kept').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await until(async () => (await list.getByRole('listitem').count()) === 1);
    await page.reload();
    await until(async () => (await list.getByRole('listitem').count()) === 1);
    expect(await list.innerText()).not.toContain('Kept');
  });

  test('takes a picture, a system prompt, and asks two models side by side', async () => {
    await open('?model=sandbox-chat&beside=sandbox-reasoner&drawer=settings');
    await page.getByLabel('System prompt').fill('Speak like a miller.');
    const picture = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEUlEQVR4nGP4z8DAwADBEAoAJ/IC/mTlDiUAAAAASUVORK5CYII=',
      'base64',
    );
    await page.locator('input[type=file]').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: picture });
    await page.getByRole('list', { name: '1 file attached' }).waitFor();
    await say('Look');
    for (const model of ['sandbox-chat', 'sandbox-reasoner']) {
      const said = await answers(model).innerText();
      expect(said).toContain('Speak like a miller.');
      expect(said).toMatch(/3\s?[x×]\s?2/);
    }
    const thinking = answers('sandbox-reasoner').getByRole('button', { name: 'Thinking' });
    expect(await thinking.getAttribute('aria-expanded')).toBe('false');
    await thinking.click();
    await answers('sandbox-reasoner')
      .getByText(/I have \d messages?/)
      .waitFor();
  });
});

describe.each([
  ['Chat', '/v1/chat/completions'],
  ['Messages', '/v1/messages'],
  ['Responses', '/v1/responses'],
  ['Generate content', '/v1beta/models/sandbox-reasoner:streamGenerateContent'],
] as const)('in the format %s', (format, path) => {
  test('a tool is called and answered by hand, signatures come back unharmed, and the wire shows it all', async () => {
    await open('?model=sandbox-reasoner&drawer=settings');
    await page.getByLabel('Tools', { exact: true }).fill(
      JSON.stringify({
        name: 'get_weather',
        description: 'the weather of a city',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      }),
    );
    await button('Raw request and response').click();
    await page.locator('aside label').getByText(format, { exact: true }).click();
    await say('What is the weather in Paris?');
    const answer = answers('sandbox-reasoner');
    await answer.getByText('Calls get_weather').waitFor();
    await page.getByLabel('Result of get_weather').fill('rain and 7 degrees');
    await button('Send results').click();
    await answer.getByText('returned "rain and 7 degrees"').waitFor();
    expect(await answer.innerText()).not.toMatch(/signature.*(wrong|missing|harmed)/i);
    const sent = page.locator('aside').getByRole('tabpanel');
    await page.getByRole('tab', { name: 'Request', exact: true }).click();
    // What a tab shows may come a moment after it is chosen, and the latest call a moment after its reply.
    await until(async () => (await sent.innerText()).includes('rain and 7 degrees'), 60_000, 'the second call');
    expect(await sent.innerText()).toContain(`POST ${path}`);
    expect(await page.locator('aside').innerText()).not.toContain(weir.token);
    await page.getByRole('tab', { name: 'Events' }).click();
    const events = page.getByRole('listbox', { name: 'Events' });
    await events.focus();
    await page.keyboard.press('Home');
    await page.getByRole('figure').filter({ hasText: 'Event 1' }).getByText('data:').waitFor();
    await page.getByRole('tab', { name: 'Headers' }).click();
    const headers = /x-request-id\s+req_[\s\S]*x-weir-provider\s+sandbox/;
    await until(async () => headers.test(await sent.innerText()), 60_000, 'the headers of the reply');
  });
});

describe('code to copy', () => {
  test('is exactly what is shown, names no token, and runs with each format’s own library', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: weir.url });
    await open('?model=sandbox-chat&drawer=wire&wire=code');
    await composer().fill("What is 6 * 7? It's a sum.");
    const copied: string[] = [];
    for (const format of ['Chat', 'Messages', 'Responses', 'Generate content']) {
      await page.locator('aside label').getByText(format, { exact: true }).click();
      for (const language of ['curl', 'Node', 'Python']) {
        const copy = page.getByRole('button', { name: `Copy ${language}` });
        const block = page.locator('figure', { has: copy });
        await copy.click();
        await block.locator('button[data-outcome=copied]').waitFor();
        const code = await pasted(page);
        expect(code).toBe((await block.locator('code').textContent()) ?? '');
        expect(code).not.toContain(weir.token);
        if (language !== 'Python') copied.push(code);
        else expect(code).toContain('os.environ["WEIR_TOKEN"]');
      }
    }
    const outputs = await Promise.all(copied.map(run));
    expect(outputs.filter((output) => !output.replaceAll(/[^\d=]/g, '').includes('42'))).toEqual([]);
  }, 300_000);

  async function run(code: string, index: number): Promise<string> {
    const file = join(import.meta.dir, `.copied-${process.pid}-${index}.mjs`);
    const isShell = code.startsWith('curl');
    if (!isShell) await Bun.write(file, code);
    const child = Bun.spawn(isShell ? ['sh', '-c', `${code} -sS`] : [process.execPath, file], {
      env: { PATH: process.env['PATH'] ?? '', WEIR_TOKEN: weir.token },
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: 60_000,
    });
    const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    if (!isShell) await Bun.file(file).delete();
    return output + errors;
  }
});

describe('everybody can use it', () => {
  // Empty and with a drawer in the narrower look: the conversation with the wire is among all pages.
  for (const { colorScheme, width } of looks) {
    test(`in ${colorScheme} at ${width} px`, async () => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      await open('?model=sandbox-reasoner');
      expect(await accessibilityFaults(page)).toEqual([]);
      await say('Hello\n\n- one\n- two');
      for (const drawer of ['Conversation settings', 'Raw request and response']) {
        if ((await button(drawer).getAttribute('aria-pressed')) === 'false') await button(drawer).click();
        await page.locator('aside').waitFor();
        if (isFullSize || drawer !== 'Raw request and response') expect(await accessibilityFaults(page)).toEqual([]);
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      await page.emulateMedia({ colorScheme: null, reducedMotion: 'reduce' });
      await page.setViewportSize(look.viewport);
    });
  }

  test(
    'on a phone the sandbox’s badge comes and goes without moving anything',
    async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      const badge = page.getByText('Sandbox', { exact: true }).filter({ visible: true });
      const heights: (number | undefined)[] = [];
      await open();
      for (const [model, badges] of [
        ['writer', 0],
        ['sandbox-reasoner', 1],
      ] as const) {
        await visit(page, `/console/playground?model=${model}`);
        await composer().waitFor();
        await until(async () => (await badge.count()) === badges);
        const line = button('Show conversations').locator('xpath=ancestor::div[contains(@class, "border-b")][1]');
        heights.push((await line.boundingBox())?.height);
      }
      expect(heights[1]).toBe(heights[0]);
      await page.setViewportSize(look.viewport);
    },
    browserTimeoutMs,
  );

  test('in Chinese', async () => {
    use(await openPage(browser, { locale: 'zh-CN' }));
    await page.goto(`${weir.url}/console/playground`);
    await page.getByLabel('Weir 令牌').fill('nonsense');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('这不是 Weir 令牌').waitFor();
  });
});
