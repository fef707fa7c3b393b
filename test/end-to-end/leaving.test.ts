/** Clients that disconnect after their request was sent: providers bill that, so it is charged, on every endpoint. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { errorOf, post } from '../harness/chat.ts';
import { type HeldRequest, type HoldingUpstream, startHoldingUpstream } from '../harness/holding-upstream.ts';
import { expectBalanced, settledLedger, type UsageRow } from '../harness/ledger-rows.ts';
import { audioBlob, formOf, png, postTo } from '../harness/operation-calls.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);
const budget = ['--budget-usd', '50', '--budget-period', 'total'];

let upstream: HoldingUpstream;
let weir: RunningWeir;
beforeAll(async () => {
  upstream = startHoldingUpstream();
  weir = await startWeir({
    yaml: {
      providers: {
        up: {
          kind: 'openai-chat',
          base_url: upstream.base,
          key: 'sk-upstream',
          models: ['talk', 'vectors', 'ranked', 'judged', 'images', 'speech', 'transcripts'],
        },
        down: {
          kind: 'openai-chat',
          base_url: 'http://127.0.0.1:1/v1',
          key: 'sk-down',
          models: ['unreachable'],
        },
      },
      prices: {
        talk: { input: 2, output: 8 },
        unreachable: { input: 2, output: 8 },
        vectors: { input: 1, output: 0 },
        judged: { input: 1, output: 0 },
        ranked: { searches: 2 },
        images: { image: 0.04 },
        speech: { characters: 15 },
        transcripts: { minute: 0.006 },
      },
      clocks: { read_on_ms: 0 },
    },
  });
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
});

const rowsOf = async (token: MadeToken): Promise<UsageRow[]> =>
  (await settledLedger(weir)).usage.filter((row) => row.tokenId === token.id);

/** Sends, waits until the provider has the request, disconnects, and returns the row once it is written. */
async function leave(
  token: MadeToken,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ readonly row: UsageRow | undefined; readonly held: HeldRequest | undefined }> {
  const before = upstream.requests.length;
  const rowsBefore = (await rowsOf(token)).length;
  const leaving = new AbortController();
  const target = { ...token, base: path.startsWith('/v1beta') ? weir.url : token.base };
  const sent = postTo(target, path, body, { signal: leaving.signal, headers }).catch(() => undefined);
  await until(() => upstream.requests.length > before, 60_000, `${path} at the provider`);
  leaving.abort();
  await sent;
  await until(async () => (await rowsOf(token)).length > rowsBefore, 60_000, `a row for ${path}`);
  return { row: (await rowsOf(token)).at(-1), held: upstream.requests[before] };
}

const talk = { model: 'talk', messages: [{ role: 'user', content: 'How much is it?' }], max_tokens: 100 };
/** What a hundred tokens of output cost, in nano-USD. */
const hundred = 800_000n;

const endpoints: readonly {
  readonly name: string;
  readonly path: string;
  readonly body: () => unknown;
  readonly least: bigint;
  /** If it is sold by the piece: no more than that either. */
  readonly exactly?: true;
}[] = [
  { name: 'chat', path: '/chat/completions', body: () => talk, least: hundred },
  { name: 'a chat stream', path: '/chat/completions', body: () => ({ ...talk, stream: true }), least: hundred },
  {
    name: 'completions',
    path: '/completions',
    body: () => ({ model: 'talk', prompt: 'How much is it?', max_tokens: 100 }),
    least: hundred,
  },
  { name: 'messages', path: '/messages', body: () => talk, least: hundred },
  { name: 'a messages stream', path: '/messages', body: () => ({ ...talk, stream: true }), least: hundred },
  {
    name: 'responses',
    path: '/responses',
    body: () => ({ model: 'talk', input: 'How much is it?', max_output_tokens: 100 }),
    least: hundred,
  },
  {
    name: 'generate content',
    path: '/v1beta/models/talk:generateContent',
    body: () => ({
      contents: [{ role: 'user', parts: [{ text: 'How much is it?' }] }],
      generationConfig: { maxOutputTokens: 100 },
    }),
    least: hundred,
  },
  { name: 'embeddings', path: '/embeddings', body: () => ({ model: 'vectors', input: 'One.' }), least: 1n },
  { name: 'moderations', path: '/moderations', body: () => ({ model: 'judged', input: 'One.' }), least: 1n },
  {
    name: 'rerank',
    path: '/rerank',
    body: () => ({ model: 'ranked', query: 'a', documents: ['b', 'c'] }),
    least: 2_000_000n,
    exactly: true,
  },
  {
    name: 'images',
    path: '/images/generations',
    body: () => ({ model: 'images', prompt: 'A weir.', n: 2 }),
    least: 80_000_000n,
    exactly: true,
  },
  {
    name: 'edits',
    path: '/images/edits',
    body: () => formOf({ model: 'images', prompt: 'A weir.', image: png() }),
    least: 40_000_000n,
    exactly: true,
  },
  {
    name: 'speech',
    path: '/audio/speech',
    body: () => ({ model: 'speech', voice: 'rms', input: 'A weir.' }),
    least: 105_000n,
    exactly: true,
  },
  {
    name: 'transcriptions',
    path: '/audio/transcriptions',
    body: () => formOf({ model: 'transcripts', file: audioBlob(60_000) }),
    least: 100_000n,
  },
  {
    name: 'translations',
    path: '/audio/translations',
    body: () => formOf({ model: 'transcripts', file: audioBlob(60_000) }),
    least: 100_000n,
  },
];

describe('before the first byte', () => {
  test.each(endpoints)('$name is charged, and marked as an estimate', async ({ path, body, least, exactly }) => {
    const token = await createToken(weir, ...budget);
    const { row, held } = await leave(token, path, body());
    expect(row).toMatchObject({ status: 499, code: 'client_left', estimated: true });
    if (exactly === true) expect(row?.costNano).toBe(least);
    else expect(row?.costNano).toBeGreaterThanOrEqual(least);
    expectBalanced(await settledLedger(weir));
    await until(() => held?.left === true, 60_000, 'the end of the connection to the provider');
  });

  test('an Idempotency-Key is used up', async () => {
    const token = await createToken(weir, ...budget);
    const headers = { 'idempotency-key': 'once' };
    await leave(token, '/chat/completions', talk, headers);
    const before = upstream.requests.length;
    const again = await post(token, talk, { headers });
    expect([again.status, (await errorOf(again)).code]).toEqual([409, 'idempotency_key_reused']);
    expect(upstream.requests.length).toBe(before);
  });

  test('a request that was not sent, or was refused, is free', async () => {
    const token = await createToken(weir, ...budget);
    const unreachable = await post(token, { ...talk, model: 'unreachable' });
    expect(unreachable.status).toBe(503);
    const before = upstream.requests.length;
    const leaving = new AbortController();
    const sent = post(token, talk, { signal: leaving.signal }).catch(() => undefined);
    await until(() => upstream.requests.length > before);
    upstream.requests[before]?.answer(Response.json({ error: { message: 'no' } }, { status: 400 }));
    await sent;
    await until(async () => (await rowsOf(token)).length === 2);
    expect((await rowsOf(token)).map(({ costNano }) => costNano)).toEqual([0n, 0n]);
  });
});
