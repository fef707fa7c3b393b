/** What the pages say about a provider that fails 40 % of its attempts, one that rejects its key, and a slow one. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Locator, Page } from 'playwright-core';
import type { HealthView } from '../../src/admin/contracts/health-contract.ts';
import {
  accessibilityFaults,
  browserTimeoutMs,
  dialog,
  launchBrowser,
  leaveBrowser,
  pasted,
  visit,
  visitFresh,
  type WatchedPage,
} from '../harness/browser.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { enterAs, openAs, ownerOf, personOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { until } from '../harness/until.ts';
import { sendToUnwell, sent, startUnwellProviders, type UnwellProviders } from '../harness/unwell-providers.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, afterEach, beforeAll, describe, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

let providers: UnwellProviders;
let weir: RunningWeir;
let browser: Browser;
let owner: ConsoleClient;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  providers = startUnwellProviders();
  [weir, browser] = await Promise.all([startWeir({ yaml: providers.yaml }), launchBrowser()]);
  owner = await ownerOf(weir);
  await sendToUnwell(weir);
  await until(async () => ((await owner.get('/health')).body as HealthView).providers.some(isSlow));
  watched = await openAs(browser, weir, owner, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  page = watched.page;
  page.setDefaultTimeout(60_000);
  await page.goto(`${weir.url}/console`);
}, browserTimeoutMs);

const isSlow = ({ provider, attempts }: HealthView['providers'][number]): boolean =>
  provider === 'slow' && attempts === sent.slow;

afterAll(async () => {
  await leaveBrowser(browser);
  await weir?.remove();
  providers?.stop();
});

afterEach(() => {
  expect(watched.take().complaints).toEqual([]);
});

/** The text of one thing of the page, on one line. */
async function textOf(place: Locator): Promise<string> {
  return (await place.innerText()).replaceAll(/\s+/g, ' ');
}

const card = (name: string): Locator =>
  page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name, exact: true }) });
const row = (name: string): Locator =>
  page.getByRole('row').filter({ has: page.getByRole('cell', { name, exact: true }) });

/** A duration of half a second or more, as the pages write it. */
const slowFirstToken = /(?:[5-9]\d\d ms|\d+\.\d+ s)/;

