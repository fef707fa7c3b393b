/** What the playground makes of answers, in a real browser: formulas, code, JSON, several models side by side, versions, and what each call used and cost. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Locator, Page } from 'playwright-core';
import {
  browserTimeoutMs,
  faultsByTheme,
  type KeptByTab,
  launchBrowser,
  leaveBrowser,
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
import { sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { richText, startWritingUpstream, type WritingUpstream } from '../harness/writing-upstream.ts';

const { afterAll, afterEach, beforeAll, describe, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

const look = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;

let upstream: WritingUpstream;
let weir: RunningWeir;
let browser: Browser;
let owner: ConsoleClient;
/** With a token alone; nobody is signed in. */
let shared: WatchedPage;
let ofOwner: WatchedPage;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  upstream = startWritingUpstream();
  const yaml = {
    providers: { up: { kind: 'openai', base_url: upstream.base, key: 'sk-upstream', models: ['writer'] } },
    prices: { writer: { input: 1, output: 2 } },
  };
  const env = { WEIR_TASKS_ASK_EVERY_MS: '100' };
  [weir, browser] = await Promise.all([startWeir({ yaml, env }), launchBrowser()]);
  owner = await ownerOf(weir);
  shared = await openPage(browser, { ...look, permissions: ['microphone'] });
  ofOwner = await openAs(browser, weir, owner, look);
  await Promise.all([shared, ofOwner].map((one) => one.page.goto(`${weir.url}/console/playground`)));
  use(shared);
});

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
  await upstream?.stop();
});

afterEach(async () => {
  const { complaints, requested } = watched.take();
  use(shared);
  await page.setViewportSize(look.viewport);
  expect(complaints).toEqual([]);
  const own = new RegExp(`^(${weir.url}/|data:|blob:|ws:)`);
  expect(requested.filter((url) => !own.test(url))).toEqual([]);
});

function use(opened: WatchedPage): void {
  watched = opened;
  page = opened.page;
  page.setDefaultTimeout(60_000);
}

async function open(query: string, drafts: KeptByTab = {}): Promise<void> {
  await visitKeeping(page, `/console/playground?${query}`, { ...pastedToken(weir.token), ...drafts });
}

/** What is drawn, filmed and spoken matters elsewhere. */
const smallDrafts = {
  'weir.playground.images.size': '256x256',
  'weir.playground.edits.size': '256x256',
  'weir.playground.speech.text': 'Yes.',
  'weir.playground.video.seconds': '1',
  'weir.playground.video.size': '64x36',
};

const composer = () => page.getByRole('textbox', { name: 'Message', exact: true });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const answer = (model: string) => page.getByRole('region', { name: model, exact: true });
const article = () => page.locator('article').last();

async function say(text: string): Promise<void> {
  await composer().fill(text);
  await composer().press('Enter');
  await page.getByText('First token').first().waitFor();
  await page.getByText('Streaming', { exact: true }).waitFor({ state: 'detached' });
}

/** The whole page, or a part where the rest is judged elsewhere. */
async function expectReadable(part?: string): Promise<void> {
  expect(await faultsByTheme(page, part)).toEqual([]);
}

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('not in sight');
  return box;
}

describe('a reply', () => {
  test('with formulas: drawn where they are covered, as written where not, and a price is a price', async () => {
    upstream.write(
      'Area \\(a^2\\), then $x_1 * y_1$; it costs $5 and $10.\n\n\\[\n\\sum_{i=1}^{n} \\frac{1}{i} \\, dx\n\\]\n\n' +
        'But \\(\\unknown{x}\\) stays.',
    );
    await open('model=writer');
    await say('Formulas');
    await until(async () => (await article().locator('math').count()) === 3);
    const sum = await boxOf(article().locator('math[display=block]'));
    const inline = await boxOf(article().locator('math').first());
    // Drawn, with its limits above and below, and not as a line of text. Fonts of the machine decide how high both are.
    expect(sum.height).toBeGreaterThan(inline.height * 1.2);
    const text = await article().innerText();
    expect(text).toContain('it costs $5 and $10.');
    expect(await article().locator('code').allInnerTexts()).toEqual(['\\(\\unknown{x}\\)']);
    await expectReadable('article');
  });

  test('with code: colored, the same to the letter, and copied as it is shown', async () => {
    const code = "// a comment\nconst text = 'it is'; return 42 < 7;";
    upstream.write(`Code:\n\n\`\`\`ts\n${code}\n\`\`\``);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: weir.url });
    await open('model=writer');
    await say('Code');
    const block = article().locator('figure');
    await block.getByText('const', { exact: true }).waitFor();
    expect(await block.locator('code').textContent()).toBe(code);
    const colors = await block
      .locator('code span span')
      .evaluateAll((pieces) => pieces.map((piece) => getComputedStyle(piece).color));
    expect(new Set(colors).size).toBeGreaterThanOrEqual(4);
    await expectReadable('article');
    await block.getByRole('button', { name: 'Copy ts' }).click();
    await block.locator('button[data-outcome=copied]').waitFor();
    expect(await pasted(page)).toBe(code);
  });

  test('that is JSON is laid out, and its raw text is a press away', async () => {
    const raw = '{"answer":"yes","confidence":1.10,"parts":[1,2]}';
    upstream.write(raw);
    await open('model=writer');
    await say('JSON');
    const block = article().locator('figure');
    const pretty = '{\n  "answer": "yes",\n  "confidence": 1.10,\n  "parts": [\n    1,\n    2\n  ]\n}';
    await until(async () => (await block.locator('code').textContent()) === pretty);
    await block.getByRole('button', { name: 'Raw' }).focus();
    await page.keyboard.press('Enter');
    expect(await block.locator('code').textContent()).toBe(raw);
    await expectReadable('article');
  });

  test('that comes all at once is followed to its end', async () => {
    upstream.write(richText(sized(8_000, 20_000)));
    await open('model=writer&drawer=none');
    await say('Write.');
    const left = () =>
      article().evaluate((element) => {
        const box = element.closest('.overflow-y-auto');
        return box === null ? -1 : box.scrollHeight - box.scrollTop - box.clientHeight;
      });
    await until(async () => (await left()) < 48, 60_000, 'the end in sight');
  });
});

