/** Providers and models from a browser: what is added, led and priced there is what the next request meets; what the file says stays the file's. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Locator, Page } from 'playwright-core';
import type { UsageRowView } from '../../src/admin/contracts/contract.ts';
import {
  accessibilityFaults,
  browserTimeoutMs,
  dialog,
  launchBrowser,
  leaveBrowser,
  visit,
  visitFresh,
  type WatchedPage,
} from '../harness/browser.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { enterAs, leavePerson, openAs, ownerOf, personOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, afterEach, beforeAll, describe, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

const goodKey = `canary-good-${crypto.randomUUID()}`;
const wrongKey = `canary-wrong-${crypto.randomUUID()}`;

/** A provider that knows one key, and fails where it is told to. */
function startProvider(models: readonly string[]) {
  const asked: string[] = [];
  const state = { fails: false };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const key = request.headers.get('authorization')?.replace('Bearer ', '') ?? '';
      const { pathname } = new URL(request.url);
      if (key !== goodKey) {
        return Response.json({ error: { message: `Incorrect key ${key}`, code: 'invalid_api_key' } }, { status: 401 });
      }
      if (pathname === '/v1/models') return Response.json({ object: 'list', data: models.map((id) => ({ id })) });
      if (state.fails) return Response.json({ error: { message: 'overturned' } }, { status: 500 });
      const { model } = (await request.json()) as { model: string };
      asked.push(model);
      const choices = [
        { index: 0, message: { role: 'assistant', content: `from ${model}`, refusal: null }, finish_reason: 'stop' },
      ];
      const usage = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 };
      return Response.json({ id: 'c', object: 'chat.completion', created: 1, model, choices, usage });
    },
  });
  return { base: `http://127.0.0.1:${server.port}/v1`, asked, state, stop: () => server.stop(true) };
}

const added = startProvider(['added-large', 'added-small']);
const filed = startProvider(['filed-model']);
let weir: RunningWeir;
let browser: Browser;
let owner: ConsoleClient;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  const yaml = {
    providers: { filed: { kind: 'openai-chat', base_url: filed.base, key: goodKey } },
    models: { 'from-file': { targets: [{ provider: 'filed', model: 'filed-model' }] } },
    clocks: { patience_ms: 0 },
  };
  [weir, browser] = await Promise.all([startWeir({ yaml }), launchBrowser()]);
  owner = await ownerOf(weir);
  watched = await openAs(browser, weir, owner, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  page = watched.page;
  page.setDefaultTimeout(60_000);
  await page.goto(`${weir.url}/console`);
}, browserTimeoutMs);

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
  added.stop();
  filed.stop();
});

afterEach(() => {
  const { complaints } = watched.take();
  expect(complaints.filter((text) => !/status of 40[04]/.test(text))).toEqual([]);
});

/** Asked for again, because tests also change from elsewhere what the pages show. */
const goTo = (path: string) => visitFresh(page, path);
const shownText = (): Promise<string> => page.locator('body').innerText();
const panel = (): Locator => page.getByRole('dialog');

