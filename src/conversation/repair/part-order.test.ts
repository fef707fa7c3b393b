import { expect, test } from 'bun:test';
import { checkEvents } from '../../../test/harness/check-events.ts';
import { fold } from '../../../test/harness/fold-events.ts';
import { Random, randomEvents, randomReply } from '../../../test/harness/random-conversation.ts';
import type { StreamEvent } from '../text-reply.ts';
import { type LaneOf, PartOrder } from './part-order.ts';

const origin = { format: 'openai-chat', provider: 'p', model: 'm' };

function arranged(events: Iterable<StreamEvent>, laneOf: LaneOf): StreamEvent[] {
  const order = new PartOrder(laneOf);
  return [...events].flatMap((event) => order.arrange(event) ?? [event]);
}

test('parts of one lane come one after the other, and the reply stays the same', () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const random = new Random(seed);
    const reply = randomReply(random, origin);
    const events = arranged(randomEvents(reply, random), () => 'one');
    expect(checkEvents(events)).toEqual([]);
    expect(fold(events)).toEqual(reply);
    const places = events.flatMap((event) =>
      'part' in event && event.part !== undefined ? [[event.candidate ?? 0, event.part] as const] : [],
    );
    for (const [index] of reply.candidates.entries()) {
      const parts = places.filter(([candidate]) => candidate === index).map(([, part]) => part);
      expect(parts).toEqual(parts.toSorted((one, other) => one - other));
    }
  }
});

test('what needs no lane, or has one of its own, is not held up', () => {
  const events: StreamEvent[] = [
    { type: 'part-start', candidate: 0, part: 0, opening: { type: 'text' } },
    { type: 'part-start', candidate: 0, part: 1, opening: { type: 'tool-call', id: 'a', name: 'b' } },
    { type: 'part-start', candidate: 0, part: 2, opening: { type: 'text' } },
    { type: 'text-delta', candidate: 0, part: 2, text: 'second' },
    { type: 'tool-input-delta', candidate: 0, part: 1, text: '{}' },
    { type: 'text-delta', candidate: 0, part: 0, text: 'first' },
    { type: 'part-end', candidate: 0, part: 2 },
    { type: 'part-end', candidate: 0, part: 0 },
    { type: 'part-end', candidate: 0, part: 1 },
  ];
  const order = arranged(events, (opening) => (opening?.type === 'text' ? 'text' : undefined));
  expect(order.map((event) => `${event.type} ${'part' in event ? event.part : ''}`)).toEqual([
    'part-start 0',
    'part-start 1',
    'tool-input-delta 1',
    'text-delta 0',
    'part-end 0',
    'part-start 2',
    'text-delta 2',
    'part-end 2',
    'part-end 1',
  ]);
});
