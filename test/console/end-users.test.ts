/** End users in a real browser: terms for them set at a team and a token, whom requests named, their limits, blocks and notes. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import type { IssuedTokenView, OwnedTokenView, PageView } from '../../src/admin/contracts/account-contract.ts';
import type { EndUserView } from '../../src/admin/contracts/end-user-contract.ts';
import type { OrganizationView } from '../../src/admin/contracts/organization-contract.ts';
import {
  accessibilityFaults,
  browserTimeoutMs,
  dialog,
  launchBrowser,
  leaveBrowser,
  visitFresh,
  type WatchedPage,
} from '../harness/browser.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { enterAs, openAs, ownerOf, personOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { shot } from '../harness/shot.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, beforeAll, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

const look = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;

let weir: RunningWeir;
let browser: Browser;
let owner: ConsoleClient;
let member: ConsoleClient;
let watched: WatchedPage;
let secret = '';

beforeAll(async () => {
  [weir, browser] = await Promise.all([startWeir(), launchBrowser()]);
  owner = await ownerOf(weir);
  member = await personOf(weir, owner, 'member');
  watched = await openAs(browser, weir, owner, look);
});

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
});

async function openFor(person: ConsoleClient, path: string): Promise<Page> {
  await enterAs(watched, weir, person);
  await visitFresh(watched.page, `${weir.url}/console/${path}`);
  return watched.page;
}

const panel = (page: Page) => page.getByRole('dialog');

async function ask(user: string): Promise<number> {
  const reply = await fetch(`${weir.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'x-weir-tags': 'nightly, eu' },
    body: JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello' }], user }),
  });
  await reply.arrayBuffer();
  return reply.status;
}

const find = async (name: string): Promise<EndUserView | undefined> =>
  ((await owner.get(`/end-users?q=${name}`)).body as PageView<EndUserView>).items[0];

test('a member who sees none is told how one comes to be', async () => {
  const page = await openFor(member, 'end-users');
  await page.getByText('No end users yet').waitFor();
});

test('a page without end users says how one comes to be; a team gets terms for them', async () => {
  const page = await openFor(owner, 'end-users');
  await page.getByText('No end users yet').waitFor();
  await visitFresh(page, `${weir.url}/console/teams?do=new`);
  await panel(page).getByLabel('Name', { exact: true }).fill('Portal');
  await panel(page).getByLabel('Limit each end user').check();
  const terms = panel(page).getByRole('group', { name: 'Default budgets' });
  await terms.getByRole('button', { name: 'Add budget' }).click();
  await terms.getByLabel('Counts').selectOption('requests');
  await terms.getByLabel('Limit', { exact: true }).fill('2');
  await panel(page).getByLabel('Number of end users').fill('many');
  await panel(page).getByRole('button', { name: 'Create team' }).click();
  await panel(page).getByText('Enter a whole number above 0').waitFor();
  await panel(page).getByLabel('Number of end users').fill('50');
  await shot(page, 'team-form');
  await panel(page).getByRole('button', { name: 'Create team' }).click();
  await page.getByText('Portal is ready.').waitFor();
  const [team] = ((await owner.get('/organization')).body as OrganizationView).teams;
  expect(team?.terms).toEqual({
    endUsers: { budgets: [{ id: 'b1', unit: 'requests', limit: '2', period: 'month' }], max: 50 },
  });
  await page.getByText('Portal', { exact: true }).click();
  await panel(page).getByRole('link', { name: 'All end users' }).waitFor();
});

test('a token gets terms for end users, further budgets and tokens that it may create', async () => {
  const page = await openFor(owner, 'tokens?new=everything');
  await panel(page).getByLabel('Name', { exact: true }).fill('portal');
  await panel(page).getByLabel('Team or project').selectOption({ label: 'Portal' });
  await panel(page).getByText('Advanced: IP ranges, hosted tools, moderation, permissions, end users').click();
  await panel(page).getByLabel('Tokens it may create').fill('4');
  const further = panel(page).getByRole('group', { name: 'Further budgets' });
  await further.getByRole('button', { name: 'Add budget' }).click();
  await further.getByLabel('Limit', { exact: true }).fill('9');
  await panel(page).getByRole('button', { name: 'Create token' }).click();
  await panel(page).locator('[data-secret]').waitFor();
  secret = (await panel(page).locator('[data-secret]').first().innerText()).trim();
  const { items } = (await owner.get('/tokens')).body as PageView<OwnedTokenView>;
  const made = items.find(({ name }) => name === 'portal');
  expect(made).toMatchObject({ subTokensMax: 4, budgets: [{ limit: '9.00', spent: '0.00' }] });
  await visitFresh(page, `${weir.url}/console/tokens?token=${made?.id}&edit=1`);
  await panel(page).getByLabel('Limit each end user').check();
  await panel(page).getByLabel('Requests per minute, each').fill('30');
  await shot(page, 'token-form');
  await panel(page).getByRole('button', { name: 'Save' }).click();
  await panel(page).getByRole('heading', { name: 'Each end user' }).waitFor();
  await shot(page, 'token-panel');
  const off = await owner.call('PATCH', `/tokens/${made?.id}`, { body: { endUsers: null } });
  expect((off.body as IssuedTokenView).endUsers).toBeUndefined();
});

test('whom requests named are listed with what they spent, and one gets a raise that ends', async () => {
  expect(await ask('ana@example.com')).toBe(200);
  expect(await ask('kim@example.com')).toBe(200);
  expect(await ask('kim@example.com')).toBe(200);
  expect(await ask('kim@example.com')).toBe(402);
  await until(async () => (await find('kim'))?.terms.budgets?.[0]?.share === 1);
  const page = await openFor(owner, 'end-users');
  await page.getByText('2 of 2 requests').first().waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await shot(page, 'list-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await shot(page, 'list-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.getByRole('searchbox').fill('kim');
  await page.getByText('ana@example.com').waitFor({ state: 'detached' });
  await page.getByText('kim@example.com').first().click();
  await panel(page).getByRole('button', { name: 'Edit limits' }).click();
  await panel(page).getByLabel('Raise to').fill('5');
  await panel(page).getByLabel('until').fill('2031-01-31');
  await panel(page).getByLabel('Requests per minute').fill('20');
  await shot(page, 'edit');
  await panel(page).getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved kim@example.com. Changes are live.').waitFor();
  await panel(page).getByText('Limits of their own').waitFor();
  await panel(page).getByText('Raised to 5 requests').waitFor();
  await until(async () => (await ask('kim@example.com')) === 200);
  await panel(page).getByRole('link', { name: 'Portal Team' }).waitFor();
  expect(await accessibilityFaults(page, dialog, true)).toEqual([]);
  await shot(page, 'panel-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await shot(page, 'panel-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await panel(page).getByRole('button', { name: 'Use the defaults' }).click();
  await page.getByText('The defaults count for kim@example.com again.').waitFor();
  expect((await find('kim'))?.own).toEqual([]);
});

test('one is blocked, gets a note, and is forgotten after a question; their requests are one click away', async () => {
  const page = await openFor(owner, `end-users?id=${(await find('ana'))?.id}`);
  await panel(page).getByRole('button', { name: 'Block', exact: true }).click();
  await page.getByText('ana@example.com is blocked.').waitFor();
  await until(async () => (await ask('ana@example.com')) === 403);
  await panel(page).getByLabel('Note').fill('Asked for a refund');
  await panel(page).getByRole('button', { name: 'Save note' }).click();
  await page.getByText('The note is saved.').waitFor();
  expect(await find('refund')).toMatchObject({ name: 'ana@example.com', blocked: true, note: 'Asked for a refund' });
  await page.setViewportSize({ width: 390, height: 844 });
  await shot(page, 'panel-narrow');
  await page.keyboard.press('Escape');
  await page.locator('main').getByText('Blocked').last().waitFor();
  await shot(page, 'list-narrow');
  await page.setViewportSize(look.viewport);
  await page.getByText('ana@example.com').first().click();
  await panel(page).getByRole('button', { name: 'Forget' }).click();
  await panel(page).last().getByText('would be served again').waitFor();
  await panel(page).last().getByRole('button', { name: 'Forget' }).click();
  await page.getByText('ana@example.com was forgotten.').waitFor();
  expect(await find('ana')).toBeUndefined();

  await visitFresh(page, `${weir.url}/console/end-users?id=${(await find('kim'))?.id}`);
  await panel(page).getByRole('link', { name: 'All requests' }).first().click();
  await page.waitForURL(/requests\?user=kim/);
  await page.getByText('kim@example.com').first().waitFor();
});

test('usage is grouped and filtered by tag, and the page says that a request counts in each of its tags', async () => {
  const page = await openFor(owner, '?by=tag');
  await page.getByText('A request can have several tags and counts in the row of each').waitFor();
  await page.getByText('nightly', { exact: true }).first().waitFor();
  await shot(page, 'overview-by-tag');
  await visitFresh(page, `${weir.url}/console/requests?tag=nightly`);
  await page.getByText('Tag', { exact: true }).first().waitFor();
  await page.getByText('sandbox-chat').first().click();
  await panel(page).getByText('nightly, eu').waitFor();
  await shot(page, 'request-with-tags');
});

test('an admin of a team invites into it, and an owner into any', async () => {
  const page = await openFor(owner, 'settings?person=invite#people');
  await panel(page).getByLabel('Team', { exact: true }).selectOption({ label: 'Portal' });
  await panel(page).getByLabel('Role in the team').selectOption('viewer');
  await shot(page, 'invite');
  await panel(page).getByRole('button', { name: 'Create link' }).click();
  await panel(page).locator('[data-secret]').waitFor();
  const [team] = ((await owner.get('/organization')).body as OrganizationView).teams;
  const { account } = (await member.get('/session')).body as { account: { id: string } };
  await owner.call('PUT', `/teams/${team?.id}/members/${account.id}`, { body: { role: 'admin' } });
  const own = await openFor(member, `teams?unit=${team?.id}`);
  await panel(own).getByRole('button', { name: 'Invite' }).click();
  await panel(own).last().getByRole('button', { name: 'Create link' }).click();
  await panel(own).last().locator('[data-secret]').waitFor();
  const { items } = (await owner.get('/invitations')).body as PageView<{ teamName: string; teamRole: string }>;
  expect(items.map(({ teamName, teamRole }) => [teamName, teamRole])).toEqual([
    ['Portal', 'member'],
    ['Portal', 'viewer'],
  ]);
  await visitFresh(own, `${weir.url}/console/end-users`);
  await own.getByText('kim@example.com').first().waitFor();
});
