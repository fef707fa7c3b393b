/** Streams of the chat format: clients that disconnect or do not read, cut streams, and shutdown. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import type { Script } from '../fake-upstream/script.ts';
import { dataOf, errorOf, post, scripted, type Target } from '../harness/chat.ts';
import { readLedger, settledLedger } from '../harness/ledger-rows.ts';
import { Random } from '../harness/random.ts';
import { chatHead, openSocket, rawChat } from '../harness/raw-request.ts';
import { sized } from '../harness/size.ts';
import { createToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { descriptors, type RunningWeir, startWeir } from '../harness/weir.ts';

let upstream: RunningUpstream;
let weir: RunningWeir;
/** A provider that failed is skipped for a while, hence one for each failure. */
const failing = [
  'error-first',
  'page',
  'no-events',
  'reset',
  'silence',
  'no-head',
  'stalled',
  'early',
  'late',
] as const;
type Failing = (typeof failing)[number];
const providerWith = (models: readonly string[]) => ({
  kind: 'openai',
  base_url: upstream.base,
  key: 'sk-upstream',
  models,
});
const yaml = () => ({
  providers: {
    up: providerWith(['gpt-4.1', 'output-only']),
    ...Object.fromEntries(failing.map((name) => [name, providerWith(['gpt-4.1'])])),
  },
  models: { 'gpt-4.1': { targets: [{ provider: 'up', model: 'gpt-4.1' }] } },
  prices: { 'output-only': { input: 0, output: 8 } },
  // reading-on.test.ts covers reading for usage after a disconnect; here a disconnect ends the provider's request.
  clocks: { read_on_ms: 0 },
});
beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir({ yaml: yaml() });
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
});
beforeEach(() => upstream.reset());

const streamOf = (script: Script, model = 'gpt-4.1') => scripted(script, { model, stream: true });

const streamFrom = (provider: Failing, script: Script) => streamOf(script, `${provider}/gpt-4.1`);

/** Reads that many bytes, then disconnects; returns how many deltas it had by then. */
async function leaveAfter(target: Target, body: unknown, bytes: number): Promise<number> {
  const socket = await openSocket(target.base);
  let text = '';
  const enough = Promise.withResolvers<void>();
  socket.on('data', (part: Buffer) => {
    text += part.toString('latin1');
    if (text.length >= bytes) enough.resolve();
  });
  socket.on('close', () => enough.resolve());
  socket.on('error', () => enough.resolve());
  socket.write(chatHead(target, JSON.stringify(body)));
  if (bytes > 0) await enough.promise;
  socket.destroy();
  return text.split('"content":" ').length - 1;
}

const leavers = sized(30, 150);
const crowd = sized(80, 500);
const stopped = sized(25, 50);
const deafClients = sized(6, 100);

test(`${leavers} clients disconnect at random bytes: the provider’s request ends, each has one row, the charge fits`, async () => {
  const token = await createToken(weir);
  await rawChat(token, streamOf({ deltas: 3 }, 'output-only'));
  await settledLedger(weir);
  await upstream.reset();
  const baseline = await descriptors(weir.pid);
  const random = new Random(7);
  let next = 0;
  let received = 0;
  const client = async () => {
    while (next < leavers) {
      const nonce = `left-${next++}`;
      // A delta is about 200 bytes on the wire: some disconnect in the head, some after three hundred deltas.
      const bytes = 1 + Math.floor(random.next() * 60_000);
      received += await leaveAfter(token, streamOf({ nonce, deltas: 2_000, paceMs: 2 }, 'output-only'), bytes);
    }
  };
  await Promise.all(Array.from({ length: 30 }, client));
  await until(
    async () => (await upstream.invoice()).every((entry) => entry.outcome === 'left'),
    60_000,
    'every hang-up',
  );
  const invoice = await upstream.invoice();
  expect(invoice.length).toBe(leavers);

  const own = (await settledLedger(weir)).usage.filter((row) => row.tokenId === token.id).slice(1);
  expect(own.length).toBe(leavers);
  const charged = own.reduce((sum, row) => sum + Number(row.costNano), 0);
  const served = invoice.reduce((sum, entry) => sum + entry.tokensSent, 0) * 8_000;
  expect(charged).toBeGreaterThanOrEqual(received * 8_000 * 0.98);
  expect(charged).toBeLessThanOrEqual(served * 1.02);
  await until(async () => (await descriptors(weir.pid)) <= baseline + 5, 60_000, 'descriptors at their baseline');
}, 300_000);

