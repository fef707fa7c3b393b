/** What a client gets of a stream while the provider, the ledger and the client end in every order. */

import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { WrittenText } from '../../conversation/texts/written-text.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import type { Frame } from '../../upstream/frame-reader.ts';
import { Exchange } from '../../upstream/http1/exchange.ts';
import type { Attempt } from '../attempts/attempt.ts';
import { noLosses, type Passage } from '../lanes/lane.ts';
import type { RelayParts } from '../relay-parts.ts';
import { StreamReply } from './stream-reply.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const linesOf = (piece: Uint8Array): string[] =>
  Buffer.from(piece)
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace('data: ', ''));
const event = (data: string): Uint8Array => bytes(`data: ${data}\n\n`);
/** Is not passed on, so that what is before it and behind it are two pieces. */
const gap = event('skip');

/** Passes every event; after `finish` nothing is missing, `end` is the last, and `bad` cannot be read. */
function passageWithEnd(): Passage {
  let finished = false;
  let ended = false;
  return {
    take({ data, raw }: Frame) {
      if (data === 'bad') throw new SyntaxError('bad');
      if (data === 'skip') return undefined;
      ended ||= data === 'end';
      finished ||= ended || data === 'finish';
      return raw;
    },
    finish: () => undefined,
    failureText: ({ code }) => `failed: ${code}`,
    get ended() {
      return ended;
    },
    get finished() {
      return finished;
    },
    fault: undefined,
    usage: unknownUsage,
    usageIsFinal: true,
    written: new WrittenText(),
    losses: noLosses,
  };
}

const nothing = (): void => undefined;

