/** Proves that every rule of a stream is really enforced: each break of it is named, and good streams pass. */

import { describe, expect, test } from 'bun:test';
import type { PartOpening, StreamEvent } from '../../src/conversation/text-reply.ts';
import { checkEvents, EventCheck } from './check-events.ts';
import { Random, randomEvents, randomReply } from './random-conversation.ts';

const origin = { format: 'a-format', provider: 'a-provider', model: 'a-model' };
const replyStart: StreamEvent = { type: 'reply-start', id: 'r', model: 'm', createdAtMs: 0 };
const replyEnd: StreamEvent = { type: 'reply-end' };
const failure: StreamEvent = { type: 'failure', code: 'upstream_failed', message: 'gone' };
const open = (part: number, opening: PartOpening = { type: 'text' }, candidate = 0): StreamEvent => ({
  type: 'part-start',
  candidate,
  part,
  opening,
});
const close = (part: number): StreamEvent => ({ type: 'part-end', candidate: 0, part });
const words = (part: number): StreamEvent => ({ type: 'text-delta', candidate: 0, part, text: 'a' });
const done = (candidate = 0): StreamEvent => ({ type: 'candidate-end', candidate, finish: { reason: 'stop' } });
const usage = (total: number, cacheRead?: number): StreamEvent => ({
  type: 'usage',
  usage: { input: { total, cacheRead }, output: {} },
});

describe('good streams', () => {
  test('the plain one', () => {
    const events = [replyStart, open(0), words(0), close(0), done(), usage(1), replyEnd];
    expect(checkEvents(events)).toEqual([]);
  });
  test('one that fails in the middle of a part, or before it says anything', () => {
    expect(checkEvents([replyStart, open(0), words(0), failure])).toEqual([]);
    expect(checkEvents([failure])).toEqual([]);
  });
  test('usage that grows, or says less than before', () => {
    expect(checkEvents([replyStart, usage(1, 1), usage(1), usage(2, 1), replyEnd])).toEqual([]);
  });
  test('a native part between others', () => {
    const native: StreamEvent = { type: 'native', format: 'f', value: 0, candidate: 0, part: 1 };
    expect(checkEvents([replyStart, open(0), native, open(2), close(0), close(2), done(), replyEnd])).toEqual([]);
  });
});

const thinking: PartOpening = { type: 'thinking' };
const call: PartOpening = { type: 'tool-call', id: 'c', name: 'n' };
const seal: StreamEvent = { type: 'seal', candidate: 0, part: 0, seal: { value: 's', origin } };
const citation: StreamEvent = { type: 'citation', candidate: 0, part: 0, citation: {} };
const byUrl: PartOpening = {
  type: 'media',
  media: 'image',
  mediaType: '',
  source: { kind: 'url', url: 'https://a.b' },
};