test('clients that disconnect before the first byte', async () => {
  const token = await createToken(weir);
  const count = sized(20, 50);
  const body = (index: number) => streamOf({ nonce: `early-${index}`, head: 'never' });
  const leaving = new AbortController();
  const early = Array.from({ length: count }, (_, index) =>
    post(token, body(index), { signal: leaving.signal }).catch(() => undefined),
  );
  const begun = async () => (await upstream.invoice()).filter(({ nonce }) => nonce.startsWith('early-')).length;
  await until(async () => (await begun()) === count, 60_000, 'every request at the provider');
  leaving.abort();
  await Promise.all(early);
  await until(
    async () => (await upstream.invoice()).every((entry) => entry.endedAtMs !== undefined),
    60_000,
    'hang-ups',
  );
  const rows = async () => (await settledLedger(weir)).usage.filter((row) => row.tokenId === token.id);
  await until(async () => (await rows()).length >= count, 60_000, 'a row for each');
  const ended = (await rows()).map((row) => [row.code, row.estimated, row.costNano > 0n]);
  expect(ended).toEqual(Array(count).fill(['client_left', true, true]));
}, 300_000);

test(`${deafClients} clients that never read a 200 MB stream stop their providers, and others are served`, async () => {
  const sockets: Socket[] = [];
  const deaf = async () => (await upstream.invoice()).filter((entry) => entry.nonce.startsWith('deaf-'));
  try {
    for (let index = 0; index < deafClients; index++) {
      const socket = await openSocket(weir.url);
      socket.pause();
      socket.on('error', () => socket.destroy());
      socket.write(
        chatHead(weir, JSON.stringify(streamOf({ nonce: `deaf-${index}`, deltas: 10_000, deltaBytes: 20_000 }))),
      );
      sockets.push(socket);
    }
    await until(async () => (await deaf()).filter((entry) => entry.tokensSent > 0).length === deafClients);
    const others = await Promise.all(
      Array.from({ length: 50 }, () => rawChat(weir, streamOf({ deltas: 20, paceMs: 5 }))),
    );
    for (const reply of others) expect(reply.text).toContain('data: [DONE]');
    // What the buffers of four sockets hold depends on the machine: it is never half of the stream.
    for (const { bytesSent } of await deaf()) expect(bytesSent).toBeLessThan(100 * 1024 * 1024);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  await until(async () => (await deaf()).every((entry) => entry.endedAtMs !== undefined), 60_000, 'every hang-up');
});

describe('a stream that breaks after its first event', () => {
  test.each(['end', 'truncate', 'reset'] as const)('%s: one error event, then the end, no [DONE]', async (how) => {
    const reply = await post(weir, streamOf({ deltas: 50, paceMs: 20, cut: { after: 10, how } }));
    expect(reply.status).toBe(200);
    const data = dataOf(await reply.text());
    expect(data).not.toContain('[DONE]');
    const last = JSON.parse(data.at(-1) ?? '') as { error: Record<string, unknown> };
    for (const field of ['message', 'type', 'param', 'code']) expect(typeof last.error[field]).toBe('string');
    expect(data.filter((each) => each.includes('"error"')).length).toBe(1);
    expect(data.filter((each) => each.includes('"content":" ')).length).toBe(10);
    expect(data.some((each) => each.includes('"finish_reason":"'))).toBe(false);
  });

  test('what was relayed is charged, as an estimate', async () => {
    const token = await createToken(weir);
    await (
      await post(token, streamOf({ deltas: 50, paceMs: 20, cut: { after: 10, how: 'reset' } }, 'output-only'))
    ).text();
    const own = async () => (await readLedger(weir)).usage.filter((row) => row.tokenId === token.id);
    await until(async () => (await own()).length === 1);
    const [row] = await own();
    expect(row?.estimated).toBe(true);
    expect(row?.costNano).toBe(80_000n);
  });
});

describe('a stream that breaks before its first event is a status and a JSON error', () => {
  const page = { status: 200, body: '<!doctype html><p>busy</p>', contentType: 'text/html' };
  const cases: readonly [string, Failing, Script, number][] = [
    ['an error as first event', 'error-first', { errorFirst: true }, 502],
    ['an HTML page', 'page', page, 502],
    ['an end without events', 'no-events', { cut: { after: 0, how: 'end' } }, 502],
    ['a reset', 'reset', { cut: { after: 0, how: 'reset' } }, 502],
    ['silence', 'silence', { cut: { after: 0, how: 'stall' } }, 504],
    ['no head', 'no-head', { head: 'never' }, 504],
  ];
  let impatient: RunningWeir;
  beforeAll(async () => {
    const env = { WEIR_CLOCKS_IDLE_TIMEOUT_MS: '800', WEIR_CLOCKS_HEAD_TIMEOUT_MS: '800' };
    impatient = await startWeir({ yaml: yaml(), env });
  });
  afterAll(() => impatient.remove());

  test.each(cases)('%s', async (_, provider, script, status) => {
    const reply = await post(status === 504 ? impatient : weir, streamFrom(provider, script));
    expect(reply.headers.get('content-type')).toStartWith('application/json');
    // If the provider gave its error a code, that code may be passed on.
    const known = script.errorFirst ? 'scripted' : status === 504 ? 'upstream_timeout' : 'upstream_failed';
    const { code } = await errorOf(reply);
    expect(reply.status).toBe(status);
    expect([known, 'upstream_failed', 'upstream_timeout']).toContain(code);
  });
});

test('keep-alives come as comments while the provider is silent, and the reply after them', async () => {
  const env = { WEIR_CLOCKS_HEAD_HOLD_MS: '100', WEIR_CLOCKS_KEEP_ALIVE_MS: '100' };
  const own = await startWeir({ yaml: yaml(), env });
  const isAlive = async (script: Script) => {
    const text = await (await post(own, streamOf(script))).text();
    expect(text).toStartWith(': ');
    expect(dataOf(text).at(-1)).toBe('[DONE]');
    for (const line of text.split('\n'))
      expect(line === '' || line.startsWith('data: ') || line.startsWith(': ')).toBe(true);
  };
  try {
    await Promise.all([isAlive({ deltas: 3, eventDelayMs: 3_000 }), isAlive({ deltas: 3, headDelayMs: 3_000 })]);
  } finally {
    await own.remove();
  }
});

test("the head of a stream is one that proxies don't buffer", async () => {
  const reply = await post(weir, streamOf({ deltas: 1 }));
  expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(reply.headers.get('cache-control')).toBe('no-cache, no-transform');
  expect(reply.headers.get('x-accel-buffering')).toBe('no');
  await reply.text();
});

test(`SIGTERM with ${stopped} streams: not ready at once, they finish, exit 0; a second SIGTERM ends it at once`, async () => {
  const own = await startWeir({ yaml: yaml() });
  try {
    const token = await createToken(own, '--budget-usd', '100', '--budget-period', 'total');
    const replies = Array.from({ length: stopped }, (_, index) =>
      rawChat(token, streamOf({ nonce: `term-${index}`, deltas: 60, paceMs: 25 })),
    );
    await until(async () => (await upstream.invoice()).filter((entry) => entry.tokensSent > 3).length === stopped);
    const exit = own.stop();
    await until(
      async () => (await fetch(`${own.url}/readyz`).catch(() => undefined))?.status !== 200,
      60_000,
      'not ready',
    );
    for (const reply of await Promise.all(replies)) expect(reply.text).toContain('data: [DONE]');
    expect(await exit).toBe(0);
    await own.restart();
    const ledger = await settledLedger(own);
    expect(ledger.usage.length).toBe(stopped);
    expect(ledger.usage.every((row) => !row.estimated)).toBe(true);
    await stopTwice(own);
  } finally {
    await own.remove();
  }
}, 300_000);

async function stopTwice(own: RunningWeir): Promise<void> {
  const reply = rawChat(own, streamOf({ nonce: 'twice', deltas: 5_000, paceMs: 20 }));
  await until(async () =>
    (await upstream.invoice()).some(({ nonce, tokensSent }) => nonce === 'twice' && tokensSent > 3),
  );
  const exit = own.stop();
  let ended = false;
  void exit.then(() => {
    ended = true;
  });
  // Two signals in quick succession count as one, so the signal is repeated until it takes effect.
  await until(
    () => {
      if (!ended) void own.stop();
      return ended;
    },
    60_000,
    'its end',
  );
  expect(await exit).not.toBe(0);
  expect((await reply).text).not.toContain('[DONE]');
}

test(`${crowd} streams at once: every client gets its own text, all of it, in order`, async () => {
  const expected = (mark: string) => Array.from({ length: 30 }, (_, index) => `${mark}.${index} `).join('');
  const read = async (index: number) => {
    const mark = `mark${index}x${crypto.randomUUID()}`;
    const { text } = await rawChat(weir, streamOf({ mark, deltas: 30, paceMs: 10 }));
    const said = [...text.matchAll(/"content":"([^"]*)"/g)].map((found) => found[1]).join('');
    expect(said).toBe(expected(mark));
    expect(text).toContain('data: [DONE]');
  };
  await Promise.all(Array.from({ length: crowd }, (_, index) => read(index)));
}, 300_000);

describe('limits of a stream', () => {
  let own: RunningWeir;
  beforeAll(async () => {
    const env = { WEIR_LIMITS_STREAM_EVENT_BYTES_MAX: '2000', WEIR_CLOCKS_IDLE_TIMEOUT_MS: '5000' };
    own = await startWeir({ yaml: yaml(), env });
  });
  afterAll(() => own.remove());

  test('one that stalls after its first event ends with an error event', async () => {
    const script = { deltas: 9, cut: { after: 3, how: 'stall' } } as const;
    const data = dataOf(await (await post(own, streamFrom('stalled', script))).text());
    expect(data.at(-1)).toStartWith('{"error"');
    expect(data).not.toContain('[DONE]');
  });

  test('an event beyond its limit is reported as such, before the first byte and after it', async () => {
    const said = (name: Failing) => `The provider ${name} sent an event larger than 2000 bytes.`;
    const pieces = ['data: ', 'x'.repeat(5_000)].map((piece) => Buffer.from(piece).toString('base64'));
    const early = await post(own, streamFrom('early', { piecesBase64: pieces, contentType: 'text/event-stream' }));
    expect(await errorOf(early)).toMatchObject({ code: 'upstream_failed', message: said('early') });
    const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
    const chunk = { ...head, choices: [{ index: 0, delta: { content: 'So' }, finish_reason: null }] };
    const good = Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`).toString('base64');
    const whole = { piecesBase64: [good, ...pieces], contentType: 'text/event-stream' };
    const late = await post(own, streamFrom('late', whole));
    const [first, last] = dataOf(await late.text());
    expect([late.status, first]).toEqual([200, expect.stringContaining('"So"')]);
    expect(last).toContain(said('late'));
  });
});
