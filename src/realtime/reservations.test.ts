/** Which reservation a response takes, and what must be reserved before a frame passes. */

import { expect, test } from 'bun:test';
import type { OutputLimit } from '../formats/openai-realtime/settings.ts';
import type { Target } from '../routing/catalogue.ts';
import { type CostlyFrame, Reservations } from './reservations.ts';
import { ResponseBounds } from './response-bounds.ts';
import type { Turn } from './turn.ts';

const target = { model: 'm' } as unknown as Target;
const turn = (outputLimit: OutputLimit, of = target) => ({ outputLimit, given: { target: of } }) as unknown as Turn;
const ask: CostlyFrame = { starts: 'response', audioBytes: 0, outputLimit: undefined, transcription: [] };
const audio: CostlyFrame = { starts: 'audio', audioBytes: 4_800, outputLimit: undefined, transcription: [] };

function scene(limit: OutputLimit = 'inf') {
  const bounds = new ResponseBounds();
  bounds.reported({ outputLimit: limit });
  const reserved = new Reservations();
  const lacks = (frame: CostlyFrame, of = target) => reserved.lacks(frame, bounds, of, 0);
  const put = (given: Turn, fields: { eventId?: string; metadata?: string; limit?: OutputLimit } = {}) => {
    const { eventId, metadata, limit: own } = fields;
    reserved.addAsk({ turn: given, eventId, metadata, limit: own, sentAtMs: 0, doubtful: undefined });
    return given;
  };
  return { bounds, reserved, lacks, put };
}

test('one spare serves a request or audio, and both need two', () => {
  const { bounds, reserved, lacks } = scene();
  expect([lacks(ask), lacks(audio), lacks({ ...ask, starts: 'nothing' })]).toEqual(['inf', 'inf', undefined]);
  reserved.addSpare(turn('inf'));
  expect([lacks(ask), lacks(audio)]).toEqual([undefined, undefined]);
  bounds.sent(4_800, 0);
  expect([lacks(ask), lacks(audio)]).toEqual(['inf', undefined]);
  reserved.addSpare(turn('inf'));
  expect(lacks(ask)).toBeUndefined();
});

test('a spare for another model or for shorter responses covers nothing', () => {
  const { reserved, lacks } = scene(100);
  reserved.addSpare(turn(10));
  expect([lacks(ask), lacks({ ...ask, outputLimit: 10 }), lacks({ ...ask, outputLimit: 11 })]).toEqual([
    100,
    undefined,
    11,
  ]);
  const other = { model: 'n' } as unknown as Target;
  expect(lacks({ ...ask, outputLimit: 10 }, other)).toBe(10);
  expect(reserved.dropSpares(other, 10)).toHaveLength(1);
});

test('the smallest spare that covers it is taken', () => {
  const { reserved } = scene();
  const [large, small] = [turn('inf'), turn(20)];
  reserved.addSpare(large);
  reserved.addSpare(small);
  expect(reserved.takeSpare(10, target)).toBe(small);
  expect(reserved.takeSpare(10, target)).toBe(large);
  expect(reserved.takeSpare(10, target)).toBeUndefined();
});

test('a response answers the request with its metadata, with its limit, else the oldest', () => {
  const { reserved, put } = scene();
  const [first, second, third, fourth] = [turn('inf'), turn(5), turn('inf'), turn('inf')];
  put(first);
  put(second, { limit: 5 });
  put(third, { metadata: 'm' });
  put(fourth);
  expect(reserved.begin({ metadata: 'm', outputLimit: 'inf' })).toBe(third);
  expect(reserved.begin({ metadata: undefined, outputLimit: 5 })).toBe(second);
  expect(reserved.begin({ metadata: undefined, outputLimit: undefined })).toBe(first);
  expect(reserved.begin({ metadata: 'x', outputLimit: 9 })).toBe(fourth);
  expect(reserved.begin({ metadata: undefined, outputLimit: undefined })).toBeUndefined();
});

test('a refusal frees the request that it names; one that names none frees the oldest, or leaves all in doubt', () => {
  const { reserved, put } = scene();
  const [first, second] = [put(turn(1), { eventId: 'a' }), put(turn(2))];
  expect(reserved.refused('x', true)).toBeUndefined();
  expect(reserved.refused(undefined, false)).toBeUndefined();
  expect(reserved.asks.map(({ doubtful }) => doubtful)).toEqual(['perhaps refused', 'perhaps refused']);
  expect(reserved.refused('a', false)).toBe(first);
  expect(reserved.refused(undefined, true)).toBe(second);
});
