/** Invitations, the first password and second factors in a real browser, with its virtual authenticator. */

import { expect } from 'bun:test';
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
import { ownerName, ownerOf, passwordOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { totpCode } from '../harness/totp-codes.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, afterEach, beforeAll, beforeEach, describe, test } = needing('chromium');

const shots = process.env['WEIR_TEST_SHOTS'];
const newPassword = 'a password of my own';
let weir: RunningWeir;
let browser: Browser;
let owner: ConsoleClient;
let watched: WatchedPage;
let page: Page;
/** Browsers offer passkeys for names, not for addresses. */
let url: string;

beforeAll(async () => {
  [weir, browser] = await Promise.all([startWeir(), launchBrowser()]);
  owner = await ownerOf(weir);
  url = weir.url.replace('127.0.0.1', 'localhost');
}, browserTimeoutMs);

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
});

beforeEach(async () => {
  watched = await openPage(browser, { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  page = watched.page;
});

afterEach(async () => {
  const { complaints, requested } = watched.take();
  await watched.close();
  // The browser itself reports every refusal of the server.
  expect(complaints.filter((text) => !text.includes('Failed to load resource'))).toEqual([]);
  expect(requested.filter((address) => !address.startsWith(url) && !address.startsWith('data:'))).toEqual([]);
});

/** Judged, and a picture of it where the caller wants one. */
async function seen(name: string): Promise<void> {
  expect(await accessibilityFaults(page)).toEqual([]);
  if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png` });
}

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const field = (name: string) => page.getByLabel(name, { exact: true });

async function signIn(name: string, password = passwordOf(name)): Promise<void> {
  await page.goto(`${url}/console/sign-in?to=/console/settings`);
  await field('Name').fill(name);
  await field('Password').fill(password);
  await button('Sign in').click();
}

const isIn = () => page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();

/** An authenticator inside the browser that needs no touch. */
async function addAuthenticator(): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function newPerson(name: string): Promise<void> {
  expect((await owner.post('/accounts', { name, role: 'member', password: passwordOf(name) })).status).toBe(200);
}

describe('an invitation', () => {
  test(
    'is made, copied, accepted by another person, and listed',
    async () => {
      await signIn(ownerName);
      await isIn();
      await button('Invite').click();
      await field('Note').or(page.getByLabel(/^Note/)).first().fill('for Kim');
      await page.getByRole('radio', { name: /^viewer/ }).check();
      await seen('invite');
      await button('Create link').click();
      const link = await page.locator('code[data-secret]').innerText();
      expect(link).toStartWith(`${url}/console/invitation#`);
      await seen('invitation-link');
      await button('Done').click();
      await page.getByText('for Kim').waitFor();

      const guest = await openPage(browser, { viewport: { width: 390, height: 800 } });
      await guest.page.goto(link);
      await guest.page.getByText('Olga invited you as viewer.').waitFor();
      if (shots !== undefined) await guest.page.screenshot({ path: `${shots}/invitation.png` });
      await guest.page.getByLabel('Sign-in name').fill('Kim');
      await guest.page.getByLabel('Password', { exact: true }).fill(newPassword);
      await guest.page.getByRole('button', { name: 'Create account' }).click();
      await guest.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await guest.page.goto('about:blank');
      await guest.page.goto(link);
      await guest.page.getByText(/invalid, has expired, was revoked or was used/).waitFor();
      await guest.close();

      await page.reload();
      await page.getByText('Accepted by Kim').waitFor();
      await page.getByText('Accepted by Kim').scrollIntoViewIfNeeded();
      await seen('invitations');
    },
    browserTimeoutMs,
  );

  test(
    'is revoked',
    async () => {
      await owner.post('/invitations', { role: 'member', note: 'a mistake' });
      await signIn(ownerName);
      await button('Revoke the invitation: a mistake').click();
      await page.getByText('The invitation no longer works.').waitFor();
      await page.getByText('revoked', { exact: true }).waitFor();
    },
    browserTimeoutMs,
  );
});

test(
  'a password that was given out is changed before anything else is shown',
  async () => {
    const made = (await owner.post('/accounts', { name: 'Nina', role: 'member' })).body as { password: string };
    await signIn('Nina', made.password);
    await page.getByRole('heading', { name: 'One more step' }).waitFor();
    await seen('first-password');
    await field('The password you were given').fill(made.password);
    await field('Your new password').fill(newPassword);
    await button('Save and continue').click();
    await isIn();
  },
  browserTimeoutMs,
);

