/** Price tables in the console: their age, prices that were held back, and who may confirm them. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PriceTablesView } from '../../src/admin/contracts/price-table-contract.ts';
import { ConsoleClient, codeOf } from '../harness/console-client.ts';
import { tableTexts } from '../harness/price-files.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const password = `a-long-password-${crypto.randomUUID()}`;

describe('price tables in the console', () => {
  let weir: RunningWeir;
  let admin: ConsoleClient;
  let viewer: ConsoleClient;
  beforeAll(async () => {
    weir = await startWeir({
      yaml: {
        providers: { openai: { kind: 'openai', base_url: 'http://127.0.0.1:1/v1', key: 'sk', models: ['gpt-4.1'] } },
      },
      env: { WEIR_ADMIN_PASSWORD: password },
    });
    admin = new ConsoleClient(weir);
    expect((await admin.signIn('admin', password)).status).toBe(200);
    await admin.post('/accounts', { name: 'vera', role: 'viewer', password });
    viewer = new ConsoleClient(weir);
    expect((await viewer.signIn('vera', password)).status).toBe(200);
  });
  afterAll(() => weir.remove());

  const view = async (client: ConsoleClient) => (await client.get('/price-tables')).body as PriceTablesView;
  const inputUsd = async () => {
    const { body } = await admin.get('/models');
    const { items } = body as { items: { id: string; pricing?: { prompt: string } }[] };
    return Number((Number(items.find(({ id }) => id === 'gpt-4.1')?.pricing?.prompt) * 1e6).toPrecision(6));
  };

  test('the bundled one is shown with its date and age', async () => {
    const { tables } = await view(viewer);
    expect(tables).toMatchObject([{ source: 'bundled', dated: true, held: [] }]);
    expect(tables[0]?.day).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(tables[0]?.ageDays).toBeGreaterThan(0);
  });

  test('a held price is confirmed by an administrator, takes effect at once, and is audited', async () => {
    const path = join(weir.dataFolder, 'table.json');
    await writeFile(path, tableTexts['models.dev']({ 'gpt-4.1': { input: 200, output: 8 } }));
    expect((await weir.command('prices', 'update', '--file', path)).code).toBe(0);
    await until(async () => (await view(viewer)).tables.length === 2, 60_000, 'the new table');
    const shown = await view(viewer);
    expect(shown.tables[0]).toMatchObject({ source: 'models.dev', origin: path, models: 1 });
    expect(shown.tables[0]?.held).toEqual([
      {
        host: 'openai',
        model: 'gpt-4.1',
        rates: [{ rate: 'input', before: '2', after: '200', unit: 'USD / 1M tokens' }],
      },
    ]);
    expect(await inputUsd()).toBe(2);
    const meant = { source: 'models.dev', host: 'openai', model: 'gpt-4.1' };
    expect((await viewer.post('/price-tables/confirm', meant)).status).toBe(403);
    expect(codeOf(await admin.post('/price-tables/confirm', { ...meant, model: 'none' }))).toBe('not_found');
    expect((await admin.post('/price-tables/confirm', { source: 'models.dev' })).status).toBe(400);
    const confirmed = await admin.post('/price-tables/confirm', meant);
    expect(confirmed.status).toBe(200);
    expect((confirmed.body as PriceTablesView).tables[0]?.held).toEqual([]);
    expect(await inputUsd()).toBe(200);
    const log = (await admin.get('/audit?limit=5')).body as { items: { action: string; subject: string }[] };
    expect(log.items[0]).toMatchObject({ action: 'price-confirm', subject: 'openai/gpt-4.1' });
  });

  test('what a table says in no way that is understood is named with its line', async () => {
    const path = join(weir.dataFolder, 'new-unit.json');
    const text = tableTexts.litellm({
      'gpt-4.1': { input: 2, output: 8 },
      'gpt-4.1-mini': { input: 0.4, output: 1.6 },
    });
    await writeFile(
      path,
      text.replace('"input_cost_per_token"', '"input_cost_per_banana": 1,\n"input_cost_per_token"'),
    );
    const { code, stdout } = await weir.command('prices', 'update', '--file', path);
    const named = { place: 'line 5, gpt-4.1/input_cost_per_banana', says: 'This unit of a price is not known.' };
    expect([code, stdout]).toEqual([0, expect.stringContaining(`* ${named.place}: ${named.says}`)]);
    const leftOut = async () => (await view(viewer)).tables.find(({ source }) => source === 'litellm')?.leftOut;
    await until(async () => (await leftOut()) !== undefined, 60_000, 'the new table');
    expect(await leftOut()).toEqual({ models: 0, keys: 1, kept: 0, named: [{ what: 'key', ...named }] });
    expect((await weir.command('prices')).stdout).toContain(`1 key of litellm`);
  });
});
