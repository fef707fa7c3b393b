/** Tables in a real browser: what matters is in sight at every width, sorting is by keyboard and in the address. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { en } from '../../src/console/words/en.ts';
import {
  accessibilityFaults,
  browserTimeoutMs,
  launchBrowser,
  leaveBrowser,
  visit,
  type WatchedPage,
} from '../harness/browser.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { openAs, ownerOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { sampled } from '../harness/size.ts';
import { until } from '../harness/until.ts';
import { type Stage, send, sendTakenOver, startStage, untilCounted } from './traffic.ts';

const { afterAll, afterEach, beforeAll, describe, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

const longName = 'a token whose name says at great length what it is for, by whom, since when, and for how long';
const sent = 8;

let stage: Stage;
let browser: Browser;
let owner: ConsoleClient;
let watched: WatchedPage;

beforeAll(async () => {
  [stage, browser] = await Promise.all([startStage(), launchBrowser()]);
  const { weir } = stage;
  owner = await ownerOf(weir);
  const { body } = await owner.post('/tokens', { name: longName, labels: ['team-a'], budgetUsd: '50' });
  const long = { base: weir.base, token: (body as { token: string }).token };
  for (let index = 0; index < sent - 2; index++) await send(index % 2 === 0 ? weir : long, 'sandbox-chat');
  await send(weir, 'sandbox-500');
  await sendTakenOver(stage);
  await untilCounted(owner, sent);
  const viewport = { width: 1440, height: 900 };
  watched = await openAs(browser, weir, owner, { viewport, reducedMotion: 'reduce' });
  await watched.page.goto(`${weir.url}/console/requests?range=1h`);
});

afterAll(async () => {
  await leaveBrowser(browser);
  await stage?.remove();
});

afterEach(() => {
  expect(watched.take().complaints).toEqual([]);
});

async function open(path: string, width = 1440): Promise<Page> {
  const { page } = watched;
  await page.setViewportSize({ width, height: 900 });
  await visit(page, `/console/${path}`);
  await rowsOf(page).first().waitFor();
  return page;
}

const tableOf = (page: Page): Locator => page.locator('main section:has(> table)').first();
const rowsOf = (page: Page): Locator => tableOf(page).locator('tbody tr[tabindex]');
const headsOf = (page: Page): Promise<string[]> => tableOf(page).locator('thead th').allInnerTexts();
const firstCells = async (page: Page): Promise<string[]> =>
  (await rowsOf(page).locator('td:first-child').allInnerTexts()).map((text) => text.trim());

/** The cells of a table that reach beyond its frame, or whose content is cut without a way to see it. */
async function hiddenCells(page: Page, which: 'first' | 'last' | 'all'): Promise<readonly string[]> {
  return tableOf(page).evaluate((scroller, wanted) => {
    const frame = scroller.getBoundingClientRect();
    const rows = [...scroller.querySelectorAll('tr')];
    return rows.flatMap((row) => {
      const cells = [...row.cells];
      const judged = wanted === 'all' ? cells : cells.slice(wanted === 'first' ? 0 : -1).slice(0, 1);
      return judged
        .filter((cell) => {
          const edge = Math.min(frame.right, innerWidth) + 1;
          const box = cell.getBoundingClientRect();
          // What is cut with an ellipsis ends with the cell; what is not must lie in it.
          const parts = [...cell.querySelectorAll('.shrink-0')].map((part) => part.getBoundingClientRect().right);
          return box.left < frame.left - 1 || Math.max(box.right, ...parts) > edge || box.width < 20;
        })
        .map((cell) => cell.innerText);
    });
  }, which);
}

const pages = [
  { name: 'requests', path: 'requests?range=1h', last: en.requests.columns.cost, stays: [en.requests.columns.status] },
  {
    name: 'tokens',
    path: 'tokens',
    last: en.tokenList.columns.month,
    stays: [en.tokens.columns.name, en.tokens.columns.state, en.tokens.columns.budget],
  },
  { name: 'models', path: 'models', last: en.models.columns.health, stays: [en.models.columns.name] },
] as const;

describe('at every width', () => {
  for (const [index, { name, path, last, stays }] of pages.entries()) {
    test(`${name} fit from 1024 on, and what matters is among the columns`, async () => {
      let before = 0;
      for (const width of sampled([1024, 1280, 1366, 1440, 1920], index, 2)) {
        const page = await open(path, width);
        expect([width, await hiddenCells(page, 'all')]).toEqual([width, []]);
        const heads = await headsOf(page);
        expect([width, heads.at(-1)]).toEqual([width, last]);
        for (const head of stays) expect(heads).toContain(head);
        expect(heads.length).toBeGreaterThanOrEqual(before);
        before = heads.length;
        expect(await tableOf(page).evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
      }
    });
  }

  test('costs and amounts are never cut', async () => {
    for (const width of [1024, 1280, 1440]) {
      const page = await open('requests?range=1h', width);
      const cut = await rowsOf(page)
        .locator('td:last-child > div')
        .evaluateAll((cells) => cells.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length);
      expect([width, cut]).toEqual([width, 0]);
    }
  });

  test('one’s own columns are all there: the first and the last stay while the others scroll under them', async () => {
    const page = await open('requests?range=1h', 1024);
    const usual = await headsOf(page);
    await page.getByRole('button', { name: en.requests.chooseColumns }).click();
    for (const id of ['upstreamModel', 'endpoint', 'attempts', 'id'] as const) {
      await page.getByRole('menuitemcheckbox', { name: en.requests.columns[id], exact: true }).click();
    }
    await page.keyboard.press('Escape');
    expect((await headsOf(page)).length).toBeGreaterThan(usual.length + 3);
    const scroller = tableOf(page);
    expect(await scroller.evaluate((element) => element.scrollWidth > element.clientWidth + 100)).toBe(true);
    const shades = () =>
      scroller.evaluate((element) => [element.hasAttribute('data-more-start'), element.hasAttribute('data-more-end')]);
    const scrollTo = (share: number) =>
      scroller.evaluate((element, part) => {
        element.scrollLeft = (element.scrollWidth - element.clientWidth) * part;
      }, share);
    const seen: unknown[] = [];
    for (const share of [0, 0.5, 1]) {
      await scrollTo(share);
      await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))));
      expect(await hiddenCells(page, 'first')).toEqual([]);
      expect(await hiddenCells(page, 'last')).toEqual([]);
      seen.push(await shades());
    }
    expect(seen).toEqual([
      [false, true],
      [true, true],
      [true, false],
    ]);
    await page.evaluate(() => localStorage.clear());
  });

  test('a long name is cut, and shown whole on hover', async () => {
    const page = await open('tokens', 1280);
    const name = rowsOf(page).getByText(longName).first();
    const isCut = await name.evaluate(
      ({ parentElement: cell }) => cell !== null && cell.scrollWidth > cell.clientWidth,
    );
    expect(isCut).toBe(true);
    expect(await name.getAttribute('title')).toBe(longName);
  });
});

