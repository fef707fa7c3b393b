/** Tables of prices from a browser: how old they are, and a held price that is confirmed with one button. */

import { expect, setDefaultTimeout } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import type { PriceTablesView } from '../../src/admin/contracts/price-table-contract.ts';
import {
  accessibilityFaults,
  browserTimeoutMs,
  launchBrowser,
  leaveBrowser,
  visitFresh,
  type WatchedPage,
} from '../harness/browser.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { enterAs, openAs, ownerOf, personOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { tableTexts } from '../harness/price-files.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, beforeAll, describe, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

let weir: RunningWeir;
let browser: Browser;
let owner: ConsoleClient;
let watched: WatchedPage;

beforeAll(async () => {
  const openai = { kind: 'openai', base_url: 'http://127.0.0.1:1/v1', key: 'sk', models: ['gpt-4.1'] };
  [weir, browser] = await Promise.all([startWeir({ yaml: { providers: { openai } } }), launchBrowser()]);
  owner = await ownerOf(weir);
  const path = join(weir.dataFolder, 'table.json');
  await writeFile(path, tableTexts['models.dev']({ 'gpt-4.1': { input: 200, output: 8 } }));
  expect((await weir.command('prices', 'update', '--file', path)).code).toBe(0);
  await until(async () => (await tables()).length === 2);
  watched = await openAs(browser, weir, owner, { reducedMotion: 'reduce' });
  watched.page.setDefaultTimeout(60_000);
}, browserTimeoutMs);

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
});

async function tables(): Promise<PriceTablesView['tables']> {
  return ((await owner.get('/price-tables')).body as PriceTablesView).tables;
}

async function open(person: ConsoleClient) {
  const { page } = watched;
  await enterAs(watched, weir, person);
  await visitFresh(page, `${weir.url}/console/models`);
  const part = page.getByRole('region', { name: 'Price lists' });
  await part.getByText('openai/gpt-4.1').waitFor();
  return { page, part };
}

describe('the page of models', () => {
  test('a viewer sees the age of tables and what waits, and cannot confirm it', async () => {
    const { part, page } = await open(await personOf(weir, owner, 'viewer'));
    expect(await part.getByText(/genai-prices@[\d.]+ · \d+ days old/).count()).toBe(1);
    expect(await part.getByText('input 2 → 200 USD / 1M tokens').count()).toBe(1);
    expect(await part.getByRole('button').count()).toBe(0);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(watched.take().complaints).toEqual([]);
  });

  test('the owner confirms it: it is in effect and gone from the page', async () => {
    const { part } = await open(owner);
    await part.getByRole('button', { name: 'Confirm new price' }).click();
    await part.getByText('openai/gpt-4.1').waitFor({ state: 'detached' });
    expect((await tables())[0]?.held).toEqual([]);
    expect(watched.take().complaints).toEqual([]);
  });
});
