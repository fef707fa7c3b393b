/** The home page in a real browser: the copy button fills the clipboard, tabs obey the keyboard, and nothing else is contacted. */

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

/** A name that is not localhost: browsers give a page there no Clipboard API unless it comes over https. */
const plainHttpHost = 'weir.test';
const browserTimeoutMs = 30_000;

let weir: RunningWeir;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let complaints: string[];
let requested: string[];

beforeAll(async () => {
  weir = await startWeir();
  browser = await chromium.launch({
    executablePath: Bun.which('chromium') ?? Bun.which('google-chrome') ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--host-resolver-rules=MAP ${plainHttpHost} 127.0.0.1`,
    ],
  });
}, browserTimeoutMs);

afterAll(async () => {
  await browser?.close();
  await weir?.remove();
});

beforeEach(async () => {
  context = await browser.newContext();
  page = await context.newPage();
  complaints = [];
  requested = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requested.push(request.url()));
});

afterEach(async () => {
  await context.close();
});

/** What a person gets who pastes: the only way to read the clipboard that every page allows. */
async function pasted(): Promise<string> {
  await page.evaluate(() => {
    const field = document.createElement('textarea');
    field.id = 'paste-here';
    document.body.append(field);
    field.focus();
  });
  await page.keyboard.press('Control+V');
  return page.locator('#paste-here').inputValue();
}

test('the copy button puts the base address on the clipboard and says so', async () => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: weir.url });
  await page.goto(`${weir.url}/`);
  const button = page.locator('[data-copy=base-address]');
  await button.click();
  await page.locator('[data-copy=base-address].done').waitFor();
  expect(await button.innerText()).toContain('Copied');
  expect(await page.locator('[role=status]').innerText()).toContain('Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(weir.base);
  await page.locator('[data-copy=base-address]:not(.done)').waitFor();
  expect(await button.innerText()).toBe('Copy');
  expect(complaints).toEqual([]);
});

test('the copy button works over plain http, where browsers withhold the Clipboard API', async () => {
  const url = weir.url.replace('127.0.0.1', plainHttpHost);
  await page.goto(`${url}/`);
  expect(await page.evaluate(() => 'clipboard' in navigator && navigator.clipboard !== undefined)).toBe(false);
  await page.locator('[data-copy=base-address]').click();
  await page.locator('[data-copy=base-address].done').waitFor();
  expect(await pasted()).toBe(`${url}/v1`);
  expect(complaints).toEqual([]);
});

test('tabs follow the arrow keys, and a snippet is copied whole', async () => {
  await page.goto(`${weir.url}/`);
  expect(await page.locator('.snippets pre:visible').count()).toBe(2);
  await page.locator('#tab-curl').focus();
  await page.keyboard.press('ArrowRight');
  expect(await page.locator('#tab-python').getAttribute('aria-selected')).toBe('true');
  expect(await page.locator('#code-python').isVisible()).toBe(true);
  expect(await page.locator('#code-curl').isVisible()).toBe(false);
  await page.keyboard.press('End');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('tab-node');
  await page.locator('[data-copy=code-node]').click();
  await page.locator('[data-copy=code-node].done').waitFor();
  expect(await pasted()).toContain(`baseURL: '${weir.base}'`);
  expect(complaints).toEqual([]);
});

test('without JavaScript everything is readable', async () => {
  const plain = await browser.newContext({ javaScriptEnabled: false });
  try {
    const reader = await plain.newPage();
    await reader.goto(`${weir.url}/`);
    expect(await reader.locator('#base-address').innerText()).toBe(weir.base);
    for (const id of ['code-curl', 'code-python', 'code-node']) {
      expect(await reader.locator(`#${id}`).isVisible()).toBe(true);
    }
    expect(await reader.locator('button:visible').count()).toBe(0);
  } finally {
    await plain.close();
  }
});

test('contacts its own origin only, fits a phone, and names a health page that answers', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${weir.url}/`, { waitUntil: 'networkidle' });
  const others = requested.filter((url) => !url.startsWith(`${weir.url}/`) && !url.startsWith('data:'));
  expect(others).toEqual([]);
  expect(requested.length).toBeGreaterThanOrEqual(3);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  const health = await page.goto(`${weir.url}${await page.locator('footer a').getAttribute('href')}`);
  expect(health?.status()).toBe(200);
  expect(complaints).toEqual([]);
});