describe('the page of providers', () => {
  test('shows the failing one as degraded with its error rate, though every request was answered', async () => {
    await visit(page, '/console/providers');
    await card('flaky').waitFor();
    const text = await textOf(card('flaky'));
    expect(text).toContain('Degraded');
    expect(text).toMatch(/Error rate 40%/);
    expect(text).toMatch(/HTTP 500 .*The engine is on fire\./);
    await expect(card('flaky').getByRole('img', { name: 'Last hour: 20 attempts, 8 failed' }).count()).resolves.toBe(1);
  });

  test('shows the rejected key on the card, in the panel, and on each key', async () => {
    const text = await textOf(card('rejecting'));
    expect(text).toMatch(/Key rejected.*Error rate 100%/);
    expect(text).toMatch(/Keys Key rejected/);
    expect(text).toMatch(/HTTP 401 .*Incorrect API key provided\./);
    await card('rejecting').getByRole('link', { name: 'rejecting', exact: true }).click();
    const panel = page.locator(dialog);
    await panel.getByText('nothing has been served with it since').waitFor();
    const shown = await textOf(panel);
    expect(shown).toMatch(/rejecting-model Key rejected Error rate 100%/);
    expect(shown).toMatch(/rejecting-key.*HTTP 401 .*Key rejected/);
    expect(await accessibilityFaults(page, dialog)).toEqual([]);
    await page.keyboard.press('Escape');
  });

  test('shows the slow one as healthy, with what was measured', async () => {
    const text = await textOf(card('slow'));
    expect(text).toMatch(/Healthy.*Error rate 0%/);
    expect(text).toMatch(new RegExp(`First token ${slowFirstToken.source} p50`));
    expect(text).toMatch(/Speed \d+ tokens\/s/);
    expect(text).not.toContain('HTTP');
    expect(await textOf(card('sandbox'))).toMatch(/No data.*Error rate –/);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('leads from the last error to its request', async () => {
    await visit(page, '/console/providers?provider=flaky');
    await page.locator(dialog).getByRole('link', { name: 'Open request' }).first().click();
    await page.waitForURL(/\/console\/requests\?request=req_/);
    await page.locator(dialog).getByText('The engine is on fire.').first().waitFor();
  });
});

describe('the page of models', () => {
  test('shows the same states and figures', async () => {
    await visit(page, '/console/models');
    await row('flaky-model').waitFor();
    expect(await textOf(row('flaky-model'))).toMatch(/Degraded Error rate 40%/);
    expect(await textOf(row('rejecting-model'))).toMatch(/Key rejected Error rate 100%/);
    expect(await textOf(row('never-called'))).toMatch(/no price – Key rejected$/);
    expect(await textOf(row('slow-model'))).toMatch(new RegExp(`${slowFirstToken.source} Healthy Error rate 0%`));
    expect(await textOf(row('through-rejecting'))).toContain('Key rejected (1 of 2)');
  });

  test('a model’s page has capabilities, price, usage in the range, and the health of each provider', async () => {
    await visit(page, '/console/models?model=through-flaky');
    const panel = page.locator(dialog);
    const target = (name: string) => panel.locator(`[data-target-health="${name}"]`);
    await target('flaky/flaky-model').waitFor();
    const failing = await textOf(target('flaky/flaky-model'));
    expect(failing).toMatch(/Degraded Error rate 40% 8 of 20/);
    expect(failing).toMatch(/Last error HTTP 500 .*The engine is on fire\./);
    expect(await textOf(target('steady/steady-model'))).toMatch(/Healthy Error rate 0% 0 of 11/);
    await until(async () => /Requests 20 /.test(await textOf(panel)), 60_000, 'the sums of the model');
    expect(await panel.getByText('tools', { exact: true }).count()).toBe(1);
    expect(await accessibilityFaults(page, dialog)).toEqual([]);
    await panel.getByRole('link', { name: 'View requests' }).click();
    await page.waitForURL(/\/console\/requests\?model=through-flaky/);
  });

  test('what a slow model costs, how fast it is, its name, and a try', async () => {
    await visit(page, '/console/models?model=slow-model');
    const panel = page.locator(dialog);
    await panel.locator('[data-target-health="slow/slow-model"]').waitFor();
    const shown = await textOf(panel);
    expect(shown).toMatch(new RegExp(`First token p50 ${slowFirstToken.source}, p95 ${slowFirstToken.source}`));
    expect(shown).toMatch(/Speed \d+ tokens\/s/);
    await until(async () => /Spend \$0\.00\d+/.test(await textOf(panel)), 60_000, 'what the model has cost');
    await panel.getByRole('button', { name: 'Copy the model name' }).click();
    await panel.locator('[data-outcome=copied]').waitFor();
    await panel.getByRole('button', { name: 'Try it' }).click();
    await page.waitForURL(/\/console\/playground\?model=slow-model/);
    expect(await pasted(page)).toBe('slow-model');
  });

  test('a member sees states, and neither errors nor traffic', async () => {
    await enterAs(watched, weir, await personOf(weir, owner, 'member'));
    try {
      await visitFresh(page, '/console/models?model=through-rejecting');
      await page.locator(`${dialog} [data-target-health="rejecting/rejecting-model"]`).waitFor();
      const text = await textOf(page.locator(dialog));
      expect(text).toContain('Key rejected');
      expect(text).not.toMatch(/Incorrect API key|Error rate|Last error/);
    } finally {
      await enterAs(watched, weir, owner);
      await visitFresh(page, '/console');
    }
  });
});

describe('the overview', () => {
  test('lists what is not healthy, the worst first, with the last error; the slow one is not among them', async () => {
    await visit(page, '/console');
    const list = page
      .getByRole('list')
      .filter({ has: page.getByRole('link', { name: 'rejecting, key rejecting-key' }) });
    await list.waitFor();
    const lines = await Promise.all((await list.getByRole('listitem').all()).map(textOf));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      /^Key rejected (?:retry in \d+ s )?rejecting, key rejecting-key Error rate 100% HTTP 401 .*Incorrect API key/,
    );
    expect(lines[1]).toMatch(/^Degraded flaky \/ flaky-model Error rate 40% HTTP 500 .*The engine is on fire\./);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('says the same after a restart', async () => {
    await weir.stop();
    await weir.restart();
    await page.goto(`${weir.url}/console`);
    await page.getByRole('link', { name: 'rejecting, key rejecting-key' }).waitFor();
    expect(await page.getByText('All providers are healthy.').count()).toBe(0);
    watched.take();
  });
});
