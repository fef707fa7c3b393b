/** The console's frame and its components in a real browser: quick to load, all by keyboard, readable by everybody, alone with our origin. */

import { expect } from 'bun:test';
import type { Browser, Page, Response } from 'playwright-core';
import {
  accessibilityFaults,
  browserTimeoutMs,
  dialog,
  launchBrowser,
  leaveBrowser,
  looks,
  pasted,
  visit,
  type WatchedPage,
} from '../harness/browser.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { openAs, ownerOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, afterEach, beforeAll, describe, test } = needing('chromium');

const scriptBytesMax = 250 * 1024;

const look = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;

let weir: RunningWeir;
let browser: Browser;
let owner: ConsoleClient;
/** Most tests share it, from its first load on. */
let shared: WatchedPage;
let watched: WatchedPage;
let firstLoad: FirstLoad & { readonly requested: readonly string[]; readonly shifted: number };

beforeAll(async () => {
  [weir, browser] = await Promise.all([startWeir(), launchBrowser()]);
  owner = await ownerOf(weir);
  watched = shared = await openAs(browser, weir, owner, look);
  const { page } = shared;
  await page.addInitScript(() => {
    Object.assign(window, { shifted: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        (window as unknown as { shifted: number }).shifted += (entry as unknown as { value: number }).value;
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  const loaded = await loadFirst(page, '/console');
  const shifted = await page.evaluate(() => (window as unknown as { shifted: number }).shifted);
  firstLoad = { ...loaded, requested: [...shared.requested], shifted };
}, browserTimeoutMs);

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
});

afterEach(async () => {
  const { complaints, requested } = watched.take();
  if (watched !== shared) await watched.close();
  watched = shared;
  expect(complaints).toEqual([]);
  expect(requested.filter((url) => !url.startsWith(`${weir.url}/`) && !/^(data|blob):/.test(url))).toEqual([]);
});

/** The scripts of a load by a browser that has none of them yet: how many, their bytes, and how they were compressed. */
interface FirstLoad {
  readonly scripts: number;
  readonly bytes: number;
  readonly encodings: ReadonlySet<string | null>;
}

async function loadFirst(page: Page, path: string): Promise<FirstLoad> {
  const scripts = new Map<string, Promise<readonly [bytes: number, encoding: string | null]>>();
  const record = (response: Response) => {
    const { pathname } = new URL(response.url());
    if (!pathname.endsWith('.js')) return;
    const facts = response
      .allHeaders()
      .then(
        (headers) => [Number(headers['content-length'] ?? Number.NaN), headers['content-encoding'] ?? null] as const,
      );
    scripts.set(pathname, facts);
  };
  page.on('response', record);
  await page.goto(weir.url + path, { waitUntil: 'networkidle' });
  page.off('response', record);
  const facts = await Promise.all(scripts.values());
  return {
    scripts: facts.length,
    bytes: facts.reduce((sum, [bytes]) => sum + bytes, 0),
    encodings: new Set(facts.map(([, encoding]) => encoding)),
  };
}

const heading = (page: Page) => page.locator('h1').innerText();

async function openGallery(page: Page): Promise<void> {
  await visit(page, '/console/gallery');
  await untilGalleryShown(page);
}

async function untilGalleryShown(page: Page): Promise<void> {
  await page.locator('figure [data-plot]').nth(1).waitFor();
  await page.evaluate(() => document.fonts.ready);
}

describe('serving', () => {
  test('every address of the console is the same page, under a policy that lets nothing else run', async () => {
    for (const path of [
      '/console',
      '/console/',
      '/console/playground',
      '/console/requests/req_1',
      '/console/nowhere',
    ]) {
      const reply = await fetch(weir.url + path);
      expect([path, reply.status]).toEqual([path, 200]);
      const policy = reply.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
      expect(reply.headers.get('cache-control')).toBe('no-store');
      expect(await reply.text()).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)/i);
    }
  });

  test('a style nonce is used once', async () => {
    const nonce = async () =>
      /'nonce-([^']+)'/.exec((await fetch(`${weir.url}/console`)).headers.get('content-security-policy') ?? '')?.[1];
    const [first, second] = await Promise.all([nonce(), nonce()]);
    expect(first).toMatch(/^[\w+/]{24}$/);
    expect(second).not.toBe(first);
  });

  test('files are compressed, kept for good and known again; one that is not there is a 404', async () => {
    const page = await (await fetch(`${weir.url}/console`)).text();
    const path = /<script type="module" src="([^"]+)"/.exec(page)?.[1] ?? '';
    const reply = await fetch(weir.url + path, { headers: { 'accept-encoding': 'br' }, decompress: false });
    expect(reply.headers.get('content-encoding')).toBe('br');
    expect(reply.headers.get('cache-control')).toContain('immutable');
    const etag = reply.headers.get('etag') ?? '';
    const again = await fetch(weir.url + path, { headers: { 'accept-encoding': 'br', 'if-none-match': etag } });
    expect(again.status).toBe(304);
    expect((await fetch(`${weir.url}/console/assets/main-00000000.js`)).status).toBe(404);
    expect((await fetch(`${weir.url}/console/assets/..%2f..%2fpackage.json`)).status).toBe(404);
  });

  test.each([
    '/console',
    '/console/playground',
  ])('the first load of %s stays within its budget of script', async (path) => {
    let loaded: FirstLoad = firstLoad;
    if (path !== '/console') {
      watched = await openAs(browser, weir, owner, look);
      loaded = await loadFirst(watched.page, path);
    }
    const { scripts, bytes, encodings } = loaded;
    expect([...encodings]).toEqual(['br']);
    expect(scripts).toBeGreaterThanOrEqual(3);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(scriptBytesMax);
    console.log(`${path}: ${Math.round(bytes / 1024)} KB of compressed script`);
  });

  test('what every page needs comes in few files', async () => {
    const page = await (await fetch(`${weir.url}/console`)).text();
    const preloads = page.match(/rel="modulepreload"/g) ?? [];
    expect(preloads.length).toBeGreaterThan(0);
    expect(preloads.length).toBeLessThanOrEqual(4);
  });

  test('nothing moves after the first paint', () => {
    expect(firstLoad.shifted).toBeLessThan(0.01);
  });

  test('pages come one by one', async () => {
    const { page, requested } = watched;
    expect(firstLoad.requested.length).toBeGreaterThan(0);
    expect(firstLoad.requested.some((url) => /gallery/.test(url))).toBe(false);
    const before = requested.length;
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.locator('h1', { hasText: 'Tokens' }).waitFor();
    const more = requested.slice(before).filter((url) => url.endsWith('.js'));
    expect(more.some((url) => /\/tokens\.part-/.test(url))).toBe(true);
    expect(more.filter((url) => /\/(playground|settings|models|providers|requests)\.part-/.test(url))).toEqual([]);
  });
});

