/** What someone typed outlives their session, and what is shown while Weir is away says so and recovers by itself. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { OwnedTokenView, PageView } from '../../src/admin/contracts/contract.ts';
import {
  accessibilityFaults,
  browserTimeoutMs,
  dialog,
  launchBrowser,
  leaveBrowser,
  looks,
  openPage,
} from '../harness/browser.ts';
import { ConsoleClient } from '../harness/console-client.ts';
import { enterAs, ownerName, ownerOf, passwordOf, personOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, beforeAll, describe, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

let weir: RunningWeir;
let browser: Browser;
let owner: ConsoleClient;
let shared: Page;

beforeAll(async () => {
  [weir, browser] = await Promise.all([startWeir(), launchBrowser()]);
  owner = await ownerOf(weir);
  await personOf(weir, owner, 'admin');
  shared = (await openPage(browser, wide)).page;
});

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
});

const wide = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;

/** The page that the tests share, loaded in a session of its own. */
async function pageAt(path: string, { viewport, colorScheme = null }: BrowserContextOptions = wide): Promise<Page> {
  const person = new ConsoleClient(weir);
  await person.signIn(ownerName, passwordOf(ownerName));
  await enterAs({ page: shared }, weir, person);
  await shared.setViewportSize(viewport ?? wide.viewport);
  await shared.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  return load(shared, path);
}

async function load(page: Page, path: string): Promise<Page> {
  page.setDefaultTimeout(60_000);
  await page.goto(`${weir.url}/console/${path}`);
  return page;
}

/** On the server alone: the page does not know yet. */
async function endSession(page: Page): Promise<void> {
  const [cookie] = await page.context().cookies();
  await fetch(`${weir.url}/console/api/session`, {
    method: 'DELETE',
    headers: { cookie: `${cookie?.name}=${cookie?.value}`, origin: weir.url },
  });
}

const signIn = (page: Page) => page.getByRole('dialog', { name: 'Your session has ended' });

async function tokenNames(): Promise<readonly string[]> {
  const { items } = (await owner.get('/tokens?limit=100')).body as PageView<OwnedTokenView>;
  return items.map(({ name }) => name);
}

