/** The first hour in a real browser: the set-up page, the checklist of the empty overview, and adding a provider by whatever word one knows. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Locator, Page } from 'playwright-core';
import type { Role } from '../../src/access/account.ts';
import {
  accessibilityFaults,
  browserTimeoutMs,
  launchBrowser,
  leaveBrowser,
  looks,
  openPage,
} from '../harness/browser.ts';
import { post } from '../harness/chat.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { openAs, ownerName, ownerOf, passwordOf, personOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, beforeAll, describe, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

const wide = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(() => leaveBrowser(browser));

const model = 'acme-large';
const providerOf = (base: string) => ({
  name: 'acme',
  entry: { kind: 'openai-chat', base_url: base, models: [model] },
  keys: [{ value: 'sk-4f81c07be2d94a6f' }],
});

/** Answers every conversation. */
function startProvider() {
  const choices = [
    { index: 0, message: { role: 'assistant', content: 'Hello', refusal: null }, finish_reason: 'stop' },
  ];
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => Response.json({ id: 'c', object: 'chat.completion', created: 1, model, choices, usage }),
  });
  return { base: `http://127.0.0.1:${server.port}/v1`, stop: () => server.stop(true) };
}

const step = (page: Page, title: string, state: 'Done' | 'To do'): Locator =>
  page.getByRole('heading', { name: `${title} (${state})` });

describe('before there is an account', () => {
  let weir: RunningWeir;
  beforeAll(async () => {
    weir = await startWeir();
  });
  afterAll(() => weir?.remove());

  test('the console names the command that prints a new link, and the link works', async () => {
    for (const { colorScheme, width } of looks) {
      const { page, close } = await openPage(browser, { colorScheme, viewport: { width, height: 900 } });
      await page.goto(`${weir.url}/console`);
      await page.getByText('npx weir set-up-link').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await close();
    }
  });

  test('what is wrong with the first account is said beside its field, in the product’s own words', async () => {
    const { page, close } = await openPage(browser, wide);
    const { stdout } = await weir.command('set-up-link');
    await page.goto(stdout.trim());
    await page.getByText('You sign in with this name.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill('short');
    await page.keyboard.press('Enter');
    await page.getByText('Enter a name.').waitFor();
    await page.getByText('Use at least 10 characters.').waitFor();
    const field = page.getByLabel('Password', { exact: true });
    expect(await field.evaluate((input: HTMLInputElement) => [input.willValidate && !input.checkValidity()])).toEqual([
      false,
    ]);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByLabel('Sign-in name').fill(ownerName);
    await field.fill(passwordOf(ownerName));
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: 'Overview' }).waitFor();
    await close();
  });
});

