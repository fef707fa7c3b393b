/** Bytes that pass: how much of them a client must take at a time. */

import { describe, expect, test } from 'bun:test';
import { StreamedReply } from '../../http/reply.ts';
import { readSpeechEvents, speechRewriting } from '../../operations/audio/wires/openai-speech-events.ts';
import type { ByteRewriting } from '../../operations/wire.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import type { Attempt } from '../attempts/attempt.ts';
import type { RelayParts } from '../relay-parts.ts';
import { RawReply } from './raw-reply.ts';

const nothing = (): void => undefined;
const clientStallTimeoutMs = 30_000;

/** A reply of these reads of the provider, to a client that takes what is pulled. */
async function begin(reads: readonly Uint8Array[], rewriting?: ByteRewriting) {
  const left = [...reads];
  const settled: string[] = [];
  const upstream = { header: () => 'audio/mpeg', read: async () => left.shift() } as unknown as UpstreamReply;
  const attempt = {
    call: {
      facts: {},
      requestId: 'r',
      startedAtMs: 0,
      admission: { headers: {} },
      format: {},
    },
    target: { provider: { name: 'p' } },
    lane: { losses: [] },
    signal: new AbortController().signal,
    left: false,
    ordinal: 1,
    abandon: nothing,
    settle: async ({ code }: { readonly code: string }) => void settled.push(code),
  };
  const clock = { nowMs: 0 };
  const parts = {
    nowMs: () => clock.nowMs,
    clocks: { idleTimeoutMs: 1e9, clientStallTimeoutMs },
    deadlines: { add: nothing, delete: nothing },
    warn: nothing,
  } as unknown as RelayParts;
  const raw = new RawReply(parts, attempt as unknown as Attempt, upstream, rewriting);
  const reply = await raw.begin();
  if (!(reply instanceof StreamedReply)) throw new Error('not streamed');
  const sent: Uint8Array[] = [];
  const ends: string[] = [];
  const controller = {
    desiredSize: 1,
    enqueue: (bytes: Uint8Array) => void sent.push(bytes),
    close: () => void ends.push('closed'),
    error: () => void ends.push('error'),
  };
  reply.source.start?.(controller);
  return { raw, clock, sent, ends, settled, pull: () => reply.source.pull(controller) };
}

/** No two pieces are alike. */
const large = Buffer.from(Uint32Array.from({ length: 50_000 }, (_, at) => at).buffer);
const reads = [large, Buffer.from('small'), large.subarray(0, 65_536), large.subarray(0, 65_537)];

describe('a large read of the provider', () => {
  test('is sent in pieces, all of them in order', async () => {
    const { sent, ends, settled, pull } = await begin(reads);
    while (ends.length === 0) await pull();
    expect(sent.map(({ length }) => length)).toEqual([65_536, 65_536, 65_536, 3_392, 5, 65_536, 65_536, 1]);
    expect(Buffer.concat(sent).equals(Buffer.concat(reads))).toBe(true);
    expect(ends).toEqual(['closed']);
    expect(settled).toEqual(['']);
  });

  test('is rewritten in pieces', async () => {
    const { sent, ends, pull } = await begin(reads, speechRewriting);
    while (ends.length === 0) await pull();
    // One more is the end.
    expect(sent).toHaveLength(9);
    const { bytes } = readSpeechEvents(Buffer.concat(sent).toString());
    expect(Buffer.from(bytes).equals(Buffer.concat(reads))).toBe(true);
  });

  test('may take a client long that takes each piece in time', async () => {
    const { raw, clock, sent, ends, settled, pull } = await begin([large]);
    for (let pieces = 1; pieces <= 4; pieces += 1) {
      await pull();
      clock.nowMs += clientStallTimeoutMs;
      raw.tick(clock.nowMs);
      expect([sent.length, ends]).toEqual([pieces, []]);
    }
    clock.nowMs += 1;
    raw.tick(clock.nowMs);
    expect(ends).toEqual(['error']);
    expect(settled).toEqual(['client_left']);
  });
});
