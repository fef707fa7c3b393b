/** Signing in through an OpenID Connect provider in a real browser: groups, roles, logouts over both ends, refusals. */

import { expect, setDefaultTimeout } from 'bun:test';
import { rmSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import {
  accessibilityFaults,
  browserTimeoutMs,
  launchBrowser,
  leaveBrowser,
  openPage,
  type WatchedPage,
} from '../harness/browser.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { openAs, ownerOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { oidcClient, type RunningProvider, startOidcProvider } from '../harness/oidc-provider.ts';
import { freePort } from '../harness/ports.ts';
import { folderWithTeams, membershipsIn } from '../harness/team-folder.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, beforeAll, describe, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

const wide = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;
let provider: RunningProvider;
let weir: RunningWeir;
let owner: ConsoleClient;
let browser: Browser;
let watched: WatchedPage;
let dataFolder: string;

beforeAll(async () => {
  const port = await freePort();
  provider = await startOidcProvider(port);
  dataFolder = await folderWithTeams('Research');
  const company = {
    issuer: provider.issuer,
    label: 'Company account',
    client_id: oidcClient.id,
    client_secret: oidcClient.secret,
    rules: [
      { group: 'researchers', team: 'Research' },
      { group: 'gateway-admins', role: 'admin' },
      { group: 'sellers', team: 'Sales', team_role: 'viewer' },
    ],
  };
  weir = await startWeir({ port, dataFolder, yaml: { sign_in: { issuers: { company } } } });
  [owner, browser] = await Promise.all([ownerOf(weir), launchBrowser()]);
  watched = await openPage(browser, wide);
});

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
  await provider?.stop();
  rmSync(dataFolder, { recursive: true, force: true });
});

/** The pages of the provider: who, and whether Weir may know it. */
async function passProvider(page: Page, login: string): Promise<void> {
  await page.waitForURL(`${provider.issuer}/**`);
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.locator('form input[name=prompt][value=consent]').waitFor({ state: 'attached' });
  await page.locator('button[type=submit]').click();
}

const accountMenu = (page: Page) => page.getByRole('button', { name: 'Account and preferences' });

async function expectSignedIn(page: Page, who: string): Promise<void> {
  await page.waitForURL(`${weir.url}/console**`);
  await accountMenu(page).click();
  await page.getByText(who).waitFor();
  await page.keyboard.press('Escape');
}

const signInButton = (page: Page) => page.getByRole('link', { name: 'Continue with Company account' });

describe('a company account', () => {
  test('signs in, comes back to the page that was wanted, and has the teams of its groups', async () => {
    const { page } = watched;
    provider.groups.set('ada', ['researchers']);
    await page.goto(`${weir.url}/console/tokens`);
    await signInButton(page).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await signInButton(page).click();
    await passProvider(page, 'ada');
    await page.waitForURL(`${weir.url}/console/tokens`);
    await expectSignedIn(page, 'ada, member');
    expect(await membershipsIn(weir)).toEqual(['ada team_research member oidc:company']);
  });

  test('signs out at the provider too, and has another role at the next sign-in', async () => {
    const { page } = watched;
    provider.groups.set('ada', ['gateway-admins']);
    await accountMenu(page).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(`${provider.issuer}/session/end**`);
    await page.locator('button[value=yes]').click();
    await page.waitForURL(`${weir.url}/console/sign-in`);
    await signInButton(page).click();
    await passProvider(page, 'ada');
    await expectSignedIn(page, 'ada, administrator');
    expect(await membershipsIn(weir)).toEqual([]);
  });

  test('is signed out here when it signs out at the provider', async () => {
    const { page } = watched;
    const other = await page.context().newPage();
    await other.goto(`${provider.issuer}/session/end`);
    await other.locator('button[value=yes]').click();
    await other.getByText('Sign-out Success').waitFor();
    await other.close();
    await page.goto(`${weir.url}/console/tokens`);
    await signInButton(page).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/sign-in');
  });
});

test('a refusal is explained on the sign-in page, in the language of the page', async () => {
  const { page } = watched;
  await page.goto(`${weir.url}/console/sign-in/company/callback?code=x&state=${'A'.repeat(43)}`);
  await page.getByRole('alert').getByText('This sign-in didn’t start in this browser').waitFor();
  expect(new URL(page.url()).searchParams.get('refused')).toBe('state_invalid');
  expect(await accessibilityFaults(page)).toEqual([]);
  const chinese = await openPage(browser, { ...wide, locale: 'zh-CN' });
  await chinese.page.goto(`${weir.url}/console/sign-in?refused=token_expired&issuer=company`);
  await chinese.page.getByRole('alert').getByText('ID 令牌已过期').waitFor();
  await chinese.page.context().close();
});

test('the settings show what is registered at the provider, and test it', async () => {
  const { page } = await openAs(browser, weir, owner, wide);
  await page.goto(`${weir.url}/console/settings?section=signIn`);
  const card = page.getByRole('article', { name: 'Company account' });
  await card.getByText(`${weir.url}/console/sign-in/company/callback`).waitFor();
  await card.getByText(`${weir.url}/console/sign-in/company/back-channel-logout`).waitFor();
  await card.getByRole('button', { name: 'Test Company account' }).click();
  await card.getByText('Keys read: 1').waitFor();
  await card.getByText('These teams don’t exist: Sales').waitFor();
  await card.getByText('Reachable').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.context().close();
});
