/** Weir keeps reading for a while after a client disconnected: exact cost if usage comes, an estimate if not. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { errorOf, post } from '../harness/chat.ts';
import {
  chatDelta,
  chatReply,
  chatUsage,
  type HeldRequest,
  type HoldingUpstream,
  startHoldingUpstream,
  writtenStream,
} from '../harness/holding-upstream.ts';
import { expectBalanced, readLedger, settledLedger, type UsageRow } from '../harness/ledger-rows.ts';
import { postTo } from '../harness/operation-calls.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

let upstream: HoldingUpstream;
/** Keeps reading for longer than any test lasts, for two attempts at a time. */
let patient: RunningWeir;
/** Keeps reading for a short time. */
let brief: RunningWeir;
const start = (clocks: object, limits: object = {}): Promise<RunningWeir> =>
  startWeir({
    yaml: {
      providers: {
        up: { kind: 'openai-chat', base_url: upstream.base, key: 'sk-upstream', models: ['talk', 'images'] },
      },
      prices: { talk: { input: 2, output: 8 }, images: { image: 0.04 } },
      clocks,
      limits,
    },
  });
beforeAll(async () => {
  upstream = startHoldingUpstream();
  patient = await start({ read_on_ms: 600_000, drain_ms: 600_000 }, { read_on_attempts_max: 2 });
  brief = await start({ read_on_ms: 100 });
});
afterAll(async () => {
  await patient.remove();
  await brief.remove();
  await upstream.stop();
});

const budget = ['--budget-usd', '50', '--budget-period', 'total'];
const talk = { model: 'talk', messages: [{ role: 'user', content: 'How much is it?' }], max_tokens: 100 };
const exactNano = (prompt: bigint, completion: bigint): bigint => prompt * 2_000n + completion * 8_000n;
const rowsOf = async (weir: RunningWeir, token: MadeToken): Promise<UsageRow[]> =>
  (await settledLedger(weir)).usage.filter((row) => row.tokenId === token.id);

async function rowOf(weir: RunningWeir, token: MadeToken): Promise<UsageRow | undefined> {
  // Weir may still be reading for attempts of other tests: only this token's row counts, and none of a refusal.
  const isOwn = ({ tokenId, code }: UsageRow): boolean => tokenId === token.id && code !== 'concurrency_limited';
  const own = async () => (await readLedger(weir)).usage.filter(isOwn);
  await until(async () => (await own()).length > 0, 60_000, 'a row');
  return (await own()).at(-1);
}

interface Asking {
  readonly held: HeldRequest;
  leave(): Promise<void>;
  /** The reply, once its head arrived. */
  readonly reply: Promise<Response | undefined>;
}

async function ask(token: MadeToken, body: object, headers: Record<string, string> = {}, path = ''): Promise<Asking> {
  const before = upstream.requests.length;
  const leaving = new AbortController();
  const init = { signal: leaving.signal, headers };
  const reply = (path === '' ? post(token, body, init) : postTo(token, path, body, init)).catch(() => undefined);
  await until(() => upstream.requests.length > before, 60_000, 'the request at the provider');
  const held = upstream.requests[before];
  if (held === undefined) throw new Error('no request');
  return {
    held,
    reply,
    async leave() {
      leaving.abort();
      await reply;
    },
  };
}

/** A stream of which the client reads the first word, and then disconnects. */
async function leaveStream(token: MadeToken) {
  const asking = await ask(token, { ...talk, stream: true });
  const stream = writtenStream();
  asking.held.answer(stream.reply);
  stream.write(chatDelta('So it is.'));
  const reader = (await asking.reply)?.body?.getReader();
  await reader?.read();
  await asking.leave();
  await reader?.cancel().catch(() => undefined);
  return { ...stream, held: asking.held };
}

test('a stream whose client disconnects before its usage is charged exactly and keeps its slot until then', async () => {
  const token = await createToken(patient, ...budget, '--concurrency', '1');
  const stream = await leaveStream(token);
  const meanwhile = await post(token, talk);
  expect([meanwhile.status, (await errorOf(meanwhile)).code]).toEqual([429, 'concurrency_limited']);
  stream.write(chatDelta('', 'stop'), chatUsage(11, 5_000));
  stream.done();
  const row = await rowOf(patient, token);
  expect(row).toMatchObject({ code: 'client_left', estimated: false, costNano: exactNano(11n, 5_000n) });
  expect(stream.held.left).toBe(false);
  const next = await ask(token, talk);
  next.held.answer(Response.json(chatReply(1, 1)));
  expect((await next.reply)?.status).toBe(200);
  expectBalanced(await settledLedger(patient));
});