/** A stream between an exchange, whose pieces the test pushes, and a client that reads or not. */
function start() {
  const settled = Promise.withResolvers<bigint>();
  const endings: string[] = [];
  const outgoing = { head: '', body: undefined, streamed: undefined, bodyBytes: 0, bodiless: false };
  const upstream = new Exchange(outgoing, new AbortController().signal, 1_000_000, nothing, nothing);
  const attempt = {
    call: { requestId: 'r', startedAtMs: 0 },
    target: { provider: { name: 'p' } },
    signal: new AbortController().signal,
    left: false,
    leave: () => true,
    eventArrived: nothing,
    reads: nothing,
    abandon: nothing,
    verdictOf: () => ({ kind: 'uncertain', error: new GatewayError('upstream_failed', 'It broke off.') }),
    settle({ code }: { readonly code: string }) {
      endings.push(code);
      return settled.promise;
    },
  };
  const parts = {
    nowMs: () => 0,
    clocks: { idleTimeoutMs: 1e9, clientStallTimeoutMs: 1e9, keepAliveMs: 1e9 },
    deadlines: { add: nothing, delete: nothing },
    limits: { streamEventBytesMax: 1_000_000 },
  } as unknown as RelayParts;
  const reply = new StreamReply(parts, attempt as unknown as Attempt, upstream, passageWithEnd());
  const sent: string[] = [];
  let room = 1;
  const controller = {
    get desiredSize() {
      return room;
    },
    enqueue: (piece: Uint8Array) => void sent.push(...linesOf(piece)),
    close: () => void sent.push('closed'),
    error: () => void sent.push('error'),
  };
  const { source } = reply;
  return {
    ...{ sent, endings, upstream, attempt, reply },
    /** The client's head is sent, and it reads. */
    serve() {
      source.start?.(controller);
      void source.pull(controller);
      void source.pull(controller);
    },
    pull: () => void source.pull(controller),
    leave: () => void source.cancel(),
    clientReads(reads: boolean) {
      room = reads ? 1 : 0;
    },
    async settle() {
      settled.resolve(0n);
      await turn();
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function begin(first: string) {
  const stream = start();
  stream.upstream.push(event(first));
  await stream.reply.begin();
  stream.serve();
  return stream;
}

describe('the end of a stream', () => {
  test('waits until the cost is recorded', async () => {
    const { upstream, sent, settle } = await begin('a');
    upstream.push(event('b'));
    upstream.push(event('end'));
    expect(sent).toEqual(['a', 'b']);
    await settle();
    expect(sent).toEqual(['a', 'b', 'end', 'closed']);
  });

  test('is whole where the provider breaks off while the cost is recorded', async () => {
    const { upstream, sent, endings, settle } = await begin('a');
    upstream.push(event('end'));
    upstream.fail(new Error('reset'));
    await settle();
    expect(sent).toEqual(['a', 'end', 'closed']);
    expect(endings).toEqual(['']);
  });

  test('is whole where the provider’s side ends, or sends more, while the cost is recorded', async () => {
    const { upstream, sent, endings, settle } = await begin('a');
    upstream.push(event('end'));
    upstream.push(event('more'));
    upstream.bodyArrived();
    await settle();
    expect(sent).toEqual(['a', 'end', 'closed']);
    expect(endings).toEqual(['']);
  });

  test('that is missing is an error event', async () => {
    const { upstream, sent, endings, settle } = await begin('a');
    upstream.push(event('b'));
    upstream.fail(new Error('reset'));
    await settle();
    expect(sent).toEqual(['a', 'b', 'failed: upstream_failed', 'closed']);
    expect(endings).toEqual(['upstream_failed']);
  });
});

describe('a fault in the same read as the end', () => {
  test('takes nothing from the client', async () => {
    const { upstream, sent, endings, settle } = await begin('a');
    upstream.push(Buffer.concat([event('b'), gap, event('finish'), gap, event('bad')]));
    await settle();
    expect(sent).toEqual(['a', 'b', 'finish', 'closed']);
    expect(endings).toEqual(['']);
  });
});

describe('a client that is behind', () => {
  test('gets what waits before what comes later', async () => {
    const { upstream, reply, serve, sent, pull, clientReads, settle } = start();
    for (let nth = 0; nth < 5; nth += 1) upstream.push(Buffer.concat([event(`${nth}.0`), gap, event(`${nth}.1`)]));
    await reply.begin();
    clientReads(false);
    serve();
    upstream.push(event('end'));
    for (let pulls = 0; pulls < 20; pulls += 1) pull();
    await settle();
    const events = ['0.0', '0.1', '1.0', '1.1', '2.0', '2.1', '3.0', '3.1', '4.0', '4.1', 'end'];
    expect(sent).toEqual([...events, 'closed']);
  });

  test('holds the provider until it pulls again', async () => {
    const { upstream, sent, pull, clientReads } = await begin('a');
    clientReads(false);
    upstream.push(event('b'));
    upstream.push(event('c'));
    expect(sent).toEqual(['a', 'b']);
    clientReads(true);
    pull();
    expect(sent).toEqual(['a', 'b', 'c']);
  });

  test('gets the whole end of a stream whose provider broke off behind it', async () => {
    const { upstream, sent, pull, clientReads, settle } = await begin('a');
    clientReads(false);
    upstream.push(Buffer.concat([event('x'.repeat(600)), gap, event('y'), event('end')]));
    upstream.fail(new Error('reset'));
    clientReads(true);
    pull();
    pull();
    await settle();
    expect(sent.slice(2)).toEqual(['y', 'end', 'closed']);
  });
});

describe('a client that leaves', () => {
  test('before the first event does not stop the wait for it', async () => {
    const { upstream, attempt, reply, endings, settle } = start();
    const beginning = reply.begin();
    attempt.left = true;
    reply.tick(1_000);
    upstream.push(event('a'));
    await beginning;
    upstream.push(event('end'));
    await settle();
    expect(endings).toEqual(['client_left']);
  });

  test('while the cost is recorded is charged once', async () => {
    const { upstream, leave, sent, endings, settle } = await begin('a');
    upstream.push(event('end'));
    leave();
    await settle();
    expect(sent).toEqual(['a']);
    expect(endings).toEqual(['']);
  });
});