async function say(model: string): Promise<Response> {
  return fetch(`${weir.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
  });
}

const answerOf = async (model: string): Promise<string> => {
  const reply = await say(model);
  const { choices } = (await reply.json()) as { choices?: { message: { content: string } }[] };
  return choices?.[0]?.message.content ?? `${reply.status}`;
};

/** Rows are written a moment after their replies. */
async function costOfNext(model: string): Promise<string> {
  const requestId = (await say(model)).headers.get('x-request-id') ?? '';
  let row: UsageRowView | undefined;
  await until(async () => {
    row = ((await owner.get(`/usage/requests/${requestId}`)).body as { row?: UsageRowView }).row;
    return row !== undefined;
  });
  return row?.costUsd ?? '';
}

describe('a provider', () => {
  test('is added in three steps by keyboard: a wrong key shows the exact refusal, a right one the models', async () => {
    await goTo('/console/providers');
    await page.getByRole('link', { name: 'filed' }).waitFor();
    await page.getByRole('button', { name: 'Add provider' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Find a provider' }).waitFor();
    await page.keyboard.type('openai-chat');
    await page.keyboard.press('Enter');
    await panel().getByLabel('Key', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('add')).toBe('openai-chat');
    // As if pasted, which is how keys are entered.
    await page.keyboard.insertText(wrongKey);
    await page.keyboard.press('Tab');
    await page.keyboard.insertText(added.base);
    await panel().getByLabel('Name').fill('added');
    await page.keyboard.press('Enter');
    const refusal = panel().getByRole('alert');
    await refusal.waitFor();
    const said = await refusal.innerText();
    expect(said).toContain('Status 401');
    expect(said).toContain('invalid_api_key');
    expect(said).toContain('Check the key');
    expect(await shownText()).not.toContain(wrongKey);
    await panel().getByLabel('Key', { exact: true }).fill(goodKey);
    await page.keyboard.press('Enter');
    await panel().getByText('2 models found').waitFor();
    await panel().getByText('added-large').waitFor();
    // Nothing is kept until it is added.
    expect(JSON.stringify((await owner.get('/providers')).body)).not.toContain(added.base);
    await page.keyboard.press('Enter');
    await panel().getByRole('heading', { name: 'Connection' }).waitFor();
    expect(new URL(page.url()).searchParams.get('provider')).toBe('added');
    expect(await page.content()).not.toContain(goodKey);
    expect(await answerOf('added-large')).toBe('from added-large');
  });

  test('of the file is locked and says where it is set', async () => {
    await goTo('/console/providers?provider=filed');
    await panel()
      .getByText(/is configured in weir\.yaml.* and can only be changed there/)
      .waitFor();
    for (const name of ['Edit', 'Add key', 'Drain', 'Disable', 'Delete']) {
      expect(await panel().getByRole('button', { name, exact: true }).count()).toBe(0);
    }
    // Trying it is no change.
    await panel().getByRole('button', { name: 'Test', exact: true }).click();
    await panel().getByText('1 model found').waitFor();
    await goTo('/console/models?model=from-file&view=route');
    await panel()
      .getByText(/This route is configured in weir\.yaml/)
      .waitFor();
    expect(await panel().locator('button[data-target]').count()).toBe(0);
  });

  test('gets another address, header and key, drains, and can be exported', async () => {
    await goTo('/console/providers?provider=added');
    await panel().getByRole('button', { name: 'Edit' }).click();
    await panel().getByLabel('Region').fill('eu');
    await panel().getByLabel('Extra headers').fill('no header');
    await panel().getByText('Enter one header per line').waitFor();
    await panel().getByLabel('Extra headers').fill('x-team: blue');
    await panel().getByLabel('Base URL').fill('ftp://nowhere');
    await panel().getByRole('button', { name: 'Save' }).click();
    await panel().locator('[aria-invalid]').waitFor();
    await panel().getByLabel('Base URL').fill(added.base);
    await panel().getByRole('button', { name: 'Save' }).click();
    await panel().getByText('x-team: blue').waitFor();
    await panel().getByRole('button', { name: 'Add key' }).click();
    await panel().getByLabel('Key', { exact: true }).fill(`${goodKey}-second`);
    await panel().getByLabel('Name').fill('spare');
    await page.keyboard.press('Enter');
    await panel().getByRole('button', { name: 'Remove key spare' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Key spare removed.').waitFor();
    expect(await panel().getByText('spare').count()).toBe(0);
    await panel().getByRole('button', { name: 'Drain' }).click();
    await panel().getByRole('button', { name: 'Resume' }).waitFor();
    expect((await say('added-large')).status).toBeGreaterThanOrEqual(400);
    await panel().getByRole('button', { name: 'Resume' }).click();
    await panel().getByRole('button', { name: 'Drain' }).waitFor();
    expect(await answerOf('added-large')).toBe('from added-large');
    await goTo('/console/providers?export=1');
    const yaml = await page.locator('figure', { hasText: 'weir.yaml' }).locator('code').innerText();
    expect(yaml).toContain(added.base);
    expect(yaml).not.toContain(goodKey);
  });

  test('whose address changes asks for its key again, and says what was removed', async () => {
    const entry = { kind: 'openai-chat', base_url: added.base, headers: { 'x-secret': 'hidden-0123456789abc' } };
    await owner.post('/providers', { name: 'moving', entry, keys: [{ value: goodKey }] });
    await goTo('/console/providers?provider=moving');
    await panel().getByRole('button', { name: 'Edit' }).click();
    const address = panel().getByLabel('Base URL');
    await address.fill(filed.base);
    await panel().getByText('Keys only work with the base URL they were added for').waitFor();
    await panel().getByRole('button', { name: 'Save' }).click();
    await panel().getByText('Keys were removed because base_url changed. Enter them again.').waitFor();
    await panel().getByText('Headers x-secret were removed because base_url changed').waitFor();
    expect(await accessibilityFaults(page, dialog)).toEqual([]);
    await panel().getByRole('button', { name: 'Add key' }).click();
    await panel().getByLabel('Key', { exact: true }).fill(goodKey);
    await page.keyboard.press('Enter');
    await panel().getByText('key-1').waitFor();
    expect(await panel().getByText('Keys were removed').count()).toBe(0);
    await panel().getByRole('button', { name: 'Edit' }).click();
    await address.fill(added.base);
    await panel().getByLabel('Key', { exact: true }).fill(goodKey);
    await panel().getByRole('button', { name: 'Save' }).click();
    await panel().getByRole('button', { name: 'Edit' }).waitFor();
    await panel().getByText('key-1').waitFor();
    await owner.call('DELETE', '/providers/moving');
  });
});

describe('adding a provider', () => {
  const found = (name: string) => page.getByRole('option', { name: new RegExp(name) }).first();

  test('each is found by the words that people know', async () => {
    await goTo('/console/providers?add=-');
    const search = page.getByRole('combobox', { name: 'Find a provider' });
    for (const [word, title] of [
      ['custom', 'OpenAI-compatible server'],
      ['openai compatible', 'OpenAI-compatible server'],
      ['claude', 'Anthropic'],
      ['gpt', 'OpenAI'],
      ['qwen', 'Alibaba DashScope'],
      ['llama', 'Meta Model API'],
      ['gemini', 'Google Gemini'],
      ['azure', 'Azure OpenAI'],
      ['local', 'Ollama'],
      ['grok', 'XAI'],
    ] as const) {
      await search.fill(word);
      await found(title).waitFor();
    }
    await search.fill('some server of my own');
    await page.getByText('No preset matches “some server of my own”.').first().waitFor();
    expect(await page.getByRole('option').count()).toBe(1);
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).searchParams.get('add')).toBe('openai-chat');
  });

  test('a base URL without its scheme says what to add, and one press adds it', async () => {
    await goTo('/console/providers?add=openai-chat');
    const field = page.getByLabel('Base URL');
    await field.fill('127.0.0.1:24090/v1');
    await page.keyboard.press('Tab');
    await page.getByText('Add http:// or https:// in front.').waitFor();
    expect(await accessibilityFaults(page, dialog)).toEqual([]);
    await page.getByRole('button', { name: 'Use http://127.0.0.1:24090/v1' }).click();
    expect(await field.inputValue()).toBe('http://127.0.0.1:24090/v1');
    expect(await page.getByText('Add http:// or https:// in front.').count()).toBe(0);
  });

  test('one of the file is paused and resumed, and says so while it is', async () => {
    await goTo('/console/providers?provider=filed');
    const panel = page.getByRole('dialog', { name: /filed/ });
    await panel.getByRole('button', { name: 'Pause' }).click();
    await panel.getByText(/Paused in the console since \d/).waitFor();
    await panel.getByText('Paused in the console', { exact: true }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await panel.getByRole('button', { name: 'Resume' }).click();
    await panel.getByRole('button', { name: 'Pause' }).waitFor();
    expect(await panel.getByText(/Paused in the console since/).count()).toBe(0);
  });
});

/** Types the name of a model of a provider and adds it to the route. */
async function addTarget(provider: string, model: string): Promise<void> {
  await panel().getByLabel('Provider', { exact: true }).selectOption(provider);
  await panel().getByLabel('Model', { exact: true }).fill(model);
  await page.keyboard.press('Enter');
  await panel().locator('[data-target]', { hasText: model }).waitFor();
}

describe('a model', () => {
  test('an alias with two tiers is made by keyboard; requests take its way, and explain tells it', async () => {
    await goTo('/console/models');
    await page.getByRole('button', { name: 'Create alias' }).focus();
    await page.keyboard.press('Enter');
    await panel().getByLabel('Name').fill('house');
    await addTarget('added', 'added-small');
    await addTarget('filed', 'filed-model');
    // A second target is a fallback of the first one; it has the focus and is moved there and back.
    await page.keyboard.press('ArrowLeft');
    await panel().getByText('filed/filed-model is now in tier 1.').waitFor();
    await page.keyboard.press('ArrowRight');
    await panel().getByText('filed/filed-model is now in tier 2.').waitFor();
    await page.keyboard.press('+');
    await panel().getByText('filed/filed-model now has weight 2.').waitFor();
    await panel().getByRole('button', { name: 'Create alias' }).click();
    await panel().getByRole('button', { name: 'Delete alias' }).waitFor();
    expect(new URL(page.url()).searchParams.get('model')).toBe('house');
    expect(await answerOf('house')).toBe('from added-small');
    added.state.fails = true;
    expect(await answerOf('house')).toBe('from filed-model');
    added.state.fails = false;
    await panel().getByRole('tab', { name: 'Explain' }).click();
    await panel().getByRole('button', { name: 'Explain' }).click();
    const candidates = panel().getByRole('region', { name: 'Tried in this order' }).locator('ol > li');
    await candidates.nth(1).waitFor();
    const [first = '', second = ''] = await candidates.allInnerTexts();
    expect([first.includes('added/added-small'), second.includes('filed/filed-model')]).toEqual([true, true]);
    expect(second).toContain('Tier 2');
    expect(await accessibilityFaults(page, dialog)).toEqual([]);
  });

  test('a box is dragged into another tier, typed terms are kept, and what is undone is not', async () => {
    await goTo('/console/models?model=house&view=route');
    const box = panel().locator('[data-target]', { hasText: 'filed-model' });
    const from = await box.boundingBox();
    const to = await panel().locator('[data-target]', { hasText: 'added-small' }).boundingBox();
    if (from === null || to === null) throw new Error('no boxes');
    await page.mouse.move(from.x + 20, from.y + 20);
    await page.mouse.down();
    await page.mouse.move(to.x + 40, to.y + 30, { steps: 6 });
    await page.mouse.up();
    await panel().getByText('filed/filed-model is now in tier 1.').waitFor();
    // 2 of 3.
    await box.getByText('67%').waitFor();
    await panel().getByRole('button', { name: 'Discard changes' }).click();
    await box.getByText('67%').waitFor({ state: 'detached' });
    await box.click();
    await panel().getByLabel('First-token timeout (ms)').fill('1500');
    await panel().getByText('Conditions').click();
    await panel().getByLabel('Token labels').fill('vip, vip staff');
    await panel().getByLabel('Load balancing within a tier').selectOption('least_busy');
    await panel().getByRole('button', { name: 'Save route' }).click();
    await page.getByText('Saved route house.').waitFor();
    const { items } = (await owner.get('/routes')).body as { items: { alias: string; entry: unknown }[] };
    expect(items.find(({ alias }) => alias === 'house')?.entry).toEqual({
      targets: [
        { provider: 'added', model: 'added-small' },
        {
          provider: 'filed',
          model: 'filed-model',
          first_event_timeout_ms: 1_500,
          only: { labels: ['vip', 'staff'] },
          weight: 2,
          tier: 1,
        },
      ],
      choose: 'least_busy',
    });
  });

  test('an own price is what the next request is charged by', async () => {
    expect(await costOfNext('added-large')).not.toBe('0.004');
    await goTo('/console/models?filter=added-large');
    await page.locator('tbody tr', { hasText: 'added-large' }).click();
    await panel().getByRole('tab', { name: 'Prices' }).click();
    await panel().getByRole('button', { name: 'Set price' }).click();
    await panel().getByLabel('Input', { exact: true }).fill('2');
    await page.keyboard.press('Enter');
    await panel().getByText('Enter both input and output prices').waitFor();
    await panel().getByLabel('Output', { exact: true }).fill('4');
    await page.keyboard.press('Enter');
    await page.getByText('It applies to new requests').waitFor();
    await panel().getByText('custom', { exact: true }).waitFor();
    // 1,000 tokens in at 2 dollars for a million, 500 out at 4.
    expect(await costOfNext('added-large')).toBe('0.004');
    await page.locator('tbody tr', { hasText: '$4.00' }).waitFor();
  });

  test('an alias goes when it is deleted, and a provider says what stops with it', async () => {
    await goTo('/console/models?model=house&view=route');
    await panel().getByRole('button', { name: 'Delete alias' }).click();
    const asking = page.getByRole('dialog', { name: 'Delete alias house?' });
    await asking.getByRole('button', { name: 'Delete alias' }).click();
    await page.getByText('Deleted alias house.').waitFor();
    expect((await say('house')).status).toBe(404);
    await goTo('/console/providers?provider=added');
    await panel().getByRole('button', { name: 'Delete' }).click();
    await page.getByText('It serves 2 models.').waitFor();
    await page.keyboard.press('Escape');
    expect(await answerOf('added-large')).toBe('from added-large');
  });
});

describe('everybody', () => {
  const views = {
    light: ['/console/providers?provider=added', '/console/models?model=from-file'],
    dark: [
      '/console/providers?add=openai-chat',
      '/console/models?alias=from-file',
      '/console/models?model=from-file&view=prices',
    ],
  } as const;
  for (const [colorScheme, width] of [
    ['light', 1440],
    ['dark', 390],
  ] as const) {
    test(`can read both pages in ${colorScheme} at ${width} px`, async () => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      for (const path of views[colorScheme]) {
        await goTo(path);
        await page.locator('main [data-card], main tbody td code').first().waitFor();
        await page.waitForFunction(() => document.querySelector('[role=dialog] .animate-breathe') === null);
        expect([path, await accessibilityFaults(page, dialog)]).toEqual([path, []]);
        expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, width]);
      }
    });
  }

  test('a viewer sees no button that would be refused', async () => {
    const viewer = await personOf(weir, owner, 'viewer');
    await leavePerson(page);
    await enterAs(watched, weir, viewer);
    try {
      await page.goto(`${weir.url}/console/providers?provider=added`);
      await panel().getByRole('heading', { name: 'Keys' }).waitFor();
      for (const name of ['Add provider', 'Test', 'Edit', 'Add key', 'Drain', 'Delete']) {
        expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
      }
      await visit(page, '/console/models?model=added-large');
      await page.getByRole('tab', { name: 'Prices' }).waitFor();
      expect(await page.getByRole('tab', { name: 'Explain' }).count()).toBe(0);
      expect(watched.take().complaints).toEqual([]);
    } finally {
      await enterAs(watched, weir, owner);
    }
  });
});
