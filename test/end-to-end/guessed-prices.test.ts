/** Another provider's price is a guess, and budgets ignore guesses unless the operator allows them. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorOf, post, scripted } from '../harness/chat.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { ownerOf } from '../harness/console-session.ts';
import { readLedger, type UsageRow } from '../harness/ledger-rows.ts';
import { pricesHere } from '../harness/price-commands.ts';
import { isFullSize } from '../harness/size.ts';
import { createToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let upstream: RunningUpstream;
/** In the usual size its setting is changed while it runs; in the full one each setting has a file. */
let shared: RunningWeir | undefined;
let owner: ConsoleClient;
beforeAll(async () => {
  upstream = await startUpstream();
  if (isFullSize) return;
  shared = await startWeir({ yaml: yamlWith({}) });
  owner = await ownerOf(shared);
});
afterAll(async () => {
  await shared?.remove();
  await upstream.stop();
});

const budget = ['--budget-usd', '1', '--budget-period', 'total'] as const;

/** `other` is a provider in no table; `own` is the vendor of the model. */
function yamlWith(more: object): object {
  const at = { base_url: upstream.base, key: 'sk-upstream', models: ['gpt-4.1', 'unsold-model', 'with-a-new-unit'] };
  return { providers: { own: { kind: 'openai', ...at }, other: { kind: 'openai-chat', ...at } }, ...more };
}

/** The row of a token's only request, as soon as it is written. */
async function rowOf(weir: RunningWeir, id: string): Promise<UsageRow | undefined> {
  let row: UsageRow | undefined;
  await until(async () => {
    row = (await readLedger(weir)).usage.find(({ tokenId }) => tokenId === id);
    return row !== undefined;
  });
  return row;
}

describe.each([
  { setting: {}, guesses: 'display', charged: true, budgeted: 402 },
  { setting: { price_tables: { guesses: 'budgets' } }, guesses: 'budgets', charged: true, budgeted: 200 },
  { setting: { prices: { guesses: 'off' } }, guesses: 'off', charged: false, budgeted: 402 },
])('guesses: $guesses', ({ setting, guesses, charged, budgeted }) => {
  let weir: RunningWeir;
  beforeAll(async () => {
    weir = shared ?? (await startWeir({ yaml: yamlWith(setting) }));
    if (shared === undefined || guesses === 'display') return;
    const changed = await owner.call('PATCH', '/settings', { body: { values: { 'price_tables.guesses': guesses } } });
    expect(changed.status).toBe(200);
  });
  afterAll(async () => {
    if (weir !== shared) await weir.remove();
  });

  test('the provider’s own price is charged to all tokens', async () => {
    const token = await createToken(weir, ...budget);
    const reply = await post(token, scripted({}, { model: 'own/gpt-4.1', max_tokens: 100 }));
    expect(reply.status).toBe(200);
    await reply.text();
    const row = await rowOf(weir, token.id);
    expect(row?.priceVersion).toStartWith('genai-prices@');
    expect(row?.costNano).toBeGreaterThan(0n);
  });

  test('a guess is charged without a budget if guesses count, and is marked', async () => {
    const token = await createToken(weir);
    const reply = await post(token, scripted({}, { model: 'other/gpt-4.1', max_tokens: 100 }));
    expect(reply.status).toBe(200);
    await reply.text();
    const row = await rowOf(weir, token.id);
    expect(row?.priceVersion).toBe(charged ? 'guess: genai-prices@0.1.8 openai' : '');
    expect((row?.costNano ?? 0n) > 0n).toBe(charged);
  });

  test('a guess is charged to a budget only if the operator allows it', async () => {
    const token = await createToken(weir, ...budget);
    const invoiced = (await upstream.invoice()).length;
    const reply = await post(token, scripted({}, { model: 'other/gpt-4.1', max_tokens: 100 }));
    expect(reply.status).toBe(budgeted);
    if (budgeted === 200) return;
    const { code, message } = await errorOf(reply);
    expect(code).toBe('price_unknown');
    if (guesses === 'display') {
      expect(message).toContain('genai-prices@0.1.8 openai');
      expect(message).toContain('price_tables.guesses: budgets');
    }
    expect((await upstream.invoice()).length).toBe(invoiced);
  });

  test('a price without a unit that is not known is charged like a guess', async () => {
    const path = join(weir.dataFolder, 'table.json');
    const model = { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };
    await writeFile(path, JSON.stringify({ 'with-a-new-unit': { ...model, input_cost_per_text_message: 0.004 } }));
    expect((await pricesHere(weir, 'update', '--file', path)).code).toBe(0);
    const open = await createToken(weir);
    const versionOf = async () => {
      const reply = await post(open, scripted({}, { model: 'own/with-a-new-unit', max_tokens: 100 }));
      await reply.text();
      return reply.headers.get('x-weir-cost-source');
    };
    if (charged) await until(async () => (await versionOf()) === 'guess', 60_000, 'the new table');
    const token = await createToken(weir, ...budget);
    const reply = await post(token, scripted({}, { model: 'own/with-a-new-unit', max_tokens: 100 }));
    expect(reply.status).toBe(budgeted);
    if (budgeted === 200) return;
    const { code, message } = await errorOf(reply);
    expect(code).toBe('price_unknown');
    if (charged) expect(message).toContain('no complete price: litellm ');
  });

  test('a model that no provider sells has no price', async () => {
    const token = await createToken(weir, ...budget);
    const reply = await post(token, scripted({}, { model: 'other/unsold-model' }));
    expect([reply.status, (await errorOf(reply)).code]).toEqual([402, 'price_unknown']);
  });
});
