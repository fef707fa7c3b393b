/** Admin keys in the settings: created with scopes, shown once, narrowed, revoked; what members see, and the page in Chinese. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import type { AdminKeysView, AdminKeyView } from '../../src/admin/contracts/admin-key-contract.ts';
import type { TeamView } from '../../src/admin/contracts/organization-contract.ts';
import { KeyClient } from '../harness/admin-key.ts';
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
import { type ConsoleClient, codeOf } from '../harness/console-client.ts';
import { enterAs, openAs, ownerOf, personOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, afterEach, beforeAll, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

const place = '/console/settings?section=adminKeys';
let weir: RunningWeir;
let browser: Browser;
let owner: ConsoleClient;
let team: TeamView;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  [weir, browser] = await Promise.all([startWeir(), launchBrowser()]);
  owner = await ownerOf(weir);
  team = (await owner.post('/teams', { name: 'Search' })).body as TeamView;
  watched = await openAs(browser, weir, owner, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  page = watched.page;
  page.setDefaultTimeout(60_000);
  await page.goto(`${weir.url}/console`);
}, browserTimeoutMs);

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
});

afterEach(() => {
  expect(watched.take().complaints).toEqual([]);
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const field = (name: string) => page.locator(dialog).getByLabel(name, { exact: true });
const keys = async (): Promise<readonly AdminKeyView[]> =>
  ((await owner.get('/admin-keys')).body as AdminKeysView).items;

test('a key is created with scopes and networks, shown once, and works', async () => {
  await visit(page, place);
  await page.getByText('No admin keys yet').waitFor();
  await button('Create admin key').click();
  await field('Name').fill('deploy');
  await page.locator(dialog).getByLabel('Allowed networks').fill('nowhere');
  await field('Access').selectOption('Only some areas');
  await field('tokens').selectOption('Read and write');
  await field('usage').selectOption('Read');
  await page.locator(dialog).getByRole('button', { name: 'Create admin key' }).click();
  await page.getByText('must be a network such as 10.0.0.0/8').first().waitFor();
  // The browser reports every refused request.
  expect(watched.take().complaints).toHaveLength(1);
  await page.locator(dialog).getByLabel('Allowed networks').fill('127.0.0.0/8');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.locator(dialog).getByRole('button', { name: 'Create admin key' }).click();
  const secret = page.locator(dialog).locator('[data-secret]');
  await secret.waitFor();
  const client = new KeyClient(weir, (await secret.innerText()).trim());
  expect(await accessibilityFaults(page)).toEqual([]);
  expect((await client.get('/tokens')).status).toBe(200);
  expect(codeOf(await client.get('/models'))).toBe('admin_key_scope');
  await button('I stored it').click();
  expect(await page.locator('[data-secret]').count()).toBe(0);
  expect(await keys()).toMatchObject([{ name: 'deploy', role: 'admin', scopes: ['tokens:write', 'usage:read'] }]);
});

test('a key is renamed, and revoked after a question', async () => {
  await visitFresh(page, place);
  await page.getByRole('cell', { name: 'deploy …' }).click();
  expect(await page.locator(dialog).innerText()).toContain('tokens:write, usage:read');
  await field('Name').fill('release');
  await page.locator(dialog).getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved release.').waitFor();
  await page.locator(dialog).getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Revoke release?').waitFor();
  await page
    .getByRole('alertdialog')
    .or(page.getByRole('dialog'))
    .last()
    .getByRole('button', { name: 'Revoke' })
    .click();
  await page.getByText('release was revoked.').waitFor();
  expect(await keys()).toMatchObject([{ name: 'release', state: 'revoked' }]);
});

test('a team admin creates keys of the team; a member finds no button', async () => {
  const member = await personOf(weir, owner, 'member');
  await enterAs(watched, weir, member);
  await visitFresh(page, place);
  await page.getByRole('heading', { name: 'About and API' }).waitFor();
  expect(await button('Create admin key').count()).toBe(0);
  await owner.call('PUT', `/teams/${team.id}/members/member`, { body: { role: 'admin' } });
  await visitFresh(page, place);
  await button('Create admin key').click();
  await field('Name').fill('search-sync');
  await page.locator(dialog).getByLabel('Role').selectOption('Viewer');
  await page.locator(dialog).getByRole('button', { name: 'Create admin key' }).click();
  await button('I stored it').click();
  await page.getByRole('cell', { name: 'Viewer of Search' }).waitFor();
  expect((await keys())[0]).toMatchObject({ name: 'search-sync', role: 'viewer', teamId: team.id });
  expect(await accessibilityFaults(page)).toEqual([]);
});