describe('on a phone', () => {
  test('each row has two lines with name, state and money, and nothing reaches beyond the screen', async () => {
    for (const { path } of pages) {
      const page = await open(path, 390);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
      expect(await hiddenCells(page, 'all')).toEqual([]);
      const heights = await rowsOf(page).evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
      expect(Math.min(...heights)).toBeGreaterThanOrEqual(50);
      expect(Math.max(...heights)).toBeLessThanOrEqual(72);
      expect(await accessibilityFaults(page)).toEqual([]);
    }
    const requests = await open('requests?range=1h', 390);
    const paid = await rowsOf(requests).filter({ hasText: 'house-model' }).first().innerText();
    expect(paid).toContain('200');
    expect(paid).toContain('$0.004');
    const tokens = await open('tokens', 390);
    const row = await rowsOf(tokens).filter({ hasText: longName }).first().innerText();
    expect(row).toContain(en.tokens.states.active);
    expect(row).toContain('$50');
  });

  test('a long name leaves the money in sight', async () => {
    for (const path of ['requests?range=1h', 'tokens']) {
      const page = await open(path, 390);
      const ends = rowsOf(page).filter({ hasText: longName }).first().locator('td span.shrink-0');
      const rights = await ends.evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().right));
      expect(rights.length).toBeGreaterThan(1);
      expect(Math.max(...rights)).toBeLessThanOrEqual(390 - 16);
    }
  });

  test('a list sorts where the heads would', async () => {
    const page = await open('models', 390);
    await page.getByLabel(en.parts.sortBy).selectOption('-name');
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-name');
    const names = await rowsOf(page).locator('code').allInnerTexts();
    expect(names).toEqual(names.toSorted((one, other) => other.localeCompare(one, 'en', { numeric: true })));
  });
});

describe('sorting', () => {
  test('models sort by keyboard; the address holds the order, and Back undoes it', async () => {
    const page = await open('models');
    const usual = await firstCells(page);
    const head = tableOf(page).locator('th', { hasText: en.models.columns.name });
    expect(await head.getAttribute('aria-sort')).toBe('none');
    await head.getByRole('button').focus();
    await page.keyboard.press('Enter');
    expect(await head.getAttribute('aria-sort')).toBe('ascending');
    const ascending = await firstCells(page);
    expect(ascending).toEqual(ascending.toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true })));
    await page.keyboard.press('Enter');
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    expect(await firstCells(page)).toEqual(ascending.toReversed());
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-name');
    await page.reload();
    await rowsOf(page).first().waitFor();
    expect(await firstCells(page)).toEqual(ascending.toReversed());
    await page.goBack();
    await page.goBack();
    await until(async () => (await head.getAttribute('aria-sort')) === 'none');
    expect(await firstCells(page)).toEqual(usual);
  });

  test('requests sort where all that match are on one page', async () => {
    const page = await open('requests?range=1h');
    const head = tableOf(page).locator('th', { hasText: en.requests.columns.cost });
    await head.getByRole('button').click();
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    expect(await rowsOf(page).first().innerText()).toContain('$0.004');
  });

  test('the server sorts tokens', async () => {
    const page = await open('tokens');
    const asked = page.waitForRequest((request) => /\/console\/api\/tokens\?.*sort=name/.test(request.url()));
    await tableOf(page).locator('th', { hasText: en.tokens.columns.name }).getByRole('button').click();
    await asked;
    await until(async () => {
      const names = await rowsOf(page).locator('td:nth-child(2)').allInnerTexts();
      return names.length > 1 && names.join() === names.toSorted((one, other) => one.localeCompare(other, 'en')).join();
    });
  });
});

test('j and k go to the next request while the panel has the focus, and closing it leads back to that row', async () => {
  const page = await open('requests?range=1h');
  const ids = () => new URL(page.url()).searchParams.get('request');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  const panel = page.getByRole('dialog');
  await panel.waitFor();
  const first = ids();
  await until(() => page.evaluate(() => document.activeElement?.closest('[role=dialog]') !== null));
  await page.keyboard.press('j');
  await until(() => ids() !== first);
  const second = ids();
  await page.keyboard.press('j');
  await until(() => ids() !== second);
  await page.keyboard.press('k');
  await until(() => ids() === second);
  expect(await rowsOf(page).nth(1).getAttribute('aria-current')).toBe('true');
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await until(() =>
    rowsOf(page)
      .nth(1)
      .evaluate((row) => row === document.activeElement),
  );
});