describe('moving about', () => {
  test('by keys, links and the back button; the address says where one is', async () => {
    const { page } = watched;
    await visit(page, '/console');
    await page.locator('h1', { hasText: 'Overview' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.locator('h1', { hasText: 'Tokens' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/tokens');
    expect(await page.title()).toBe('Tokens · Weir');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
    await page.getByRole('link', { name: 'Models' }).click();
    await page.locator('h1', { hasText: 'Models' }).waitFor();
    expect(await page.locator('[aria-current=page]').first().innerText()).toBe('Models');
    await page.goBack();
    await page.locator('h1', { hasText: 'Tokens' }).waitFor();
    await page.goto(`${weir.url}/console/nowhere`);
    await page.getByText('Page not found').first().waitFor();
  });

  test('the palette finds a page by a few letters, and closes with Escape', async () => {
    const { page } = watched;
    await visit(page, '/console');
    await page.locator('h1', { hasText: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    expect(await accessibilityFaults(page, dialog)).toEqual([]);
    await page.keyboard.type('prov');
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: 'Providers' }).waitFor();
    expect(await page.getByRole('combobox').count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    // Letters are letters here, not shortcuts.
    await page.keyboard.type('g t');
    expect(await page.getByRole('combobox').inputValue()).toBe('g t');
    await page.keyboard.press('Escape');
    await page.getByRole('combobox').waitFor({ state: 'detached' });
    expect(await heading(page)).toBe('Providers');
  });

  test('? lists the keys, and the list can be read by everybody', async () => {
    const { page } = watched;
    await visit(page, '/console');
    await page.locator('h1', { hasText: 'Overview' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await accessibilityFaults(page, dialog)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('on a phone the bar at the bottom leads everywhere', async () => {
    const { page } = watched;
    await page.setViewportSize({ width: 390, height: 844 });
    await visit(page, '/console');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    await page.locator('h1', { hasText: 'Settings' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.setViewportSize(look.viewport);
  });
});

describe('preferences', () => {
  /** For the next test: the page as someone sees it who has chosen nothing. */
  async function loadWithoutChoices(page: Page): Promise<void> {
    await page.evaluate(() => localStorage.clear());
    await page.goto(`${weir.url}/console`);
    await page.locator('h1', { hasText: 'Overview' }).waitFor();
  }

  test('a theme is remembered and there before the first paint', async () => {
    const { page } = watched;
    await visit(page, '/console');
    await page.getByRole('button', { name: 'Theme' }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    // Everything but the script that runs first is kept away: what is left is what the first paint shows.
    await page.route(/\/main[^/]*\.js$/, (route) => route.abort());
    await page.reload();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    const ground = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    expect(ground).toBe('rgb(12, 19, 24)');
    await page.unroute(/\/main[^/]*\.js$/);
    await loadWithoutChoices(page);
    (watched.complaints as string[]).length = 0;
  });

  test('Chinese is chosen by the browser’s wish or by hand, and stays', async () => {
    const chinese = await openAs(browser, weir, owner, { locale: 'zh-CN' });
    try {
      await chinese.page.goto(`${weir.url}/console`);
      await chinese.page.locator('h1', { hasText: '概览' }).waitFor();
      expect(await chinese.page.locator('html').getAttribute('lang')).toBe('zh-CN');
    } finally {
      await chinese.close();
    }
    const { page } = watched;
    await visit(page, '/console');
    await page.getByRole('button', { name: 'Account and preferences' }).click();
    await page.getByRole('menuitemradio', { name: '简体中文' }).click();
    await page.locator('h1', { hasText: '概览' }).waitFor();
    await page.reload();
    await page.locator('h1', { hasText: '概览' }).waitFor();
    await loadWithoutChoices(page);
  });
});

describe('components', () => {
  test('copy buttons put exactly the shown text on the clipboard and say so', async () => {
    const { page } = watched;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: weir.url });
    await openGallery(page);
    const block = page.locator('figure', { hasText: 'Terminal' });
    const shown = await block.locator('code').evaluate((code) => code.textContent);
    await block.getByRole('button', { name: 'Copy Terminal' }).click();
    await block.locator('button[data-outcome=copied]').waitFor();
    expect(await block.getByRole('status').innerText()).toBe('Copied to the clipboard.');
    expect(await pasted(page)).toBe(shown ?? '');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('base url');
    await page.keyboard.press('Enter');
    await page.getByText('Copied to the clipboard.').last().waitFor();
    expect(await pasted(page)).toBe(weir.base);
  });

  test('a table obeys j, k and Enter; the open row is in the address, and Escape closes it', async () => {
    const { page } = watched;
    await openGallery(page);
    const rows = page.getByRole('region', { name: 'Requests', exact: true }).locator('tbody tr');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    const focused = await rows.nth(1).evaluate((row) => row === document.activeElement);
    expect(focused).toBe(true);
    await page.keyboard.press('Enter');
    const panel = page.getByRole('dialog');
    await panel.waitFor();
    const query = new URL(page.url()).searchParams.get('request');
    expect(await panel.innerText()).toContain(query ?? 'no request');
    expect(await rows.nth(1).getAttribute('aria-current')).toBe('true');
    expect(await accessibilityFaults(page, dialog)).toEqual([]);
    // The link alone shows the same.
    await page.reload();
    await panel.waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
  });

  test('charts have a table with every value, gaps named, and a crosshair that charts share', async () => {
    const { page } = watched;
    await openGallery(page);
    const charts = page.locator('figure', { has: page.locator('[data-plot]') });
    const cells = await charts.first().locator('table tbody tr').nth(62).locator('td').allInnerTexts();
    expect(cells).toEqual(['no data', 'no data', 'no data']);
    expect(await charts.first().locator('table tbody tr').count()).toBe(96);
    await charts
      .first()
      .locator('[data-plot]')
      .hover({ position: { x: 120, y: 60 } });
    await charts
      .nth(1)
      .locator('li', { hasText: /p50\s*\d/ })
      .waitFor();
  });

  // One look here: the pages that are made of these components are seen in all.
  for (const { colorScheme, width } of looks) {
    test(`the gallery is accessible and in shape in ${colorScheme} at ${width} px`, async () => {
      const { page } = watched;
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      // Loaded in this look, as someone who has it would see it.
      await page.goto(`${weir.url}/console/gallery`);
      await untilGalleryShown(page);
      expect(await accessibilityFaults(page, undefined, true)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      expect(await page.evaluate(() => document.fonts.check('13px "Geist Mono Variable"'))).toBe(true);
    });
  }
});
