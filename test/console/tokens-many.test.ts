/** Many tokens at once, their owners and their models, in a real browser: by mouse, by keyboard, and where something fails. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import type { IssuedTokenView, OwnedTokenView, PageView } from '../../src/admin/contracts/contract.ts';
import { en } from '../../src/console/words/en.ts';
import {
  browserTimeoutMs,
  faultsByTheme,
  launchBrowser,
  leaveBrowser,
  visit,
  visitFresh,
  type WatchedPage,
} from '../harness/browser.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { enterAs, openAs, ownerName, ownerOf, personOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, afterEach, beforeAll, describe, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

const words = en.tokenList;
const labelsMax = 16;

let weir: RunningWeir;
let browser: Browser;
let owner: ConsoleClient;
let member: ConsoleClient;
let watched: WatchedPage;

beforeAll(async () => {
  [weir, browser] = await Promise.all([startWeir(), launchBrowser()]);
  owner = await ownerOf(weir);
  member = await personOf(weir, owner, 'member');
  watched = await openAs(browser, weir, owner, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
});

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
});

afterEach(async () => {
  const { complaints } = watched.take();
  await enterAs(watched, weir, owner);
  expect(complaints.filter((text) => !/status of 400/.test(text))).toEqual([]);
});

const panel = (page: Page) => page.getByRole('dialog');
const rowsOf = (page: Page) => page.locator('main tbody tr[tabindex]');
const boxOf = (page: Page, name: string) => page.getByRole('checkbox', { name: en.parts.selectRow(name), exact: true });

async function create(name: string, fields: object = {}): Promise<IssuedTokenView> {
  return (await owner.post('/tokens', { name, ...fields })).body as IssuedTokenView;
}

async function named(part: string): Promise<readonly OwnedTokenView[]> {
  const { items } = (await owner.get(`/tokens?limit=100&q=${part}`)).body as PageView<OwnedTokenView>;
  return items;
}

async function open(path: string): Promise<Page> {
  const { page } = watched;
  await visitFresh(page, `${weir.url}/console/${path}`);
  return page;
}

async function expectReadable(page: Page): Promise<void> {
  expect(await faultsByTheme(page)).toEqual([]);
}

describe('many tokens at once', () => {
  test('are selected with shift, disabled and enabled after a question that names how many', async () => {
    for (const index of [1, 2, 3, 4]) await create(`paused ${index}`);
    const page = await open('tokens?q=paused&sort=name');
    await until(async () => (await rowsOf(page).count()) === 4);
    await boxOf(page, 'paused 1').click();
    await boxOf(page, 'paused 3').click({ modifiers: ['Shift'] });
    const bar = page.getByRole('region', { name: words.bulk.label });
    await bar.getByText(words.bulk.selected(3)).waitFor();
    await expectReadable(page);
    await bar.getByRole('button', { name: words.bulk.actions.disable }).click();
    await page.getByRole('dialog', { name: words.bulk.titles.disable(3) }).waitFor();
    await expectReadable(page);
    await page.getByRole('button', { name: words.bulk.confirm.disable(3) }).click();
    await page.getByText(words.bulk.allDone(3)).waitFor();
    const states = async () => Object.fromEntries((await named('paused')).map(({ name, state }) => [name, state]));
    expect(await states()).toEqual({
      'paused 1': 'disabled',
      'paused 2': 'disabled',
      'paused 3': 'disabled',
      'paused 4': 'active',
    });
    await bar.waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: en.parts.selectAll }).click();
    await bar.getByRole('button', { name: words.bulk.actions.enable }).click();
    await page.getByRole('button', { name: words.bulk.confirm.enable(4) }).click();
    await page.getByText(words.bulk.allDone(4)).waitFor();
    expect(new Set(Object.values(await states()))).toEqual(new Set(['active']));
  });

  test('some of which fail: those are named with the reason, and stay selected', async () => {
    const full = Array.from({ length: labelsMax }, (_, index) => `label-${index}`);
    await create('labeled one');
    await create('labeled full', { labels: full });
    await create('labeled two', { labels: ['old'] });
    const page = await open('tokens?q=labeled&sort=name');
    await until(async () => (await rowsOf(page).count()) === 3);
    await page.getByRole('checkbox', { name: en.parts.selectAll }).click();
    await page.getByRole('button', { name: words.bulk.actions.label }).click();
    const question = page.getByRole('dialog', { name: words.bulk.titles.label(3) });
    await question.getByRole('button', { name: words.bulk.confirm.label(3) }).click();
    await question.getByText(words.bulk.labelMissing).waitFor();
    await question.getByLabel(words.bulk.newLabel).fill('team-b');
    await page.keyboard.press('Enter');
    await question.getByRole('alert').getByText(words.bulk.result(2, 3)).waitFor();
    await question.getByText('labeled full').waitFor();
    expect(await question.getByRole('listitem').innerText()).toContain(`${labelsMax}`);
    await expectReadable(page);
    await question.getByText(words.bulk.close, { exact: true }).click();
    const labels = Object.fromEntries((await named('labeled')).map((token) => [token.name, token.labels]));
    expect(labels).toEqual({ 'labeled one': ['team-b'], 'labeled two': ['old', 'team-b'], 'labeled full': full });
    expect(await boxOf(page, 'labeled full').isChecked()).toBe(true);
    expect(await boxOf(page, 'labeled one').isChecked()).toBe(false);
  });

  test('are revoked and given an expiry by keyboard alone', async () => {
    for (const index of [1, 2, 3]) await create(`ending ${index}`);
    const page = await open('tokens?q=ending&sort=name');
    await until(async () => (await rowsOf(page).count()) === 3);
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press('j', 'Space', 'j', 'Space');
    const bar = page.getByRole('region', { name: words.bulk.label });
    await bar.getByText(words.bulk.selected(2)).waitFor();
    await bar.getByRole('button', { name: words.bulk.actions.expiry }).focus();
    await press('Enter');
    const expiry = page.getByRole('dialog', { name: words.bulk.titles.expiry(2) });
    await expiry.getByLabel(words.bulk.expires).fill('2099-12-31');
    await press('Enter');
    await page.getByText(words.bulk.allDone(2)).waitFor();
    await rowsOf(page).first().focus();
    await press('Space', 'End', 'Shift+Space');
    await bar.getByText(words.bulk.selected(3)).waitFor();
    await bar.getByRole('button', { name: words.bulk.actions.revoke }).focus();
    await press('Enter');
    const question = page.getByRole('dialog', { name: words.bulk.titles.revoke(3) });
    await question.getByRole('button', { name: words.bulk.confirm.revoke(3) }).focus();
    await press('Enter');
    await page.getByText(words.bulk.allDone(3)).waitFor();
    const ended = await named('ending');
    expect(ended.map(({ state }) => state)).toEqual(['revoked', 'revoked', 'revoked']);
    expect(ended.filter(({ expiresAt }) => expiresAt?.startsWith('2099-12-31') === true)).toHaveLength(2);
  });

  test('a member can only revoke their own', async () => {
    await member.post('/tokens', { name: 'of the member' });
    await enterAs(watched, weir, member);
    const page = await open('tokens');
    await boxOf(page, 'of the member').click();
    const bar = page.getByRole('region', { name: words.bulk.label });
    expect(await bar.getByRole('button').allInnerTexts()).toEqual([words.bulk.actions.revoke, words.bulk.clear]);
    await visit(page, '/console/tokens?new=app');
    await panel(page).getByRole('combobox', { name: en.tokens.fields.models }).waitFor();
    expect(await panel(page).getByLabel(words.owner.label, { exact: true }).count()).toBe(0);
  });
});

describe('the form', () => {
  test('an administrator chooses the owner and the models of a new token, by keyboard', async () => {
    const page = await open('tokens?new=app');
    await panel(page).getByLabel(en.tokens.fields.name, { exact: true }).fill('for a colleague');
    await panel(page).getByLabel(words.owner.label).selectOption({ label: 'member' });
    const models = panel(page).getByRole('combobox', { name: en.tokens.fields.models });
    await models.focus();
    await page.keyboard.type('sandbox-ch');
    await panel(page).getByRole('option', { name: 'sandbox-chat', exact: true }).waitFor();
    await expectReadable(page);
    await page.keyboard.press('Enter');
    await page.keyboard.type('gpt-*');
    await page.keyboard.press('Enter');
    await page.keyboard.type('typed-and-left');
    // Escape closes the list, not the sheet.
    await page.keyboard.press('Escape');
    await panel(page).getByRole('button', { name: en.tokens.create }).click();
    await page.locator('[data-secret]').waitFor();
    expect((await named('colleague'))[0]).toMatchObject({
      ownerName: 'member',
      models: ['sandbox-chat', 'gpt-*', 'typed-and-left'],
    });
    await page.getByRole('button', { name: en.tokens.stored }).click();
  });

  test('a token changes hands, and the command line’s have no owner', async () => {
    const { id } = await create('changing hands');
    const page = await open(`tokens?token=${id}&edit=1`);
    expect(await panel(page).getByLabel(words.owner.label).locator('option:checked').innerText()).toBe(
      words.owner.you(ownerName),
    );
    await panel(page).getByLabel(words.owner.label).selectOption({ label: 'member' });
    await panel(page).getByRole('button', { name: en.tokens.save }).click();
    await panel(page).getByRole('button', { name: en.tokens.rotate }).waitFor();
    expect((await named('changing'))[0]?.ownerName).toBe('member');
    const first = (await named('')).find(({ ownerId }) => ownerId === undefined);
    expect(first).toBeDefined();
    await visit(page, '/console/tokens');
    await rowsOf(page).getByText(words.noOwner).first().waitFor();
  });

  test('the title of a new token says that it is ready, however long its name is', async () => {
    const page = await open('tokens?new=app');
    const name = 'a name as long as it may be '.repeat(4).slice(0, 99);
    await panel(page).getByLabel(en.tokens.fields.name, { exact: true }).fill(name);
    await panel(page).getByRole('button', { name: en.tokens.create }).click();
    await page.locator('[data-secret]').waitFor();
    const ending = en.tokens.created('').trim();
    const said = await panel(page).getByRole('heading', { level: 2 }).getByText(ending).boundingBox();
    const close = await panel(page).getByRole('button', { name: en.parts.close, exact: true }).boundingBox();
    expect(said?.width ?? 0).toBeGreaterThan(20);
    expect((said?.x ?? 0) + (said?.width ?? 0)).toBeLessThanOrEqual(close?.x ?? 0);
  });
});

test('a notice does not cover the buttons of the panel', async () => {
  const { id } = await create('noticed');
  const page = await open(`tokens?token=${id}`);
  await panel(page).getByRole('button', { name: words.disable, exact: true }).click();
  const notice = page.getByText(words.disabledNote('noticed'));
  await notice.waitFor();
  const covered = await panel(page)
    .getByRole('button', { name: en.tokens.rotate })
    .evaluate((button) => {
      const { left, top, width, height } = button.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      return hit === null || !button.contains(hit);
    });
  expect(covered).toBe(false);
  await panel(page).getByRole('button', { name: words.enable, exact: true }).click();
  await page.getByText(words.enabledNote('noticed')).waitFor();
});

test('a budget is shown in numbers', async () => {
  const { id } = await create('budgeted', { budgetUsd: '5', budgetPeriod: 'week' });
  const page = await open(`tokens?token=${id}`);
  for (const [name, value] of [
    [words.budget.spent, '$0'],
    [words.budget.held, '$0'],
    [words.budget.left, '$5.00'],
    [words.budget.resets, /^in \d+ (days|hours|minutes|seconds)$/],
  ] as const) {
    const fact = panel(page)
      .locator('dl div', { has: page.getByText(name, { exact: true }) })
      .first();
    expect((await fact.locator('dd').innerText()).trim()).toMatch(value);
  }
  const row = rowsOf(page).filter({ hasText: 'budgeted' });
  expect(await row.innerText()).toContain(words.budget.leftShort('$5.00'));
  expect(await row.locator('[title*="Resets"]').count()).toBe(1);
});
