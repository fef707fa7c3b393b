/** Tokens and settings in a real browser: what is pressed there acts on the gateway, and what is shown there is so. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import type { IssuedTokenView, OwnedTokenView, PageView } from '../../src/admin/contracts/contract.ts';
import {
  accessibilityFaults,
  browserTimeoutMs,
  dialog,
  launchBrowser,
  leaveBrowser,
  pasted,
  visit,
  visitFresh,
  type WatchedPage,
} from '../harness/browser.ts';
import { ConsoleClient } from '../harness/console-client.ts';
import { enterAs, openAs, ownerName, ownerOf, passwordOf, personOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { isFullSize } from '../harness/size.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, afterEach, beforeAll, describe, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

const look = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;

let weir: RunningWeir;
let browser: Browser;
let owner: ConsoleClient;
/** The owner's, unless a test opens it for someone else. */
let watched: WatchedPage;

beforeAll(async () => {
  [weir, browser] = await Promise.all([startWeir({ env: { WEIR_ROUTING_RETRY_PERCENT_MAX: '30' } }), launchBrowser()]);
  owner = await ownerOf(weir);
  watched = await openAs(browser, weir, owner, look);
});

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
});

/** What a browser says of an answer that refuses, which is what some of these tests are about. */
const isRefusal = (text: string): boolean => /status of (400|401|403|404)/.test(text);

afterEach(async () => {
  const { complaints, requested } = watched.take();
  await enterAs(watched, weir, owner);
  expect(complaints.filter((text) => !isRefusal(text))).toEqual([]);
  expect(requested.filter((url) => !url.startsWith(`${weir.url}/`) && !/^(data|blob):/.test(url))).toEqual([]);
});

/** As after a load: notices, forms and answers of the test before would be in the way. */
async function open(path: string): Promise<Page> {
  await visitFresh(watched.page, `${weir.url}/console/${path}`);
  return watched.page;
}

/** The same page for someone else, who is signed in for this test only. */
async function openFor(person: ConsoleClient, path: string): Promise<Page> {
  await enterAs(watched, weir, person);
  return open(path);
}

/** A part of the long page of settings, where a search by role costs less than in the whole. */
const section = (page: Page, name: string) => page.locator(`#section-${name}`);
const panel = (page: Page) => page.getByRole('dialog');
const secretOf = (page: Page) => page.locator('[data-secret]').innerText();