describe('a session that ended while someone typed', () => {
  test('is signed in again in place, by keyboard alone, and the form is saved as it was', async () => {
    const page = await pageAt('tokens?new=everything');
    await page.getByLabel('Name', { exact: true }).fill('typed before the end');
    await page.getByLabel('Budget (USD)').fill('7');
    await endSession(page);
    await page.keyboard.press('Enter');
    await signIn(page).waitFor();
    expect(await signIn(page).getByLabel('Name').inputValue()).toBe(ownerName);
    // The password has the focus: the name is known.
    await page.keyboard.type('not the password');
    await page.keyboard.press('Enter');
    await signIn(page).getByRole('alert').waitFor();
    await signIn(page).getByLabel('Password', { exact: true }).fill(passwordOf(ownerName));
    await page.keyboard.press('Enter');
    await signIn(page).waitFor({ state: 'detached' });
    await page.locator('[data-secret]').waitFor();
    expect(await tokenNames()).toContain('typed before the end');
  });

  test('an empty password is said beside the field; Escape does not lose the page; leaving leads to the sign-in', async () => {
    const page = await pageAt('tokens?new=everything');
    await page.getByLabel('Name', { exact: true }).fill('left');
    await endSession(page);
    await page.keyboard.press('Enter');
    await signIn(page).waitFor();
    await page.keyboard.press('Enter');
    await signIn(page).getByText('Enter the password.').waitFor();
    await page.keyboard.press('Escape');
    expect(await signIn(page).isVisible()).toBe(true);
    await signIn(page).getByRole('button', { name: 'Leave this page' }).click();
    await page.locator('h1', { hasText: 'Sign in' }).waitFor();
    expect(await tokenNames()).not.toContain('left');
  });

  test('another account that signs in there gets the page anew and nothing of the form', async () => {
    const page = await pageAt('tokens?new=everything');
    await page.getByLabel('Name', { exact: true }).fill('of someone else');
    await endSession(page);
    await page.keyboard.press('Enter');
    await signIn(page).waitFor();
    await signIn(page).getByLabel('Name').fill('admin');
    const loaded = page.waitForEvent('load');
    await signIn(page).getByLabel('Password', { exact: true }).fill(passwordOf('admin'));
    await page.keyboard.press('Enter');
    await loaded;
    await page.locator('h1', { hasText: 'Tokens' }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Account and preferences' }).click();
    await page.getByText('admin, administrator').waitFor();
    expect(await tokenNames()).not.toContain('of someone else');
  });

  for (const { colorScheme, width } of looks) {
    test(`breaks no accessibility rule in the ${colorScheme} theme at ${width} px`, async () => {
      const page = await pageAt('tokens?new=everything', { colorScheme, viewport: { width, height: 800 } });
      await page.getByLabel('Name', { exact: true }).fill('x');
      await endSession(page);
      await page.keyboard.press('Enter');
      await signIn(page).waitFor();
      expect(await accessibilityFaults(page, dialog)).toEqual([]);
      await signIn(page).getByRole('button', { name: 'Leave this page' }).click();
      await page.locator('h1', { hasText: 'Sign in' }).waitFor();
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('Enter a name.').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });
  }
});

const banner = (page: Page) => page.getByText('Connection lost.');

describe('a connection that was lost', () => {
  let overview: Page;
  let tokens: Page;
  let settings: Page;
  let form: Page;
  let signedOut: Page;

  beforeAll(async () => {
    overview = await pageAt('');
    const beside = async (path: string) => load(await overview.context().newPage(), path);
    [tokens, settings, form] = await Promise.all([
      beside('tokens'),
      beside('settings'),
      beside('tokens?new=everything'),
    ]);
    signedOut = await load((await openPage(browser, wide)).page, 'sign-in');
    await overview.getByRole('heading', { name: 'Get started' }).waitFor();
    await tokens.getByRole('row').nth(1).waitFor();
    await settings.locator('h1', { hasText: 'Settings' }).waitFor();
    await signedOut.getByLabel('Name').waitFor();
    await form.getByLabel('Name', { exact: true }).fill('sent while away');
    await weir.stop();
  });

  const every = () => [overview, tokens, settings, form, signedOut];

  test('is said on every page, also while nobody does anything', async () => {
    await Promise.all(every().map((page) => banner(page).waitFor()));
    for (const page of [overview, tokens, settings]) {
      expect(await page.getByRole('alert').innerText()).toMatch(/Retrying … Figures from \d/);
    }
    // What was shown stays, and no part of the page says the same once more.
    expect(await tokens.getByRole('row').count()).toBeGreaterThan(1);
    expect(await tokens.getByRole('alert').count()).toBe(1);
    expect(await accessibilityFaults(tokens)).toEqual([]);
  });

  for (const { colorScheme, width } of looks) {
    test(`the banner breaks no accessibility rule in the ${colorScheme} theme at ${width} px`, async () => {
      await overview.setViewportSize({ width, height: 800 });
      await overview.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await banner(overview).waitFor();
      expect(await accessibilityFaults(overview)).toEqual([]);
    });
  }

  test('what is sent meanwhile fails at once', async () => {
    await banner(form).waitFor();
    await form.keyboard.press('Enter');
    await form.getByRole('dialog').getByText('Weir isn’t responding').waitFor();
  });

  test('a page whose code cannot be loaded says so', async () => {
    await banner(settings).waitFor();
    await settings.getByRole('link', { name: 'Tasks' }).first().click();
    await settings.getByText('This page couldn’t be displayed').waitFor();
  });

  describe('and is back', () => {
    beforeAll(async () => {
      await weir.restart();
      await owner.post('/tokens', { name: 'made while the page waited' });
    });

    test('goes by itself with fresh data', async () => {
      await Promise.all(every().map((page) => banner(page).waitFor({ state: 'detached' })));
      await tokens.getByRole('row', { name: /made while the page waited/ }).waitFor();
    });

    test('a form is kept, and was not sent later by itself', async () => {
      await banner(form).waitFor({ state: 'detached' });
      expect(await tokenNames()).not.toContain('sent while away');
      expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('sent while away');
      await form.getByRole('dialog').getByRole('button', { name: 'Create token' }).click();
      await form.locator('[data-secret]').waitFor();
      expect(await tokenNames()).toContain('sent while away');
    });

    test('a page whose code could not be loaded meanwhile appears as soon as Weir is back', async () => {
      await until(async () => (await settings.getByText('This page couldn’t be displayed').count()) === 0);
      await settings.locator('h1', { hasText: 'Tasks' }).waitFor();
      await banner(settings).waitFor({ state: 'detached' });
    });
  });
});
