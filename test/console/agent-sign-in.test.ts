/** A person answers a program's code in a real browser, and ends the program in the settings. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser } from 'playwright-core';
import {
  accessibilityFaults,
  browserTimeoutMs,
  launchBrowser,
  leaveBrowser,
  type WatchedPage,
} from '../harness/browser.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { openAs, ownerOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, beforeAll, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

let weir: RunningWeir;
let browser: Browser;
let owner: ConsoleClient;
let watched: WatchedPage;

beforeAll(async () => {
  [weir, browser] = await Promise.all([startWeir(), launchBrowser()]);
  owner = await ownerOf(weir);
  watched = await openAs(browser, weir, owner, { viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' });
});
afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
});

const post = async (path: string, fields: Record<string, string>) => {
  const reply = await fetch(`${weir.url}${path}`, { method: 'POST', body: new URLSearchParams(fields) });
  return (await reply.json()) as Record<string, string>;
};
const begin = () => post('/oauth/device_authorization', { client_id: 'weir-cli' });
const redeem = (code = '') =>
  post('/oauth/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: code,
    client_id: 'weir-cli',
  });
const shots = process.env['WEIR_TEST_SHOTS'];
const shoot = async (name: string) => {
  if (shots !== undefined) await watched.page.screenshot({ path: `${shots}/${name}.png` });
};

test('a code from the URL is shown with its program, and only the button approves it', async () => {
  const { page } = watched;
  const { device_code: code, user_code: userCode, verification_uri_complete: address } = await begin();
  await page.goto(address ?? '');
  await page.getByText(userCode ?? '').waitFor();
  await page.getByText('Weir command line (weir-cli)').waitFor();
  await page.getByText('127.0.0.1', { exact: true }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await shoot('device-confirm');
  expect((await redeem(code))['error']).toBe('authorization_pending');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('heading', { name: 'Weir command line is signed in' }).waitFor();
  expect((await redeem(code))['token_type']).toBe('Bearer');
});

test('a typed code can be denied; a wrong one is named at the field', async () => {
  const { page } = watched;
  const { device_code: code, user_code: userCode = '' } = await begin();
  await page.goto(`${weir.url}/console/device`);
  const field = page.getByLabel('Code');
  await field.fill('BBBB-BBBB');
  await shoot('device-enter');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('unknown, expired or already answered').waitFor();
  await field.fill(userCode.toLowerCase());
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByRole('heading', { name: 'Request denied' }).waitFor();
  expect((await redeem(code))['error']).toBe('access_denied');
});

test('the settings list the signed-in program, and end it', async () => {
  const { page } = watched;
  await page.goto(`${weir.url}/console/settings`);
  await page.getByRole('heading', { name: 'Signed-in programs' }).scrollIntoViewIfNeeded();
  const end = page.getByRole('button', { name: /End the sign-in of Weir command line/ });
  await end.waitFor();
  await shoot('programs');
  await end.click();
  await page.getByText('No program is signed in.').waitFor();
  expect((await owner.get('/programs')).body).toEqual({ items: [] });
});
