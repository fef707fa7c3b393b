/** The first hour with Weir in a real browser, by keyboard alone: set-up, a token, a reply, and what it cost. */

import { expect } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { browserTimeoutMs, launchBrowser, leaveBrowser, openPage } from '../harness/browser.ts';
import { setUpCodes } from '../harness/console-client.ts';
import { needing } from '../harness/needs.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, beforeAll, test } = needing('chromium');

let weir: RunningWeir;
let browser: Browser;

beforeAll(async () => {
  [weir, browser] = await Promise.all([startWeir({ token: null }), launchBrowser()]);
  await fetch(`${weir.url}/console`);
}, browserTimeoutMs);

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
});

const stepsMax = 60;

/** Presses Tab until what has the focus is called this; a person who cannot see the order would do the same. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let step = 0; step < stepsMax; step += 1) {
    const shown = await page.evaluate(() => {
      const active = document.activeElement;
      return `${active?.getAttribute('aria-label') ?? ''} ${active?.textContent ?? ''}`.trim();
    });
    if (name.test(shown)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${name} cannot be reached with the Tab key`);
}

async function open(page: Page, words: string, title: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').first().waitFor();
  await page.keyboard.type(words);
  await page.keyboard.press('Enter');
  await page.locator('h1', { hasText: title }).waitFor();
}

test(
  'from an empty folder to a reply and its cost lines',
  async () => {
    const { page, complaints, close } = await openPage(browser, { viewport: { width: 1440, height: 900 } });
    await until(() => setUpCodes(weir.output()).length > 0, 60_000, 'the set-up link');
    await page.goto(`${weir.url}/console/set-up#${setUpCodes(weir.output())[0]}`);
    await page.getByLabel('Sign-in name').waitFor();
    await page.keyboard.type('Ada');
    await page.keyboard.press('Tab');
    await page.keyboard.type('the water finds its level');
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: 'Overview' }).waitFor();
    const checklist = page.getByRole('region', { name: 'Get started' });
    await checklist.getByText(`${weir.url}/v1`, { exact: true }).waitFor();
    await tabTo(page, /^Copy the base URL for/);
    await page.keyboard.press('Enter');
    await checklist.getByRole('heading', { name: 'Use this base URL (Done)' }).waitFor();

    await open(page, 'create token', 'Tokens');
    await page.getByRole('dialog', { name: 'New token' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('journey');
    await page.keyboard.press('Enter');
    const issued = page.getByRole('dialog', { name: /journey/ });
    await issued
      .getByText(/^weir_\w+$/)
      .first()
      .waitFor();
    const secret = await issued
      .getByText(/^weir_\w+$/)
      .first()
      .innerText();
    await tabTo(page, /^copy\b.*token/i);
    await page.keyboard.press('Enter');
    await page.getByText('Copied to the clipboard.').first().waitFor({ state: 'attached' });
    await tabTo(page, /stored|saved|done/i);
    await page.keyboard.press('Enter');

    await open(page, 'playground', 'Playground');
    // Signed in, so nobody asks for a token; the one that was just made is used all the same.
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await tabTo(page, /^Token: My playground token/);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Use another token' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByLabel('Weir token').waitFor();
    await page.keyboard.press('Control+v');
    await page.keyboard.press('Enter');
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.waitFor();
    await until(() => message.evaluate((field) => field === document.activeElement), 60_000, 'the message field');
    await page.keyboard.type('What is 6 * 7?');
    await page.keyboard.press('Enter');
    await page
      .getByText(/\b42\b/)
      .first()
      .waitFor();

    await open(page, 'requests', 'Requests');
    await page
      .getByRole('row', { name: /sandbox-chat/ })
      .first()
      .waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const story = page.getByRole('dialog');
    await story
      .getByText(/req_[\w-]+/)
      .first()
      .waitFor();
    await story.getByRole('table', { name: /cost/i }).waitFor();
    const lines = await story.getByRole('table', { name: /cost/i }).innerText();
    expect(lines).toMatch(/input/i);
    expect(lines).toMatch(/output/i);

    // The token that the page showed is the one that was used, and it opens the interface like any other.
    const reply = await fetch(`${weir.base}/models`, { headers: { authorization: `Bearer ${secret}` } });
    expect(reply.status).toBe(200);
    expect(await story.innerText()).toContain('journey');
    expect(complaints).toEqual([]);
    await close();
  },
  browserTimeoutMs,
);
