/** What a client gets of a stream while the provider, the ledger and the client end in every order. */

import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { WrittenText } from '../../conversation/texts/written-text.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import type { Frame } from '../../upstream/frame-reader.ts';
import type { PieceReceiver, UpstreamReply } from '../../upstream/transport.ts';
import type { Attempt } from '../attempts/attempt.ts';
import { noLosses, type Passage } from '../lanes/lane.ts';
import type { RelayParts } from '../relay-parts.ts';
import { StreamReply } from './stream-reply.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const event = (data: string): Uint8Array => bytes(`data: ${data}\n\n`);

/** Passes every event; `end` is the last. */
function passageWithEnd(): Passage {
  let finished = false;
  return {
    take({ data, raw }: Frame) {
      finished ||= data === 'end';
      return raw;
    },
    finish: () => undefined,
    failureText: ({ code }) => `failed: ${code}`,
    get ended() {
      return finished;
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

/** A provider whose reply begins with `first`; what follows is handed to the receiver by the test. */
async function begin(first: string) {
  const settled = Promise.withResolvers<bigint>();
  const endings: string[] = [];
  let receiver: PieceReceiver | undefined;
  const flow = {
    isHeld: false,
    hold() {
      flow.isHeld = true;
    },
    release() {
      flow.isHeld = false;
    },
  };
  const upstream = {
    read: () => Promise.resolve(event(first)),
    receive(given: PieceReceiver) {
      receiver = given;
      return flow;
    },
    cancel: () => undefined,
  } as unknown as UpstreamReply;
  const nothing = (): void => undefined;
  const attempt = {
    call: { requestId: 'r', startedAtMs: 0 },
    target: { provider: { name: 'p' } },
    signal: new AbortController().signal,
    left: false,
    eventArrived: nothing,
    abandon: nothing,
    verdictOf: () => ({ kind: 'uncertain', error: new GatewayError('upstream_failed', 'It broke off.') }),
    settle({ code }: { readonly code: string }) {
      endings.push(code);
      return settled.promise;
    },
  } as unknown as Attempt;
  const parts = {
    nowMs: () => 0,
    deadlines: { add: nothing, delete: nothing },
    limits: { streamEventBytesMax: 1_000 },
  } as unknown as RelayParts;
  const reply = new StreamReply(parts, attempt, upstream, passageWithEnd());
  await reply.begin();
  const sent: string[] = [];
  let room = 1;
  const controller = {
    get desiredSize() {
      return room;
    },
    enqueue: (piece: Uint8Array) => void sent.push(Buffer.from(piece).toString().trim()),
    close: () => void sent.push('closed'),
    error: () => void sent.push('error'),
  };
  const { source } = reply;
  source.start?.(controller);
  void source.pull(controller);
  void source.pull(controller);
  return {
    sent,
    endings,
    flow,
    receiver: receiver as PieceReceiver,
    pull: () => void source.pull(controller),
    clientReads(reads: boolean) {
      room = reads ? 1 : 0;
    },
    async settle() {
      settled.resolve(0n);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('the end of a stream', () => {
  test('waits until the cost is recorded', async () => {
    const { receiver, sent, settle } = await begin('a');
    receiver.piece(event('b'));
    receiver.piece(event('end'));
    expect(sent).toEqual(['data: a', 'data: b']);
    await settle();
    expect(sent).toEqual(['data: a', 'data: b', 'data: end', 'closed']);
  });

  test('is whole where the provider breaks off while the cost is recorded', async () => {
    const { receiver, sent, endings, settle } = await begin('a');
    receiver.piece(event('end'));
    receiver.failed(new Error('reset'));
    await settle();
    expect(sent).toEqual(['data: a', 'data: end', 'closed']);
    expect(endings).toEqual(['']);
  });

  test('is whole where the provider’s side ends, or sends more, while the cost is recorded', async () => {
    const { receiver, sent, endings, settle } = await begin('a');
    receiver.piece(event('end'));
    receiver.piece(event('more'));
    receiver.ended();
    await settle();
    expect(sent).toEqual(['data: a', 'data: end', 'closed']);
    expect(endings).toEqual(['']);
  });

  test('that is missing is an error event', async () => {
    const { receiver, sent, endings, settle } = await begin('a');
    receiver.piece(event('b'));
    receiver.failed(new Error('reset'));
    await settle();
    expect(sent).toEqual(['data: a', 'data: b', 'failed: upstream_failed', 'closed']);
    expect(endings).toEqual(['upstream_failed']);
  });
});

describe('a client that is behind', () => {
  test('holds the provider until it pulls again', async () => {
    const { receiver, sent, flow, pull, clientReads } = await begin('a');
    clientReads(false);
    receiver.piece(event('b'));
    expect(flow.isHeld).toBe(true);
    clientReads(true);
    pull();
    expect(flow.isHeld).toBe(false);
    expect(sent).toEqual(['data: a', 'data: b']);
  });

  test('gets the whole end of a stream whose provider broke off behind it', async () => {
    const { receiver, sent, pull, clientReads, settle } = await begin('a');
    clientReads(false);
    receiver.piece(Buffer.concat([event('x'.repeat(600)), bytes(': comment\n\n'), event('y'), event('end')]));
    receiver.failed(new Error('reset'));
    clientReads(true);
    pull();
    pull();
    await settle();
    expect(sent.at(-1)).toBe('closed');
    expect(sent.join('')).toContain('data: end');
    expect(sent.join('')).not.toContain('failed');
  });
});