test('a whole reply after its client disconnected is charged exactly, and stored for its idempotency key', async () => {
  const token = await createToken(patient, ...budget);
  const headers = { 'idempotency-key': 'left' };
  const asking = await ask(token, talk, headers);
  await asking.leave();
  asking.held.answer(Response.json(chatReply(11, 40)));
  expect(await rowOf(patient, token)).toMatchObject({ estimated: false, costNano: exactNano(11n, 40n) });
  const before = upstream.requests.length;
  const again = await post(token, talk, { headers });
  expect([again.status, upstream.requests.length]).toEqual([200, before]);
  expect(await again.json()).toMatchObject({ usage: { completion_tokens: 40 } });
});

test('a reply of another operation is read, too', async () => {
  const token = await createToken(patient, ...budget);
  const asking = await ask(token, { model: 'images', prompt: 'A weir.', n: 3 }, {}, '/images/generations');
  await asking.leave();
  asking.held.answer(Response.json({ created: 1, data: [{ b64_json: 'AAAA' }, { b64_json: 'AAAA' }] }));
  expect((await rowOf(patient, token))?.costNano).toBe(80_000_000n);
});

test('a stream whose client disconnects before its first event is read to its usage', async () => {
  const token = await createToken(patient, ...budget);
  const asking = await ask(token, { ...talk, stream: true });
  await asking.leave();
  const stream = writtenStream();
  asking.held.answer(stream.reply);
  stream.write(chatDelta('So it is.'));
  // The head has no receiver by now, and the runtime reads its body.
  for (let round = 0; round < 20; round++) await fetch(`${patient.url}/healthz`);
  stream.write(chatDelta('', 'stop'), chatUsage(11, 7));
  stream.done();
  expect(await rowOf(patient, token)).toMatchObject({ estimated: false, costNano: exactNano(11n, 7n) });
});

test('above the limit of such attempts the next one ends at once, as an estimate', async () => {
  const token = await createToken(patient, ...budget);
  const other = await createToken(patient, ...budget);
  const kept = [await leaveStream(token), await leaveStream(token)];
  const last = await leaveStream(other);
  await until(() => last.held.left, 60_000, 'the end of the last');
  expect(await rowOf(patient, other)).toMatchObject({ status: 499, code: 'client_left', estimated: true });
  expect(kept.map(({ held }) => held.left)).toEqual([false, false]);
  for (const stream of kept) {
    stream.write(chatDelta('', 'stop'), chatUsage(11, 9));
    stream.done();
  }
  await until(async () => (await rowsOf(patient, token)).length === 2, 60_000, 'the rows of the others');
  for (const row of await rowsOf(patient, token))
    expect(row).toMatchObject({ estimated: false, costNano: exactNano(11n, 9n) });
});

test('a provider that does not end is closed when the time is over, and its output until then is charged', async () => {
  const token = await createToken(brief, ...budget);
  const stream = await leaveStream(token);
  stream.write(chatDelta(' And'), chatDelta(' so'), chatDelta(' on'));
  await until(() => stream.held.left, 60_000, 'the end of the connection to the provider');
  const [row] = await rowsOf(brief, token);
  expect(row).toMatchObject({ status: 499, code: 'client_left', estimated: true });
  expect(row?.outputTotal).toBeGreaterThanOrEqual(4);
  const whole = await createToken(brief, ...budget);
  const asking = await ask(whole, talk);
  await asking.leave();
  await until(() => asking.held.left, 60_000, 'the end of the other connection');
  expect(await rowOf(brief, whole)).toMatchObject({ status: 499, code: 'client_left', estimated: true });
  expectBalanced(await settledLedger(brief));
});

test('a refusal that arrives after the client disconnected is free, and no fallback is tried', async () => {
  const token = await createToken(patient, ...budget);
  const asking = await ask(token, talk);
  await asking.leave();
  asking.held.answer(Response.json({ error: { message: 'busy' } }, { status: 503 }));
  expect(await rowOf(patient, token)).toMatchObject({ costNano: 0n });
});

test('a shutdown does not wait for clients that disconnected', async () => {
  const token = await createToken(patient, ...budget);
  const stream = await leaveStream(token);
  const asking = await ask(token, talk);
  await asking.leave();
  expect(await patient.stop()).toBe(0);
  expect([stream.held.left, asking.held.left]).toEqual([true, true]);
  await patient.restart();
  const rows = await rowsOf(patient, token);
  expect(rows.map(({ code, estimated }) => [code, estimated])).toEqual(Array(2).fill(['client_left', true]));
});
