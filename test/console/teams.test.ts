/** Teams in a real browser: created, given budgets, members, a project and a token, and seen by each member as their role allows. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import type { OwnedTokenView, PageView } from '../../src/admin/contracts/account-contract.ts';
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
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, beforeAll, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

const look = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;

let weir: RunningWeir;
let browser: Browser;
let owner: ConsoleClient;
let member: ConsoleClient;
let watched: WatchedPage;

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
const tree = async (person = owner) => (await person.get('/organization')).body as OrganizationView;

test('a page without teams says what they are for; the first is made by keyboard', async () => {
  const page = await openFor(owner, 'teams');
  await page.getByText('No teams yet').waitFor();
  await shot(page, 'teams-empty');
  await page.keyboard.press('n');
  await panel(page).getByLabel('Name', { exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await panel(page).getByText('Enter a name.').waitFor();
  await page.keyboard.type('Retrieval');
  await panel(page).getByRole('button', { name: 'Add budget' }).click();
  await page.keyboard.press('Enter');
  await panel(page).getByRole('group', { name: 'Budget 1' }).getByLabel('Limit').fill('50');
  await panel(page).getByRole('button', { name: 'Remove budget 2' }).click();
  await panel(page).getByLabel('Requests per minute').fill('600');
  await panel(page).getByRole('button', { name: 'Create team' }).click();
  await page.getByText('Retrieval is ready.').waitFor();
  const [team] = (await tree()).teams;
  expect(team).toMatchObject({
    name: 'Retrieval',
    terms: { rpm: 600, budgets: [{ limit: '50.00', period: 'month' }] },
  });
  await page.getByText('$0 of $50.00').waitFor();
});

test('a team gets a project, a member and a token; its panel shows them', async () => {
  const page = await openFor(owner, 'teams');
  await page.getByText('Retrieval', { exact: true }).click();
  await panel(page).getByRole('button', { name: 'Add project' }).click();
  await panel(page).getByLabel('Name', { exact: true }).fill('Ranking');
  await panel(page).getByRole('button', { name: 'Add project' }).click();
  await panel(page).getByRole('button', { name: 'Ranking' }).waitFor();

  await panel(page).getByLabel('Name or account ID').fill('no such person');
  await panel(page).getByRole('button', { name: 'Add member' }).click();
  await panel(page).getByText('Account not found.').waitFor();
  await panel(page).getByLabel('Name or account ID').fill('member');
  await panel(page).getByRole('button', { name: 'Add member' }).click();
  const role = panel(page).getByLabel('Role: member');
  await role.selectOption('admin');
  await page.getByText('The role of member was changed.').waitFor();

  const [team] = (await tree()).teams;
  const project = team?.projects[0]?.id ?? '';
  await owner.post('/tokens', { name: 'search service', unitId: team?.id, ownerId: null, budgetUsd: '5' });
  await visitFresh(page, `${weir.url}/console/tokens?new=everything`);
  await panel(page).getByLabel('Name', { exact: true }).fill('ranking laptop');
  await panel(page).getByLabel('Team or project').selectOption({ label: 'Retrieval / Ranking' });
  await panel(page).getByRole('button', { name: 'Create token' }).click();
  await panel(page).locator('[data-secret]').waitFor();
  const { items } = (await owner.get(`/tokens?project=${project}`)).body as PageView<OwnedTokenView>;
  expect(items.map(({ name, teamName, projectName }) => [name, teamName, projectName])).toEqual([
    ['ranking laptop', 'Retrieval', 'Ranking'],
  ]);

  await visitFresh(page, `${weir.url}/console/teams?unit=${team?.id}`);
  await panel(page).getByRole('link', { name: 'search service' }).waitFor();
  await panel(page).getByText('ranking laptop').waitFor();
  expect(await accessibilityFaults(page, dialog, true)).toEqual([]);
  await shot(page, 'team-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await shot(page, 'team-dark');
  await page.keyboard.press('Escape');
  await shot(page, 'teams-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await shot(page, 'teams-light');
});

test('an admin of the team edits its projects and tokens, but not the limits of the team', async () => {
  const page = await openFor(member, 'teams');
  await page.getByText('Retrieval', { exact: true }).click();
  await panel(page).getByRole('button', { name: 'Edit', exact: true }).click();
  await panel(page).getByLabel('Name', { exact: true }).waitFor();
  expect(await panel(page).getByRole('button', { name: 'Add budget' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await panel(page).getByRole('button', { name: 'Ranking' }).click();
  await panel(page).getByRole('button', { name: 'Edit', exact: true }).click();
  await panel(page).getByLabel('Requests per minute').fill('601');
  await panel(page).getByRole('button', { name: 'Save' }).click();
  await panel(page).getByText('must be at most 600').waitFor();
  await panel(page).getByLabel('Requests per minute').fill('60');
  await panel(page).getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved Ranking. Changes are live.').waitFor();
  expect((await tree()).teams[0]?.projects[0]?.terms.rpm).toBe(60);

  const list = await openFor(member, 'tokens');
  await list.getByText('ranking laptop').first().waitFor();
  await list.getByRole('combobox', { name: 'Team or project' }).selectOption({ label: 'Retrieval' });
  await list.getByText('search service').first().click();
  await panel(list).getByRole('button', { name: 'Disable' }).waitFor();
});

test('people see their teams and limits, and those who look after them set limits', async () => {
  const { account } = (await member.get('/session')).body as { account: { id: string } };
  const page = await openFor(owner, `settings?person=${account.id}#people`);
  await panel(page).getByRole('link', { name: 'Retrieval' }).waitFor();
  await panel(page).getByRole('button', { name: 'Edit limits' }).click();
  const sheet = panel(page).last();
  await sheet.getByRole('button', { name: 'Add budget' }).click();
  await sheet.getByLabel('Limit', { exact: true }).fill('3');
  await sheet.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved member. Changes are live.').waitFor();
  await shot(page, 'person');
  const own = await openFor(member, 'settings');
  await own.locator('#section-account').getByText('$0 of $3.00').waitFor();
});

test('the overview and the requests are filtered by team', async () => {
  const [team] = (await tree()).teams;
  const made = await owner.post('/tokens', { name: 'counted', unitId: team?.id, ownerId: null });
  const { token } = made.body as { token: string };
  const reply = await fetch(`${weir.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  await reply.arrayBuffer();
  const page = await openFor(owner, `requests?team=${team?.id}`);
  await page.getByText('counted').first().waitFor();
  await page.getByText('Retrieval', { exact: true }).first().waitFor();
  await visitFresh(page, `${weir.url}/console?by=team`);
  await page.getByText('Retrieval', { exact: true }).first().waitFor();
  await shot(page, 'overview-by-team');
});

test('what is removed is asked for first', async () => {
  await owner.post('/teams', { name: 'Short-lived' });
  const page = await openFor(owner, 'teams');
  await page.getByText('Short-lived', { exact: true }).click();
  await panel(page).getByRole('button', { name: 'Remove', exact: true }).click();
  await panel(page).last().getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('Short-lived was removed.').waitFor();
  expect((await tree()).teams.map(({ name }) => name)).toEqual(['Retrieval']);
});
