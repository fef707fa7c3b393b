/** The first hour in a real browser: the set-up page, the first paint, and the checklist of the empty overview. */

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
  visitFresh,
  type WatchedPage,
} from '../harness/browser.ts';
import { post } from '../harness/chat.ts';
import { ConsoleClient } from '../harness/console-client.ts';
import { enterAs, leavePerson, ownerName, ownerOf, passwordOf, personOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, beforeAll, describe, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

const wide = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;
const provider = startProvider();
let weir: RunningWeir;
let browser: Browser;
/** Of everyone here, one after the other: `enterAs` says whose it is. */
let watched: WatchedPage;

beforeAll(async () => {
  [weir, browser] = await Promise.all([startWeir(), launchBrowser()]);
  watched = await openPage(browser, wide);
});

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
  await provider.stop();
});

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

async function asAtFirst(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize(wide.viewport);
}

describe('before there is an account', () => {
  test('the links at the foot of the home page stand on one line with the text', async () => {
    const { page } = watched;
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
  });

  test('the first paint shows the outline of the page before the scripts have arrived', async () => {
    const { page } = watched;
    const released = Promise.withResolvers<void>();
    const scripts = /\/console\/assets\/(?!first-paint).*\.js$/;
    await page.route(scripts, async (route) => {
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
      await page.locator('h1').waitFor();
      expect(await page.locator('h1').count()).toBe(1);
    } finally {
      released.resolve();
      await page.unroute(scripts);
    }
  });

  test('the console names the command that prints a new link, and the link works', async () => {
    const { page } = watched;
    for (const { colorScheme, width } of looks) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await visitFresh(page, '/console');
      await page.getByText('npx weir set-up-link').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    }
    await asAtFirst(page);
  });

  test('what is wrong with the first account is said beside its field, in the product’s own words', async () => {
    const { page } = watched;
    const { stdout } = await weir.command('set-up-link');
    // From elsewhere: a link that differs only after the # would load nothing.
    await page.goto('about:blank');
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
  });
});

/** Made in the browser by the test before, or by the link of the banner where that one did not run. */
async function ownerHere(): Promise<ConsoleClient> {
  const owner = new ConsoleClient(weir);
  const { status } = await owner.signIn(ownerName, passwordOf(ownerName));
  return status === 200 ? owner : ownerOf(weir);
}

describe('the checklist', () => {
  let owner: ConsoleClient;

  beforeAll(async () => {
    owner = await ownerHere();
    await watched.page.goto(`${weir.url}/console`);
    watched.take();
  });

  test('each role sees what it can do', async () => {
    const { page } = watched;
    for (const role of ['member', 'viewer'] as const satisfies readonly Role[]) {
      const person = await personOf(weir, owner, role);
      await leavePerson(page);
      await enterAs(watched, weir, person);
      await page.goto(`${weir.url}/console`);
      await step(page, 'Use this base URL', 'To do').waitFor();
      await page.getByText(role === 'member' ? 'An administrator adds providers.' : 'An administrator adds').waitFor();
      expect(await page.getByRole('button', { name: 'Add provider' }).count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Create a token' }).count()).toBe(role === 'member' ? 1 : 0);
      expect(await page.getByRole('button', { name: 'Try it in the playground' }).count()).toBe(
        role === 'member' ? 1 : 0,
      );
    }
  });

  for (const { colorScheme, width } of looks) {
    test(`breaks no accessibility rule in the ${colorScheme} theme at ${width} px`, async () => {
      const { page } = watched;
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 900 });
      await enterAs(watched, weir, owner);
      await visitFresh(page, '/console');
      await step(page, 'Send the first request', 'To do').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(watched.take().complaints).toEqual([]);
      await asAtFirst(page);
    });
  }

  test('a dismissed one stays away in this browser', async () => {
    const { page } = watched;
    await enterAs(watched, weir, owner);
    await visitFresh(page, '/console');
    await page.getByRole('button', { name: 'Dismiss the checklist' }).click();
    await page.getByText('No requests yet').waitFor();
    await page.reload();
    await page.getByText('No requests yet').waitFor();
    expect(await page.getByRole('heading', { name: 'Get started' }).count()).toBe(0);
    await page.evaluate(() => localStorage.clear());
  });

  test('its steps are done one by one, the last by itself, and it does not come back', async () => {
    const { page } = watched;
    await enterAs(watched, weir, owner);
    await visitFresh(page, '/console');
    await page.getByText(`${weir.url}/v1`, { exact: true }).waitFor();
    await page
      .getByRole('button', { name: /^Copy the base URL/ })
      .first()
      .click();
    await step(page, 'Use this base URL', 'Done').waitFor();

    await page.getByRole('button', { name: 'Add provider' }).click();
    await page.getByRole('combobox', { name: 'Find a provider' }).waitFor();
    await owner.post('/providers', providerOf(provider.base));
    await visitFresh(page, '/console');
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
    expect(watched.take().complaints).toEqual([]);
  });
});