describe('the checklist', () => {
  let weir: RunningWeir;
  let owner: ConsoleClient;
  const provider = startProvider();

  beforeAll(async () => {
    weir = await startWeir();
    owner = await ownerOf(weir);
  });
  afterAll(async () => {
    await weir?.remove();
    await provider.stop();
  });

  test('each role sees what it can do', async () => {
    for (const role of ['member', 'viewer'] as const satisfies readonly Role[]) {
      const person = await personOf(weir, owner, role);
      const { page, close } = await openAs(browser, weir, person, wide);
      await page.goto(`${weir.url}/console`);
      await step(page, 'Use this base URL', 'To do').waitFor();
      await page.getByText(role === 'member' ? 'An administrator adds providers.' : 'An administrator adds').waitFor();
      expect(await page.getByRole('button', { name: 'Add provider' }).count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Create a token' }).count()).toBe(role === 'member' ? 1 : 0);
      expect(await page.getByRole('button', { name: 'Try it in the playground' }).count()).toBe(
        role === 'member' ? 1 : 0,
      );
      await close();
    }
  });

  for (const { colorScheme, width } of looks) {
    test(`breaks no accessibility rule in the ${colorScheme} theme at ${width} px`, async () => {
      const { page, complaints, close } = await openAs(browser, weir, owner, {
        colorScheme,
        viewport: { width, height: 900 },
        reducedMotion: 'reduce',
      });
      await page.goto(`${weir.url}/console`);
      await step(page, 'Send the first request', 'To do').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(complaints).toEqual([]);
      await close();
    });
  }

  test('a dismissed one stays away in this browser', async () => {
    const { page, close } = await openAs(browser, weir, owner, wide);
    await page.goto(`${weir.url}/console`);
    await page.getByRole('button', { name: 'Dismiss the checklist' }).click();
    await page.getByText('No requests yet').waitFor();
    await page.reload();
    await page.getByText('No requests yet').waitFor();
    expect(await page.getByRole('heading', { name: 'Get started' }).count()).toBe(0);
    await close();
  });

  test('its steps are done one by one, the last by itself, and it does not come back', async () => {
    const { page, complaints, close } = await openAs(browser, weir, owner, wide);
    await page.goto(`${weir.url}/console`);
    await page.getByText(`${weir.url}/v1`, { exact: true }).waitFor();
    await page
      .getByRole('button', { name: /^Copy the base URL/ })
      .first()
      .click();
    await step(page, 'Use this base URL', 'Done').waitFor();

    await page.getByRole('button', { name: 'Add provider' }).click();
    await page.getByRole('combobox', { name: 'Find a provider' }).waitFor();
    await owner.post('/providers', providerOf(provider.base));
    await page.goto(`${weir.url}/console`);
    await step(page, 'Add a provider', 'Done').waitFor();
    await page.getByText('Connected: acme').waitFor();

    await page.getByRole('button', { name: 'Create a token' }).click();
    await page.getByLabel('Name', { exact: true }).fill('first app');
    await page.keyboard.press('Enter');
    const token = await page.locator('[data-secret]').innerText();
    // A model that is really served, so that what is pasted works.
    await page.getByRole('tabpanel').getByText(model).first().waitFor();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /stored|saved/ })
      .click();
    await page.getByRole('link', { name: 'Overview' }).first().click();
    await step(page, 'Create a token', 'Done').waitFor();
    await page.getByText(`A first request to ${model}`).waitFor();

    // Also an operation beside conversations: the usual token is not narrower than its owner thinks.
    const body = { model, messages: [{ role: 'user', content: 'Hello' }] };
    expect((await post({ base: weir.base, token }, body)).status).toBe(200);
    const embedded = await fetch(`${weir.base}/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox-embed', input: 'Hello' }),
    });
    expect(embedded.status).toBe(200);
    await page.getByText('Setup is complete. Your first request has arrived.').waitFor();
    await page.getByRole('link', { name: 'View the request' }).click();
    await page.getByRole('dialog').getByText(model).first().waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.goto(`${weir.url}/console`);
    await page.locator('[data-figure=requests]').waitFor();
    expect(await page.getByText(/Setup is complete|Get started/).count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });
});

describe('adding a provider', () => {
  let weir: RunningWeir;
  let page: Page;

  beforeAll(async () => {
    weir = await startWeir({
      yaml: {
        providers: { filed: { kind: 'openai-chat', base_url: 'http://127.0.0.1:9/v1', models: ['m'], key: 'k' } },
      },
    });
    ({ page } = await openAs(browser, weir, await ownerOf(weir), wide));
    page.setDefaultTimeout(60_000);
  });
  afterAll(() => weir?.remove());

  const found = (name: string) => page.getByRole('option', { name: new RegExp(name) }).first();

  test('each is found by the words that people know', async () => {
    await page.goto(`${weir.url}/console/providers?add=-`);
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
    await page.goto(`${weir.url}/console/providers?add=openai-chat`);
    const field = page.getByLabel('Base URL');
    await field.fill('127.0.0.1:24090/v1');
    await page.keyboard.press('Tab');
    await page.getByText('Add http:// or https:// in front.').waitFor();
    expect(await accessibilityFaults(page, '[role=dialog]')).toEqual([]);
    await page.getByRole('button', { name: 'Use http://127.0.0.1:24090/v1' }).click();
    expect(await field.inputValue()).toBe('http://127.0.0.1:24090/v1');
    expect(await page.getByText('Add http:// or https:// in front.').count()).toBe(0);
  });

  test('one of the file is paused and resumed, and says so while it is', async () => {
    await page.goto(`${weir.url}/console/providers?provider=filed`);
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

describe('the first paint', () => {
  test('shows the outline of the page before the scripts have arrived', async () => {
    const weir = await startWeir();
    const { page, close } = await openPage(browser, wide);
    const released = Promise.withResolvers<void>();
    await page.route(/\/console\/assets\/(?!first-paint).*\.js$/, async (route) => {
      await released.promise;
      await route.continue();
    });
    try {
      void page.goto(`${weir.url}/console`);
      const outline = page.locator('.outline nav');
      await outline.waitFor();
      expect((await outline.boundingBox())?.width).toBe(208);
      released.resolve();
      await outline.waitFor({ state: 'detached' });
      await until(async () => (await page.locator('h1').count()) === 1);
    } finally {
      released.resolve();
      await close();
      await weir.remove();
    }
  });

  test('the links at the foot of the home page stand on one line with the text', async () => {
    const weir = await startWeir();
    const { page, close } = await openPage(browser, wide);
    try {
      await page.goto(weir.url);
      const baselines = await page.evaluate(() =>
        [...document.querySelectorAll('footer > span, footer a')].map((element) => {
          const range = document.createRange();
          range.selectNodeContents(element);
          return Math.round(range.getBoundingClientRect().bottom);
        }),
      );
      expect(new Set(baselines).size).toBe(1);
      await page.getByRole('link', { name: 'in the console' }).waitFor();
    } finally {
      await close();
      await weir.remove();
    }
  });
});