const broken: readonly [what: string, events: StreamEvent[], complaint: string][] = [
  ['nothing at all', [], 'event 0 (the stream): ends without reply-end or failure'],
  ['a cut', [replyStart, open(0)], 'event 2 (the stream): ends without reply-end or failure'],
  ['no start', [usage(1), replyStart, replyEnd], 'event 1 (usage): comes before reply-start'],
  ['two starts', [replyStart, replyStart, replyEnd], 'event 2 (reply-start): comes a second time'],
  ['something after the end', [replyStart, replyEnd, usage(1)], 'event 3 (usage): comes after reply-end'],
  ['a failure after the end', [replyStart, replyEnd, failure], 'event 3 (failure): comes after reply-end'],
  ['an end after a failure', [replyStart, failure, replyEnd], 'event 3 (reply-end): comes after failure'],
  ['a delta into nothing', [replyStart, words(0), done(), replyEnd], 'event 2 (text-delta): part 0.0 is not open'],
  [
    'a delta into a closed part',
    [replyStart, open(0), close(0), words(0), done(), replyEnd],
    'event 4 (text-delta): part 0.0 is not open',
  ],
  [
    'a part closed twice',
    [replyStart, open(0), close(0), close(0), done(), replyEnd],
    'event 4 (part-end): part 0.0 is not open',
  ],
  [
    'a part opened twice',
    [replyStart, open(0), close(0), open(0), done(), replyEnd],
    'event 4 (part-start): part 0.0 was opened before',
  ],
  [
    'a number left out',
    [replyStart, open(1), close(1), done(), replyEnd],
    'event 2 (part-start): part 0.1 opens where 0.0 is next',
  ],
  [
    'a native part on a used number',
    [replyStart, open(0), close(0), { type: 'native', format: 'f', value: 0, candidate: 0, part: 0 }, done(), replyEnd],
    'event 4 (native): part 0.0 was opened before',
  ],
  [
    'text in thinking',
    [replyStart, open(0, thinking), words(0), close(0), done(), replyEnd],
    'event 3 (text-delta): does not belong into part 0.0, which is of type thinking',
  ],
  [
    'a citation in a call',
    [replyStart, open(0, call), citation, close(0), done(), replyEnd],
    'event 3 (citation): does not belong into part 0.0, which is of type tool-call',
  ],
  [
    'a seal on a refusal',
    [replyStart, open(0, { type: 'refusal' }), seal, close(0), done(), replyEnd],
    'event 3 (seal): does not belong into part 0.0, which is of type refusal',
  ],
  [
    'bytes for a part that is elsewhere',
    [replyStart, open(0, byUrl), { type: 'media-delta', candidate: 0, part: 0, data: '' }, close(0), done(), replyEnd],
    'event 3 (media-delta): part 0.0 was complete when it opened',
  ],
  [
    'a candidate that ends with an open part',
    [replyStart, open(0), done(), replyEnd],
    'event 3 (candidate-end): part 0.0 is still open',
  ],
  [
    'a candidate that ends twice',
    [replyStart, done(), done(), replyEnd],
    'event 3 (candidate-end): candidate 0 has ended',
  ],
  [
    'a part after its candidate',
    [replyStart, done(), open(0), replyEnd],
    'event 3 (part-start): candidate 0 has ended',
  ],
  [
    'a candidate without an end',
    [replyStart, done(), open(0, thinking, 1), replyEnd],
    'event 4 (reply-end): candidate 1 has not ended',
  ],
  [
    'usage that shrinks after it grew',
    [replyStart, usage(1), usage(5), usage(3), replyEnd],
    'event 4 (usage): input.total shrinks from 5 to 3',
  ],
  ['no candidate', [replyStart, done(-1), replyEnd], 'event 2 (candidate-end): -1 is no candidate'],
  [
    'usage that shrinks, also after a report that left it out',
    [replyStart, usage(5, 3), usage(5), usage(6, 2), replyEnd],
    'event 4 (usage): input.cacheRead shrinks from 3 to 2',
  ],
];

describe('broken streams', () => {
  for (const [what, events, complaint] of broken) {
    test(what, () => expect(checkEvents(events)).toEqual([complaint]));
  }

  test('complaints are bounded', () => {
    const check = new EventCheck();
    for (let index = 0; index < 10_000; index += 1) check.see(words(0));
    expect(check.violations).toHaveLength(100);
  });

  test('an event that is lost, doubled or out of place is noticed wherever that changes the structure', () => {
    let tried = 0;
    for (let seed = 0; seed < 500; seed += 1) {
      const random = new Random(seed);
      const events = [...randomEvents(randomReply(random, origin), random)];
      const at = random.int(0, events.length - 1);
      const { type } = events[at] ?? replyEnd;
      if (!['reply-start', 'part-start', 'part-end', 'candidate-end', 'reply-end'].includes(type)) continue;
      tried += 1;
      const doubled = events.toSpliced(at, 0, events[at] ?? replyEnd);
      expect({ seed, type, found: checkEvents(doubled).length > 0 }).toEqual({ seed, type, found: true });
      const lost = events.toSpliced(at, 1);
      // A candidate of which nothing is left cannot be missed.
      const mayMiss = type === 'candidate-end' && !lost.some((event) => isSameCandidate(event, events[at]));
      expect({ seed, type, found: mayMiss || checkEvents(lost).length > 0 }).toEqual({ seed, type, found: true });
    }
    expect(tried).toBeGreaterThan(100);
  });
});

function isSameCandidate(event: StreamEvent, other: StreamEvent | undefined): boolean {
  return 'candidate' in event && other !== undefined && 'candidate' in other && event.candidate === other.candidate;
}
