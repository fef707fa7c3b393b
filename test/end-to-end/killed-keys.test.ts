/** A process that is killed while it runs requests with an `Idempotency-Key`: replies and costs of repetitions. */

import { describe, expect } from 'bun:test';
import { join } from 'node:path';
import { errorOf, post, scripted } from '../harness/chat.ts';
import { readLedger } from '../harness/ledger-rows.ts';
import { needing } from '../harness/needs.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const body = JSON.stringify({ error: { message: 'wait', type: 'x', param: null, code: null } });

/** Read from the database: a request with the key would claim it if it is free. */
async function keysInUse({ databaseUrl, dataFolder }: RunningWeir): Promise<number> {
  const sql = "SELECT CAST(COUNT(*) AS INTEGER) AS keys FROM idempotency WHERE state = 'running'";
  const address = databaseUrl ?? `sqlite://${join(dataFolder, 'weir.db')}`;
  const database = new Bun.SQL(address, { max: 1 });
  try {
    const [row] = (await database.unsafe(sql)) as { readonly keys: number }[];
    return row?.keys ?? 0;
  } finally {
    await database.close();
  }
}

describe.each(['sqlite', 'postgres'] as const)('%s', (database) => {
  const { afterAll, beforeAll, test } = needing(database);
  let upstream: RunningUpstream;
  let weir: RunningWeir;
  beforeAll(async () => {
    upstream = await startUpstream();
    const up = { kind: 'openai-chat', base_url: upstream.base, key: 'sk-up', models: ['gpt-4.1', 'resting'] };
    weir = await startWeir({ database, yaml: { providers: { up }, clocks: { patience_ms: 60_000 } } });
  });
  afterAll(async () => {
    await weir.remove();
    await upstream.stop();
  });

  test('a key is free again if nothing was sent, and reports an unknown outcome if something was', async () => {
    const send = (key: string, content: Record<string, unknown>) =>
      post(weir, content, { headers: { 'idempotency-key': key } });
    const sent = scripted({ head: 'never', nonce: 'sent' });
    const waiting = scripted({ deltas: 3, nonce: 'waiting' }, { model: 'resting' });
    // Their connections break when the process is killed.
    const running = [send('sent', sent).catch(() => undefined)];
    await until(async () => (await upstream.invoice()).some(({ nonce }) => nonce === 'sent'), 60_000);
    // Its provider asks for a minute, so that the next request waits with its key claimed and nothing sent.
    const busy = scripted({ status: 429, headers: { 'retry-after': '50' }, body }, { model: 'resting' });
    expect((await post(weir, busy)).status).toBe(429);
    running.push(send('waiting', waiting).catch(() => undefined));
    const codes = async (key: string, content: Record<string, unknown>) =>
      (await errorOf(await send(key, content))).code;
    await until(async () => (await keysInUse(weir)) === 2, 60_000);
    await weir.kill();
    await Promise.all(running);
    await weir.restart();
    if (database === 'postgres') expect(await codes('sent', sent)).toBe('idempotency_in_progress');
    // If replicas share the database, a lease must expire before the process counts as dead.
    const isOver = async (): Promise<boolean> => (await codes('sent', sent)) !== 'idempotency_in_progress';
    await until(isOver, 60_000, 'the end of the lease');
    const unknown = await send('sent', sent);
    expect([unknown.status, unknown.headers.get('x-should-retry')]).toEqual([409, 'false']);
    expect((await errorOf(unknown)).code).toBe('idempotency_outcome_unknown');
    await until(async () => (await send('waiting', waiting)).status === 200, 60_000);
    const again = await send('waiting', waiting);
    expect([again.status, again.headers.get('x-weir-replayed') === null]).toEqual([200, false]);
    const invoice = await upstream.invoice();
    expect(invoice.filter(({ nonce }) => nonce === 'sent')).toHaveLength(1);
    expect(invoice.filter(({ nonce }) => nonce === 'waiting')).toHaveLength(1);
    const { attempts } = await readLedger(weir);
    expect(attempts.filter(({ state }) => state !== 'settled')).toEqual([]);
  }, 300_000);
});
