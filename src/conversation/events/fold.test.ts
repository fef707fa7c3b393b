/** Proves that a reply survives being taken apart and put together, however the pieces come. */

import { describe, expect, test } from 'bun:test';
import { EventCheck } from '../../../test/harness/check-events.ts';
import { fold } from '../../../test/harness/fold-events.ts';
import { Random, randomEvents, randomReply } from '../../../test/harness/random-conversation.ts';
import { sized } from '../../../test/harness/size.ts';
import { unfold } from '../../../test/harness/unfold.ts';
import { GatewayError } from '../gateway-error.ts';
import type { Seal } from '../parts.ts';
import type { StreamEvent } from '../text-reply.ts';
import { Folding } from './fold.ts';

const origin = { format: 'a-format', provider: 'a-provider', model: 'a-model' };
const seal: Seal = { value: 'c2VhbA==', origin };
const start: StreamEvent = { type: 'reply-start', id: 'r1', model: 'm', createdAtMs: 5 };
const cases = sized(300, 5_000);

function violationsOf(events: readonly StreamEvent[]): string[] {
  const check = new EventCheck();
  for (const event of events) check.see(event);
  check.end();
  return check.violations;
}

describe('the law', () => {
  test(`fold(unfold(reply)) is the reply, over ${cases} random replies`, () => {
    for (let seed = 0; seed < cases; seed += 1) {
      const reply = randomReply(new Random(seed), origin);
      const events = [...unfold(reply)];
      expect({ seed, reply: fold(events) }).toStrictEqual({ seed, reply });
      expect({ seed, violations: violationsOf(events) }).toEqual({ seed, violations: [] });
    }
  });

  test(`random cuts and interleaving mean the same reply, over ${cases} random streams`, () => {
    for (let seed = 0; seed < cases; seed += 1) {
      const random = new Random(seed);
      const reply = randomReply(random, origin);
      const events = [...randomEvents(reply, random)];
      expect({ seed, reply: fold(events) }).toStrictEqual({ seed, reply });
      expect({ seed, violations: violationsOf(events) }).toEqual({ seed, violations: [] });
    }
  });

  test('the random streams do interleave parts and candidates and do cut texts', () => {
    const seen = { interleaved: 0, cut: 0 };
    for (let seed = 0; seed < 300; seed += 1) {
      const random = new Random(seed);
      const reply = randomReply(random, origin);
      const whole = [...unfold(reply)].map(({ type }) => type);
      const events = [...randomEvents(reply, random)].map(({ type }) => type);
      if (events.length > whole.length) seen.cut += 1;
      if (events.join(' ').includes('part-start part-start')) seen.interleaved += 1;
    }
    expect(seen.cut).toBeGreaterThan(100);
    expect(seen.interleaved).toBeGreaterThan(20);
  });

  test('every kind of part is tried', () => {
    const kinds = new Set<string>();
    for (let seed = 0; seed < 300; seed += 1) {
      for (const { parts } of randomReply(new Random(seed), origin).candidates) {
        for (const part of parts) {
          kinds.add(part.type);
          for (const name of Object.keys(part)) kinds.add(`${part.type}.${name}`);
        }
      }
    }
    for (const kind of ['text.citations', 'text.logprobs', 'text.seal', 'thinking.redacted', 'tool-call.seal'])
      expect(kinds).toContain(kind);
    for (const kind of ['media.filename', 'refusal', 'native']) expect(kinds).toContain(kind);
  });
});