test(
  'an authenticator app is set up by its QR code, asked for at the sign-in, and removed',
  async () => {
    await newPerson('Tom');
    await signIn('Tom');
    await isIn();
    await button('Set up').click();
    await field('Your password').fill(passwordOf('Tom'));
    await button('Continue').click();
    const secret = (await page.locator('code[data-secret]').innerText()).replaceAll(' ', '');
    await page.getByRole('img', { name: 'QR code of the key' }).waitFor();
    await seen('totp');
    await field('Code').fill('000000');
    await button('Confirm').click();
    await page.getByText('is wrong, or was used before').waitFor();
    await field('Code').fill(totpCode(secret));
    await button('Confirm').click();
    // The key has the same mark: it is gone once the codes are there.
    await button('I saved them').waitFor();
    const codes = (await page.locator('code[data-secret]').innerText()).split(/\s+/);
    expect(codes).toHaveLength(10);
    await seen('recovery-codes');
    await button('I saved them').click();
    await page.getByText('10 codes left').waitFor();
    await page.getByText('10 codes left').scrollIntoViewIfNeeded();
    await seen('factors');

    await page.context().clearCookies();
    await signIn('Tom');
    await page.getByText('Enter the code of your authenticator app.').waitFor();
    await seen('second-step');
    await field('Code').fill('000000');
    await button('Verify').click();
    await page.getByText(/wrong or was used before/).waitFor();
    await field('Code').fill(totpCode(secret, 1));
    await button('Verify').click();
    await isIn();

    await page.context().clearCookies();
    await signIn('Tom');
    await button('Use a recovery code').click();
    await field('Recovery code').fill(codes[0] ?? '');
    await button('Verify').click();
    await isIn();
    await page.getByText('9 codes left').waitFor();
    await button('Remove the authenticator app').click();
    await field('Your password').fill(passwordOf('Tom'));
    await field('Code').fill(codes[1] ?? '');
    await button('Remove').last().click();
    await page.getByText('Not set up').waitFor();
  },
  browserTimeoutMs,
);

test(
  'a passkey is added, is the second step, and signs in alone',
  async () => {
    await newPerson('Pia');
    await page.goto(`${url}/console/sign-in`);
    await addAuthenticator();
    await signIn('Pia');
    await isIn();
    await button('Add a passkey').click();
    await field('Your password').fill(passwordOf('Pia'));
    await seen('add-passkey');
    await button('Continue').click();
    await button('I saved them').click();
    await button('Remove the passkey This device').waitFor();

    await page.context().clearCookies();
    await signIn('Pia');
    await button('Use a passkey').click();
    await isIn();

    await page.context().clearCookies();
    await page.goto(`${url}/console/sign-in?to=/console/settings`);
    await seen('sign-in');
    await button('Sign in with a passkey').click();
    await isIn();
    await page.getByText('Last used').first().waitFor();

    await button('Remove the passkey This device').click();
    await field('Your password').fill(passwordOf('Pia'));
    await button('Remove').last().click();
    await page.getByText('None yet').waitFor();
    await page.context().clearCookies();
    await page.goto(`${url}/console/sign-in`);
    await button('Sign in with a passkey').click();
    await page.getByText(/The code or passkey is wrong/).waitFor();
  },
  browserTimeoutMs,
);

test(
  'a required second factor is added before anything else is shown, and an administrator can remove it',
  async () => {
    await newPerson('Uma');
    const set = (value: string) =>
      owner.call('PATCH', '/settings', { body: { values: { 'sign_in.second_factor': value } } });
    expect((await set('required')).status).toBe(200);
    try {
      await page.goto(`${url}/console/sign-in`);
      await addAuthenticator();
      await signIn('Uma');
      await page.getByText('Weir requires two-factor authentication for your account.').waitFor();
      await seen('required');
      await button('Add a passkey').click();
      await field('Your password').fill(passwordOf('Uma'));
      await button('Continue').click();
      await button('I saved them').click();
      await isIn();
      await page.context().clearCookies();
      await signIn(ownerName);
      await button('Add a passkey').click();
      await field('Your password').fill(passwordOf(ownerName));
      await button('Continue').click();
      await button('I saved them').click();
      await isIn();
      expect((await set('optional')).status).toBe(200);
      await page.getByRole('row', { name: /^Uma member/ }).click();
      await page.getByRole('dialog').or(page.getByRole('complementary')).first().waitFor();
      await seen('person');
      await button('Remove second factors').click();
      await button('Remove').last().click();
      await page.getByText('Uma now signs in with the password only.').waitFor();
    } finally {
      await set('optional');
    }
  },
  browserTimeoutMs,
);