/** The status of a real request with the token. */
async function callWith(token: string): Promise<number> {
  const reply = await fetch(`${weir.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  await reply.arrayBuffer();
  return reply.status;
}

async function tokenWith(fields: object, person: ConsoleClient = owner): Promise<IssuedTokenView> {
  return (await person.post('/tokens', fields)).body as IssuedTokenView;
}

const shown = async (id: string): Promise<OwnedTokenView> => (await owner.get(`/tokens/${id}`)).body as OwnedTokenView;

async function tokenNamed(name: string): Promise<OwnedTokenView | undefined> {
  const { items } = (await owner.get('/tokens?limit=100')).body as PageView<OwnedTokenView>;
  return items.find((token) => token.name === name);
}

describe('tokens', () => {
  test('one is created by keyboard alone, works at once, and its secret is shown once', async () => {
    const page = await open('tokens');
    await page.locator('main table').waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: weir.url });
    await page.keyboard.press('n');
    await panel(page).getByRole('radio', { name: 'Agent' }).waitFor();
    for (const _ of ['agent', 'app', 'ci']) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await panel(page).getByText('Enter a name.').waitFor();
    await page.keyboard.type('nightly tests');
    await page.keyboard.press('Enter');
    const secret = await secretOf(page);
    expect(new URL(page.url()).searchParams.get('new')).toBe('ci');
    expect(page.url()).not.toContain(secret);
    expect(await callWith(secret)).toBe(200);
    expect(await tokenNamed('nightly tests')).toMatchObject({
      rpm: 60,
      concurrency: 4,
      budget: { limitNano: '5000000000', period: 'day' },
      ownerName,
    });
    const snippet = panel(page).getByRole('tabpanel').locator('code');
    for (const name of ['Python', 'Node', 'curl', 'AI SDK']) {
      // The common clients have a tab at once, the others are in a list beside them.
      if (name !== 'AI SDK') await panel(page).getByRole('tab', { name, exact: true }).click();
      else await panel(page).getByRole('combobox').selectOption(name);
      const code = await snippet.innerText();
      expect(code).toContain(secret);
      expect(code).toContain(weir.base);
    }
    await page.getByRole('button', { name: 'Copy the token' }).press('Enter');
    await page.locator('button[data-outcome=copied]').waitFor();
    // Neither a stray key nor the way back takes it away unasked.
    for (const leave of [() => page.keyboard.press('Escape'), () => page.goBack()]) {
      await leave();
      const question = page.getByRole('dialog', { name: 'Have you saved the token?' });
      await question.getByRole('button', { name: 'Go back' }).click();
      await question.waitFor({ state: 'detached' });
      expect(await secretOf(page)).toBe(secret);
    }
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Yes, close' }).click();
    await panel(page).waitFor({ state: 'detached' });
    expect(await pasted(page)).toBe(secret);
    expect(await page.content()).not.toContain(secret);
  });

  test('a limit that is edited acts on the next request; mistakes are told at their field', async () => {
    const { id, token } = await tokenWith({ name: 'edited' });
    const page = await open(`tokens?token=${id}`);
    await panel(page).getByRole('button', { name: 'Edit' }).click();
    const rate = panel(page).getByLabel('Requests per minute');
    await rate.fill('many');
    await panel(page).getByText('Advanced: IP ranges').click();
    await panel(page).getByLabel('Allowed IP ranges').fill('somewhere');
    await panel(page).getByRole('button', { name: 'Save' }).click();
    await panel(page).getByText('Enter a whole number above 0, or leave it empty.').waitFor();
    await rate.fill('1');
    await panel(page).getByRole('button', { name: 'Save' }).click();
    const networks = panel(page).getByLabel('Allowed IP ranges');
    await until(async () => (await networks.getAttribute('aria-invalid')) === 'true');
    const note = (await networks.getAttribute('aria-describedby')) ?? '';
    expect(await page.locator(`[id="${note}"]`).innerText()).toContain('must be a network');
    await networks.fill('');
    await panel(page).getByRole('button', { name: 'Save' }).click();
    await panel(page).getByRole('button', { name: 'Rotate' }).waitFor();
    expect(await shown(id)).toMatchObject({ rpm: 1 });
    expect(new URL(page.url()).searchParams.get('edit')).toBeNull();
    await until(async () => (await callWith(token)) === 429, 60_000, 'a refusal by the new limit');
  });

  test('a rotated token works with both secrets while they overlap, a revoked one with none', async () => {
    const { id, token } = await tokenWith({ name: 'rotated' });
    const page = await open(`tokens?token=${id}`);
    await panel(page).getByRole('button', { name: 'Rotate' }).click();
    await page.getByLabel('Keep the old secret valid for').selectOption('3600000');
    await page.getByRole('button', { name: 'Rotate' }).click();
    const second = await secretOf(page);
    expect(second).not.toBe(token);
    expect([await callWith(token), await callWith(second)]).toEqual([200, 200]);
    await page.getByRole('button', { name: 'I’ve saved it' }).click();
    await panel(page).getByRole('button', { name: 'Rotate' }).click();
    await page.getByLabel('Keep the old secret valid for').selectOption('0');
    await page.getByRole('button', { name: 'Rotate' }).click();
    await until(async () => (await secretOf(page)) !== second);
    const third = await secretOf(page);
    await until(async () => (await callWith(second)) === 401, 60_000, 'the end of the old secret');
    expect(await callWith(third)).toBe(200);
    await page.getByRole('button', { name: 'I’ve saved it' }).click();
    await panel(page).getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('rotated was revoked.').waitFor();
    await until(async () => (await callWith(third)) === 401, 60_000, 'the end of the token');
    await until(async () => (await panel(page).getByRole('button', { name: 'Edit' }).count()) === 0);
    expect((await shown(id)).state).toBe('revoked');
  });

  test('the address holds filter and open row, Back undoes them, and a name never becomes markup', async () => {
    const name = '<img src=x onerror="document.title=1">';
    const { id } = await tokenWith({ name });
    const page = await open('tokens?q=onerror');
    const rows = page.locator('main tbody tr');
    await rows.getByText(name).waitFor();
    expect(await rows.count()).toBe(1);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await panel(page).getByRole('heading', { name }).waitFor();
    expect(new URL(page.url()).searchParams.get('token')).toBe(id);
    expect(await page.locator('img').count()).toBe(0);
    await page.goBack();
    await panel(page).waitFor({ state: 'detached' });
    await page.getByLabel('Filter by name').fill('nothing is called so');
    await page.getByRole('button', { name: 'Clear filter' }).click();
    await until(async () => (await rows.count()) > 1);
  });

  test('a panel tells what the token used, and leads to its requests', async () => {
    const { id, token } = await tokenWith({ name: 'used' });
    await Promise.all([callWith(token), callWith(token), callWith(token)]);
    // Rows are written a moment after their replies.
    const counted = async () => (await owner.get(`/usage/count?token=${id}`)).body as { requests: number };
    await until(async () => (await counted()).requests === 3);
    const page = await open(`tokens?token=${id}`);
    await panel(page)
      .locator('dl div', { hasText: /^Requests.*3/s })
      .first()
      .waitFor();
    await panel(page).getByRole('link', { name: 'All requests' }).click();
    await page.locator('h1', { hasText: 'Requests' }).waitFor();
    expect(new URL(page.url()).searchParams.get('token')).toBe(id);
    expect((await shown(id)).lastUsedAt).toBeDefined();
  });
});

describe('people', () => {
  test('someone who is added signs in with the shown password, sees only their own, and the log has it', async () => {
    await tokenWith({ name: 'of the owner' });
    const page = await open('settings?section=people');
    await section(page, 'people').getByRole('button', { name: 'Add person' }).click();
    await page.keyboard.type('Mia');
    await panel(page).getByRole('radio', { name: 'member' }).check();
    await panel(page).getByRole('button', { name: 'Add person' }).click();
    const password = await secretOf(page);
    await page.getByRole('button', { name: 'Done' }).click();
    await section(page, 'people').getByRole('region', { name: 'People list' }).getByText('Mia').waitFor();
    await visit(page, '/console/settings?section=audit&action=account-create');
    await section(page, 'audit')
      .getByRole('region', { name: 'Audit log entries' })
      .getByText('name Mia · role member')
      .waitFor();

    await page.context().clearCookies();
    await page.goto(`${weir.url}/console/tokens`);
    await page.getByLabel('Name').fill('Mia');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByLabel('The password you were given', { exact: true }).fill(password);
    await page.getByLabel('Your new password', { exact: true }).fill('a password of her own');
    await page.getByRole('button', { name: 'Save and continue' }).click();
    await page.getByText('No tokens yet').waitFor();
    expect(await page.getByText('of the owner').count()).toBe(0);
    await page.getByRole('button', { name: 'Create token' }).last().click();
    await panel(page).getByLabel('Name').fill('mine');
    await page.keyboard.press('Enter');
    expect(await callWith(await secretOf(page))).toBe(200);
    expect(await tokenNamed('mine')).toMatchObject({ ownerName: 'Mia' });
    await open('settings');
    await page.getByRole('heading', { name: 'About and API' }).waitFor();
    const headings = await page.locator('main h2').allInnerTexts();
    expect(headings).toEqual(['Appearance', 'Account', 'About and API']);
  });

  test('a viewer finds nothing to press', async () => {
    const viewer = await personOf(weir, owner, 'viewer');
    const { id } = await tokenWith({ name: 'looked at' });
    const page = await openFor(viewer, `tokens?token=${id}`);
    await panel(page).getByText('Access', { exact: true }).waitFor();
    for (const name of ['Create token', 'Edit', 'Rotate', 'Revoke']) {
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    }
  });

  test('whoever is disabled is out, and their tokens too where that was asked for', async () => {
    const admin = await personOf(weir, owner, 'admin');
    const { token } = await tokenWith({ name: 'of the admin' }, admin);
    const page = await open('settings?section=people');
    await section(page, 'people')
      .getByRole('region', { name: 'People list' })
      .getByText('admin', { exact: true })
      .first()
      .click();
    await panel(page).getByRole('button', { name: 'Disable' }).click();
    await page.getByLabel('Also revoke their tokens').check();
    await page.getByRole('button', { name: 'Disable' }).last().click();
    await page.getByText('admin is disabled.').waitFor();
    expect((await admin.get('/session')).status).toBe(401);
    await until(async () => (await callWith(token)) === 401, 60_000, 'the end of the tokens');
  });
});

describe('one’s own account', () => {
  test('a session is ended from another one; a new password ends all others and is the one that counts', async () => {
    const first = await personOf(weir, owner, 'member');
    const elsewhere = new ConsoleClient(weir);
    await elsewhere.signIn('member', passwordOf('member'), { headers: { 'user-agent': 'Firefox/140.0 Linux' } });
    const page = await openFor(first, 'settings');
    await page.getByRole('button', { name: /Sign out Firefox, Linux/ }).click();
    await page.getByText('Signed out. That browser').waitFor();
    expect((await elsewhere.get('/session')).status).toBe(401);

    await elsewhere.signIn('member', passwordOf('member'));
    const [current, next] = [page.getByLabel('Current password'), page.getByLabel('New password')];
    const change = page.getByRole('button', { name: 'Change password' });
    await current.fill('not the password');
    await next.fill('another long password');
    await change.click();
    await page.getByRole('alert').or(page.locator('[aria-invalid]')).first().waitFor();
    await current.fill(passwordOf('member'));
    await change.click();
    await page.getByText('Password changed.').waitFor();
    expect((await elsewhere.get('/session')).status).toBe(401);
    expect((await first.get('/session')).status).toBe(200);
    expect((await elsewhere.signIn('member', passwordOf('member'))).status).toBe(401);
    expect((await elsewhere.signIn('member', 'another long password')).status).toBe(200);
  });
});

describe('settings', () => {
  test('a live one is changed in its place and taken back; a locked one says where it is set', async () => {
    const attempts = async () => {
      const { items } = (await owner.get('/settings')).body as { items: { key: string }[] };
      return items.find(({ key }) => key === 'limits.attempts_max');
    };
    const page = await open('settings?section=limits');
    const row = page.locator('li', { has: page.getByText('limits.attempts_max', { exact: true }) });
    await row.getByRole('textbox').fill('99');
    expect(await row.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await row.getByRole('textbox').fill('2');
    await page.keyboard.press('Enter');
    await row.getByText('console', { exact: true }).waitFor();
    expect(await attempts()).toMatchObject({ value: 2, origin: 'console' });
    await row.getByRole('button', { name: /Reset to default/ }).click();
    await row.getByText('default', { exact: true }).waitFor();
    expect(await attempts()).toMatchObject({ value: 4, origin: 'default' });
    const locked = page.locator('li', { has: page.getByText('routing.retry_percent_max', { exact: true }) });
    expect(await locked.innerText()).toContain('Set with WEIR_ROUTING_RETRY_PERCENT_MAX');
    expect(await locked.getByRole('textbox').count()).toBe(0);
  });

  test('the home page says what the operator wrote, as text, or is not there', async () => {
    const page = await open('settings?section=home');
    const home = section(page, 'home');
    await home.getByLabel('Title').fill('Models of <b>ours</b>');
    await home.getByLabel('Text').fill('Ask Ada for a token.');
    const save = home.getByRole('button', { name: 'Save' });
    await save.click();
    await page.getByText('Saved. Changes are live.').waitFor();
    const shown = await (await fetch(weir.url)).text();
    expect(shown).toContain('Models of &lt;b&gt;ours&lt;/b&gt;');
    expect(shown).toContain('Ask Ada for a token.');
    await home.getByLabel('Show home page').uncheck();
    await save.click();
    await until(async () => (await fetch(weir.url)).status === 404);
    await home.getByLabel('Show home page').check();
    await save.click();
    await until(async () => (await fetch(weir.url)).status === 200);
  });

  test('the reference is of this Weir: every path, and a call to copy with its address', async () => {
    const page = await open('settings?section=about');
    const { paths } = (await (await fetch(`${weir.url}/openapi.json`)).json()) as { paths: Record<string, object> };
    await section(page, 'about')
      .getByRole('button', { name: /POST \/v1\/chat\/completions/ })
      .click();
    expect(new URL(page.url()).searchParams.get('operation')).toBe('POST /v1/chat/completions');
    const code = await panel(page).locator('figure code').innerText();
    expect(code).toContain(`curl "${weir.base}/chat/completions"`);
    const { token } = await tokenWith({ name: 'reference' });
    const shell = Bun.spawn(['bash', '-c', code], { env: { ...process.env, WEIR_TOKEN: token }, stderr: 'ignore' });
    expect(await new Response(shell.stdout).json()).toMatchObject({ object: 'chat.completion' });
    const listed = await page.locator('#section-about button .font-mono').allInnerTexts();
    expect(Object.keys(paths).filter((path) => !listed.includes(path))).toEqual([]);
  });

  test('density and theme are chosen here and remembered', async () => {
    const page = await open('settings');
    await page.getByLabel('Table density').selectOption('compact');
    await page.getByLabel('Theme').last().selectOption('dark');
    await page.goto(`${weir.url}/console/tokens`);
    const cell = page.locator('main tbody td').first();
    await cell.waitFor();
    expect(await cell.evaluate((element) => element.clientHeight)).toBeLessThan(32);
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    // The next test begins with a load that remembers nothing.
    await page.evaluate(() => localStorage.clear());
    await page.goto('about:blank');
  });
});

describe('everybody can use them', () => {
  /** A path, and what it shows once it is there. */
  const places = [
    ['tokens?new=app', 'What is it for?'],
    ['tokens?token=', 'Access'],
    ['settings?section=about&operation=GET+/v1/models', 'Content generation'],
  ] as const;

  for (const colorScheme of isFullSize ? (['light', 'dark'] as const) : (['dark'] as const)) {
    test(`tokens and settings are accessible in ${colorScheme} and no wider than a phone`, async () => {
      const { id } = await tokenWith({ name: 'seen', budgetUsd: '5', labels: ['a'], models: ['sandbox-*'] });
      const page = await open('tokens');
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const [path, ready] of places) {
        await visit(page, `/console/${path.endsWith('=') ? path + id : path}`);
        await page.getByText(ready).first().waitFor();
        expect([path, await accessibilityFaults(page, dialog)]).toEqual([path, []]);
        await page.setViewportSize({ width: 360, height: 800 });
        expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, 360]);
        await page.setViewportSize({ width: 1440, height: 900 });
      }
    });
  }
});