describe('a stream that failed or was cut', () => {
  const words: StreamEvent[] = [
    start,
    { type: 'part-start', candidate: 0, part: 0, opening: { type: 'text' } },
    { type: 'text-delta', candidate: 0, part: 0, text: 'Half an ans' },
  ];
  const failure: StreamEvent = {
    type: 'failure',
    code: 'upstream_failed',
    message: 'gone',
    providerType: 'overloaded',
  };

  test('fold throws the failure, Folding shows it beside what came before', () => {
    expect(() => fold([...words, failure])).toThrow(GatewayError);
    try {
      fold([...words, failure]);
    } catch (error) {
      expect(error).toMatchObject({ code: 'upstream_failed', message: 'gone', providerType: 'overloaded' });
    }
    const folding = new Folding();
    for (const event of [...words, failure]) folding.add(event);
    expect(folding.failure).toBe(failure);
    expect(folding.ended).toBeFalse();
    expect(folding.reply.candidates).toEqual([
      { parts: [{ type: 'text', text: 'Half an ans' }], finish: { reason: 'other' } },
    ]);
  });

  test('a reply read in the middle does not change when more comes', () => {
    const folding = new Folding();
    for (const event of words) folding.add(event);
    folding.add({ type: 'citation', candidate: 0, part: 0, citation: { url: 'https://a.example' } });
    const early = folding.reply;
    const copy = structuredClone(early);
    folding.add({ type: 'citation', candidate: 0, part: 0, citation: { url: 'https://b.example' } });
    folding.add({ type: 'text-delta', candidate: 0, part: 0, text: 'wer', logprobs: [{ token: 'wer', logprob: -1 }] });
    expect(early).toEqual(copy);
    expect(folding.reply.candidates[0]?.parts[0]).toMatchObject({ text: 'Half an answer' });
  });

  test('text without an opening is kept', () => {
    const { reply } = folded([
      start,
      { type: 'text-delta', candidate: 0, part: 0, text: 'a' },
      { type: 'thinking-delta', candidate: 0, part: 1, text: 'b' },
      { type: 'tool-input-delta', candidate: 0, part: 2, text: '{}' },
      { type: 'seal', candidate: 0, part: 1, seal },
    ]);
    expect(reply.candidates[0]?.parts).toEqual([
      { type: 'text', text: 'a' },
      { type: 'thinking', text: 'b', seal },
      { type: 'tool-call', id: '', name: '', arguments: '{}' },
    ]);
  });
});

describe('what does not come in one piece', () => {
  test('usage in two steps keeps the counts of the first', () => {
    const { reply } = folded([
      start,
      { type: 'usage', usage: { input: { total: 7, cacheRead: 2 }, output: { total: 1 } } },
      { type: 'usage', usage: { input: { total: undefined }, output: { total: 9 } } },
    ]);
    expect(reply.usage).toStrictEqual({ input: { total: 7, cacheRead: 2 }, output: { total: 9 } });
  });

  test('audio pieces that are each encoded by themselves become one base64 text', () => {
    const bytes = Buffer.from('the weir measures the stream');
    const cut = [bytes.subarray(0, 4), bytes.subarray(4, 9), bytes.subarray(9, 12), bytes.subarray(12)];
    const { reply } = folded([
      start,
      { type: 'part-start', candidate: 0, part: 0, opening: { type: 'media', media: 'audio', mediaType: '' } },
      ...cut.map((piece) => ({ type: 'media-delta', candidate: 0, part: 0, data: piece.toString('base64') }) as const),
    ]);
    expect(reply.candidates[0]?.parts).toEqual([
      { type: 'media', media: 'audio', source: { kind: 'base64', data: bytes.toString('base64') } },
    ]);
  });

  test('one base64 text cut anywhere stays itself', () => {
    const data = Buffer.from('flow').toString('base64');
    const { reply } = folded([
      start,
      { type: 'part-start', candidate: 0, part: 0, opening: { type: 'media', media: 'image', mediaType: 'image/png' } },
      ...[...data].map((piece) => ({ type: 'media-delta', candidate: 0, part: 0, data: piece }) as const),
    ]);
    const source = reply.candidates[0]?.parts[0];
    expect(
      source?.type === 'media' && source.source.kind === 'base64' && Buffer.from(source.source.data, 'base64'),
    ).toEqual(Buffer.from('flow'));
  });

  test('parts come in order of their numbers, candidates too, and what is beside the reply is kept beside it', () => {
    const folding = folded([
      start,
      { type: 'native', format: 'f', value: 1 },
      { type: 'part-start', candidate: 2, part: 1, opening: { type: 'refusal' } },
      { type: 'native', format: 'f', value: 2, candidate: 2, part: 0 },
      { type: 'part-start', candidate: 0, part: 0, opening: { type: 'text' } },
    ]);
    expect(folding.beside).toEqual([{ type: 'native', format: 'f', value: 1 }]);
    expect(folding.reply.candidates.map(({ parts }) => parts)).toEqual([
      [{ type: 'text', text: '' }],
      [
        { type: 'native', format: 'f', value: 2 },
        { type: 'refusal', text: '' },
      ],
    ]);
  });
});

function folded(events: readonly StreamEvent[]): Folding {
  const folding = new Folding();
  for (const event of events) folding.add(event);
  return folding;
}