describe('several models', () => {
  test('answer side by side, each with its own facts, up to four of them', async () => {
    await open('model=sandbox-chat');
    await composer().waitFor();
    await button('Compare with a second model').click();
    await button('Compare with another model').click();
    await button('Compare with another model').click();
    expect(await button('Compare with another model').count()).toBe(0);
    await page
      .getByRole('button', { name: /^Remove .* from the comparison$/ })
      .last()
      .click();
    const asked = new URL(page.url()).searchParams.get('beside')?.split(',') ?? [];
    expect(asked.length).toBe(2);
    await visit(page, '/console/playground?model=sandbox-chat&beside=sandbox-reasoner,writer');
    upstream.write('Written by the third.');
    await say('What is 6 * 7?');
    const models = ['sandbox-chat', 'sandbox-reasoner', 'writer'];
    for (const model of models) await answer(model).getByText('First token').waitFor();
    const boxes = await Promise.all(models.map((model) => boxOf(answer(model))));
    expect(new Set(boxes.map(({ y }) => Math.round(y))).size).toBe(1);
    expect(Math.min(...boxes.map(({ width }) => width))).toBeGreaterThan(280);
    expect(await answer('writer').locator('dl').innerText()).toMatch(/up[\s\S]*First token/);
    expect(await answer('sandbox-chat').locator('dl').innerText()).toContain('sandbox');
    await expectReadable();
    await page.setViewportSize({ width: 390, height: 844 });
    const narrow = await Promise.all(models.map((model) => boxOf(answer(model))));
    expect(narrow.map(({ x }) => Math.round(x))).toEqual(narrow.map(() => Math.round(narrow[0]?.x ?? 0)));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  test('are kept by the conversation, and one can be left again', async () => {
    upstream.write('Written by the third.');
    await open('model=sandbox-chat&beside=sandbox-reasoner,writer');
    await say('Hello');
    const { searchParams } = new URL(page.url());
    await visit(page, `/console/playground?conversation=${searchParams.get('conversation')}`);
    await button('Model: writer').waitFor();
    await button('Remove sandbox-reasoner from the comparison').click();
    await button('Back to one model').click();
    await button('Compare with a second model').waitFor();
    expect(await button('Model: writer').count()).toBe(0);
  });
});

describe('below the answer', () => {
  test('are another try and the versions, by keyboard too', async () => {
    await open('model=sandbox-chat');
    await say('Hello');
    const again = article().getByRole('button', { name: 'Regenerate', exact: true });
    expect((await boxOf(again)).y).toBeGreaterThan((await boxOf(answer('sandbox-chat'))).y);
    await again.focus();
    await page.keyboard.press('Enter');
    await article().getByText('2/2').waitFor();
    await page.getByText('Streaming', { exact: true }).waitFor({ state: 'detached' });
    const versions = await boxOf(article().getByText('2/2'));
    const shown = await boxOf(answer('sandbox-chat'));
    expect(versions.y).toBeGreaterThanOrEqual(shown.y + shown.height);
    await article().getByRole('button', { name: 'Previous version' }).focus();
    await page.keyboard.press('Enter');
    await article().getByText('1/2').waitFor();
  });

  test('the facts are one line and the keys are all there, also beside a drawer', async () => {
    const { promise: untilLast, resolve: showsFirst } = Promise.withResolvers<void>();
    upstream.write('A reply of some length, so that its speed is known.', { wordsPerTick: 2, tickMs: 50, untilLast });
    await open('model=writer&drawer=settings');
    const said = say('Hello');
    await article().getByText('A reply').waitFor();
    // The page measures from its first words: more than the least span is over before the last ones come.
    await Bun.sleep(50);
    showsFirst();
    await said;
    const facts = page.getByRole('region', { name: 'Metrics of the last reply' });
    expect(await facts.locator('dl').innerText()).toMatch(/tokens\/s/);
    expect((await boxOf(facts.locator('dl'))).height).toBeLessThan(24);
    const keys = page.locator('#composer-keys');
    expect(await keys.evaluate((hint) => hint.scrollWidth <= hint.clientWidth)).toBe(true);
    expect(await keys.innerText()).toContain('↑');
  });
});

describe('on every tab', () => {
  const tabs = [
    ['Completions', 'Complete'],
    ['Embeddings', 'Embed'],
    ['Images', 'Generate'],
    ['Edits', 'Edit'],
    ['Speech', 'Generate'],
    ['Transcription', 'Transcribe a sample'],
    ['Rerank', 'Rerank'],
    ['Moderation', 'Check'],
  ] as const;

  test('it is said who served the call, what it used and what it cost, and that it is the sandbox', async () => {
    await open('model=sandbox-chat&tab=completions', smallDrafts);
    for (const [tab, press] of tabs) {
      await page.getByRole('tab', { name: tab, exact: true }).click();
      await button(press).click();
      const facts = page.getByRole('region', { name: 'Result' }).locator('dl').first();
      await facts.getByText('Cost').waitFor();
      expect([tab, await facts.innerText()]).toEqual([
        tab,
        expect.stringMatching(/sandbox-\w+[\s\S]*sandbox[\s\S]*\$0/),
      ]);
      expect([tab, await page.getByText('Sandbox', { exact: true }).filter({ visible: true }).count()]).toEqual([
        tab,
        1,
      ]);
    }
    expect(await page.getByRole('region', { name: 'Result' }).locator('dl').count()).toBeGreaterThan(0);
    await expectReadable();
  });

  test('a video says its provider at once and its cost once it is made', async () => {
    await open('tab=video', smallDrafts);
    await button('Generate').click();
    const card = page.getByRole('article');
    await card.getByText('Provider').waitFor();
    await card.getByText('$0').waitFor();
  });

  test('a live conversation says what to do while it is live, and what it used', async () => {
    await open('tab=realtime');
    await button('Start talking').click();
    await page.getByText('You are connected').waitFor();
    expect(await page.getByText('Press Start talking').count()).toBe(0);
    await button('Send').click();
    const facts = page.getByRole('region', { name: 'Conversation' }).locator('dl');
    await facts.getByText(/[1-9]\d* tokens in, [1-9]\d* out/).waitFor();
    expect(await facts.innerText()).toMatch(/sandbox[\s\S]*\$0/);
    await expectReadable();
    await button('Hang up').click();
  });

  test('who is signed in sees what the ledger says', async () => {
    use(ofOwner);
    upstream.write('Eight words of answer, written by the upstream.');
    await visitKeeping(page, '/console/playground?tab=completions&model=writer');
    const mine = button('Use my playground token');
    if (await mine.isVisible().catch(() => false)) await mine.click();
    else await Promise.race([mine.click(), button('Complete').waitFor()]);
    await button('Complete').click();
    const facts = page.getByRole('region', { name: 'Result' }).locator('dl');
    await facts.getByTitle('$0.000026').waitFor();
    await until(async () => !(await facts.innerText()).includes('about'));
    expect(await facts.innerText()).toMatch(/writer[\s\S]*up[\s\S]*10 in, 8 out/);
  });
});

test('a task shows its prompt where content is stored, and says so where it is not', async () => {
  const order = async (prompt: string) => {
    const reply = await fetch(`${weir.base}/video/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox-video', prompt, duration: 1, width: 64, height: 36, fps: 10 }),
    });
    const { task_id: id } = (await reply.json()) as { task_id: string };
    return { id, requestId: reply.headers.get('x-request-id') };
  };
  use(ofOwner);
  const silent = await order('a secret lake');
  await visit(page, `/console/tasks?task=${silent.id}`);
  await page.getByRole('dialog').getByText('The prompt is not stored.').waitFor();
  const { status } = await owner.call('PATCH', '/settings', {
    body: { values: { 'content_storage.requests': true } },
  });
  expect(status).toBe(200);
  // The setting reaches what serves requests a moment later.
  const ordered: Awaited<ReturnType<typeof order>>[] = [];
  let stored: string | undefined;
  await until(async () => {
    ordered.push(await order('a red boat at sea'));
    for (const { id, requestId } of ordered) {
      if ((await owner.get(`/usage/requests/${requestId}/content`)).status === 200) stored = id;
    }
    return stored !== undefined;
  });
  await visit(page, `/console/tasks?task=${stored}`);
  const prompt = page.getByRole('dialog').getByRole('heading', { name: 'Prompt' }).locator('xpath=ancestor::section');
  await prompt.getByText('a red boat at sea').first().waitFor();
});
