/**
 * Recorded replies of real providers: read as in their payloads, translated to every other format, and
 * with the same usage in all lanes.
 */

import { describe, expect, test } from 'bun:test';
import { Folding } from '../../../src/conversation/events/fold.ts';
import type { Loss, Part } from '../../../src/conversation/parts.ts';
import type { TextReply } from '../../../src/conversation/text-reply.ts';
import { WrittenText } from '../../../src/conversation/texts/written-text.ts';
import { laterUsage, type Usage, unknownUsage } from '../../../src/conversation/usage.ts';
import { formats } from '../../../src/formats/all.ts';
import type { StreamTap } from '../../../src/formats/format.ts';
import { dataOf } from '../../harness/chat.ts';
import { checkEvents } from '../../harness/check-events.ts';
import { replyDifferences } from '../../harness/differences.ts';
import { unexplained } from '../../harness/explained.ts';
import {
  eventsOf,
  formatNames,
  readContext,
  replyContext,
  replyThrough,
  streamThrough,
} from '../../harness/journeys.ts';
import { normalizedReply } from '../../harness/normalize-for-format.ts';
import { framesIn, type Recording, recordings, saidBy, value } from '../../harness/recorded-replies.ts';
import { expectValid } from '../../harness/schema.ts';
import { sampled, sized } from '../../harness/size.ts';
import { unfold } from '../../harness/unfold.ts';

const all = recordings();

/** Losses by what they are, without the places where they were. */
const lost = new Map<string, number>();
let conversions = 0;

function note(losses: readonly Loss[]): void {
  for (const { what } of losses) {
    const kind = what.replace(/\[\d+\]/g, '[n]');
    lost.set(kind, (lost.get(kind) ?? 0) + 1);
  }
}

/** A failed stream has no reply, only its failure. */
function read(recording: Recording): { reply: TextReply | undefined; losses: readonly Loss[] } {
  if (!recording.streamed) {
    const { value, losses } = formats[recording.format].codec.readReply(
      JSON.parse(recording.payloads[0] ?? ''),
      readContext(recording.format),
    );
    return { reply: value, losses };
  }
  const { value: events, losses } = eventsOf(recording.format, framesIn(recording));
  expect(checkEvents(events)).toEqual([]);
  const folding = new Folding();
  for (const event of events) folding.add(event);
  return { reply: folding.failure === undefined ? folding.reply : undefined, losses };
}

function readFrom({ candidates, usage }: TextReply) {
  const parts: readonly Part[] = candidates[0]?.parts ?? [];
  return {
    text: parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    calls: parts.flatMap((part) => (part.type === 'tool-call' ? [[part.name, value(part.arguments)] as const] : [])),
    input: usage.input.total,
    output: usage.output.total,
    finish: candidates[0]?.finish.raw,
  };
}

/** The formats whose replies and events have a published schema. */
const published = [
  { format: 'openai-chat', whole: 'CreateChatCompletionResponse', event: 'CreateChatCompletionStreamResponse' },
  { format: 'openai-completions', whole: 'CreateCompletionResponse', event: 'CreateCompletionResponse' },
  { format: 'openai-responses', whole: 'Response', event: 'ResponseStreamEvent' },
] as const;

describe('recordings', () => {
  test.each(
    all.map((recording) => [recording.name, recording] as const),
  )('%s says what its payloads say', (_, recording) => {
    const { reply, losses } = read(recording);
    note(losses);
    if (reply === undefined) {
      expect(recording.name).toContain('error');
      return;
    }
    expect(readFrom(reply)).toEqual(saidBy(recording) as ReturnType<typeof readFrom>);
  });

  test.each(
    all.map((recording, index) => [recording.name, recording, index] as const),
  )('%s survives other formats', (_, recording, index) => {
    const { reply } = read(recording);
    if (reply === undefined) return;
    const others = formatNames.filter((name) => name !== recording.format);
    for (const other of sampled(others, index, 2)) {
      const whole = replyThrough(other, reply);
      const stream = streamThrough(other, unfold(reply));
      const folding = new Folding();
      for (const event of stream.value) folding.add(event);
      expect(checkEvents(stream.value)).toEqual([]);
      conversions += 2;
      note(whole.losses);
      note(stream.losses);
      for (const [passage, got, losses] of [
        ['reply', whole.value, whole.losses],
        ['stream', folding.reply, stream.losses],
      ] as const) {
        const differences = replyDifferences(
          normalizedReply(other, reply, passage),
          normalizedReply(other, got, passage),
        );
        expect({ other, passage, open: unexplained(differences, losses, [other], passage) }).toEqual({
          other,
          passage,
          open: [],
        });
      }
    }
  });

  test.each(
    all.map((recording, index) => [recording.name, recording, index] as const),
  )('%s is written as the published schemas say', (_, recording, index) => {
    const { reply } = read(recording);
    if (reply === undefined) return;
    const others = published.filter(({ format }) => format !== recording.format);
    for (const { format, whole, event } of sampled(others, index)) {
      expectValid(whole, JSON.parse(JSON.stringify(formats[format].codec.writeReply(reply, replyContext()).value)));
      for (const data of dataOf(streamThrough(format, unfold(reply)).text)) {
        // The published schema of chunks has no custom calls, which the official library reads.
        const isCustom = format === 'openai-chat' && data.includes('"custom":{');
        if (data !== '[DONE]' && !isCustom) expectValid(event, JSON.parse(data));
      }
    }
  });

  test('the count', () => {
    const streams = all.filter(({ streamed }) => streamed).length;
    console.log(`recordings: ${all.length} (${streams} streams), conversions: ${conversions}`);
    const kinds = [...lost].toSorted(([, one], [, other]) => other - one);
    console.log(`  reported as lost: ${kinds.map(([kind, times]) => `${kind} ×${times}`).join(', ')}`);
    expect(conversions).toBeGreaterThan(all.length * sized(3, 4));
  });
});

interface Measure {
  readonly usage: Usage;
  readonly finished: boolean;
  readonly written: string;
}

function tapped(recording: Recording, hidesUsage: boolean): Measure {
  const tap: StreamTap = formats[recording.format].tap({ hidesUsage, usageInside: 'x_groq' });
  for (const { data, event } of framesIn(recording)) if (tap.read(data, event) === 'end') break;
  return { usage: tap.usage, finished: tap.finished, written: tap.written.sample };
}

/** As the translating lane measures what it passes on. */
function translated(recording: Recording): Measure {
  const written = new WrittenText();
  let usage: Usage = unknownUsage;
  let finished = false;
  for (const event of eventsOf(recording.format, framesIn(recording)).value) {
    if (event.type === 'text-delta' || event.type === 'thinking-delta' || event.type === 'tool-input-delta') {
      written.add(event.text);
    }
    if (event.type === 'part-start' && event.opening.type === 'tool-call') written.add(event.opening.name);
    if (event.type === 'usage') usage = laterUsage(usage, event.usage);
    if (event.type === 'candidate-end') finished = true;
  }
  return { usage, finished, written: written.sample };
}

const known = (counts: object) => Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined));
const plain = ({ input, output }: Usage) => ({ input: known(input), output: known(output) });

describe('the three lanes report the same usage', () => {
  const streams = all.filter(({ streamed }) => streamed);
  test.each(streams.map((recording) => [recording.name, recording] as const))('%s', (_, recording) => {
    const forward = tapped(recording, false);
    const patch = tapped(recording, true);
    const translate = translated(recording);
    expect({ ...patch, usage: plain(patch.usage) }).toEqual({ ...forward, usage: plain(forward.usage) });
    expect({ finished: translate.finished, usage: plain(translate.usage) }).toEqual({
      finished: forward.finished,
      usage: plain(forward.usage),
    });
    if (hasNatives(recording) || unequalWords.some((name) => recording.name.includes(name))) return;
    expect(letters(translate.written)).toBe(letters(forward.written));
  });

  /** A tap reads in the order of the wire, where missing arguments are no text. */
  function letters(words: string): string {
    return [...words.replaceAll('{}', '')].toSorted().join('');
  }

  /** Its deltas were cut out of the recording; a whole call is taken in as the wire spells it. Either is good for an estimate. */
  const unequalWords = ['openai-phase', 'google-tool-call'];

  /** A tap also takes in what only the provider's own tools wrote. */
  function hasNatives(recording: Recording): boolean {
    return eventsOf(recording.format, framesIn(recording)).value.some(({ type }) => type === 'native');
  }
});
