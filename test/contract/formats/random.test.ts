/**
 * Random conversations go through every format and come back the same, except for the losses that the format declares.
 */

import { describe, expect, test } from 'bun:test';
import type { Part } from '../../../src/conversation/parts.ts';
import { PartOrder } from '../../../src/conversation/repair/part-order.ts';
import type { StreamEvent, TextReply } from '../../../src/conversation/text-reply.ts';
import type { Usage } from '../../../src/conversation/usage.ts';
import { formats } from '../../../src/formats/all.ts';
import type { FormatName } from '../../../src/formats/format.ts';
import { checkEvents } from '../../harness/check-events.ts';
import { type Difference, replyDifferences, requestDifferences } from '../../harness/differences.ts';
import { disordered } from '../../harness/disordered.ts';
import { unexplained } from '../../harness/explained.ts';
import { fold } from '../../harness/fold-events.ts';
import {
  formatNames,
  originOf,
  repaired,
  replyContext,
  replyThrough,
  streamThrough,
  writtenAndRead,
} from '../../harness/journeys.ts';
import { normalizedReply, normalizedRequest, withHiddenLast } from '../../harness/normalize-for-format.ts';
import { Random, randomEvents, randomReply, randomRequest } from '../../harness/random-conversation.ts';
import { sized } from '../../harness/size.ts';
import { unfold } from '../../harness/unfold.ts';

const seed = Number(process.env['WEIR_TEST_SEED'] ?? 20_261_115);
const casesPerFormat = sized(30, 400);
const stranger = { format: 'openai-chat', provider: 'stranger', model: 'other' };
console.log(
  `random conversations: seed ${seed}, ${casesPerFormat} cases of each kind in each of ${formatNames.length} formats`,
);

/** Runs the cases of one format and names the first that fails, so that it can be run alone. */
function eachCase(name: FormatName, run: (random: Random) => readonly (Difference | string)[]): void {
  for (let number = 0; number < casesPerFormat; number += 1) {
    const found = run(new Random(seed + number));
    if (found.length > 0)
      expect({ format: name, seed: seed + number, found }).toEqual({ format: name, seed: seed + number, found: [] });
  }
  expect(casesPerFormat).toBeGreaterThan(0);
}

describe.each(formatNames)('%s', (name) => {
  test('requests come back as they were written', () => {
    eachCase(name, (random) => {
      const request = repaired(name, randomRequest(random, originOf(name))).value;
      const { value, losses } = writtenAndRead(formats[name], request);
      const differences = requestDifferences(normalizedRequest(name, request), normalizedRequest(name, value));
      return unexplained(differences, losses, [name], 'request');
    });
  });

  test('invalid requests, once repaired, come back as they were written', () => {
    eachCase(name, (random) => {
      const careless = disordered(randomRequest(random, originOf(name)), random, stranger);
      const request = repaired(name, careless).value;
      const { value, losses } = writtenAndRead(formats[name], request);
      const differences = requestDifferences(normalizedRequest(name, request), normalizedRequest(name, value));
      return unexplained(differences, losses, [name], 'request');
    });
  });

  test('whole replies come back as they were written', () => {
    eachCase(name, (random) => {
      const reply = randomReply(random, originOf(name));
      const { value, losses } = replyThrough(name, reply);
      const differences = replyDifferences(
        normalizedReply(name, reply, 'reply'),
        normalizedReply(name, value, 'reply'),
      );
      const silent =
        name === 'openai-chat' ? reordered(reply) && !losses.some(({ what }) => what.includes('order')) : false;
      return [
        ...unexplained(differences, losses, [name], 'reply'),
        ...(silent ? ['the order of parts was lost silently'] : []),
        ...countedTwice(value.usage),
      ];
    });
  });

  test('streams come back as the reply that they were', () => {
    eachCase(name, (random) => {
      const reply = randomReply(random, originOf(name));
      const order = new PartOrder(() => 'all');
      const events = [...randomEvents(reply, random)].flatMap((event) => order.arrange(event) ?? [event]);
      return streamDefects(name, reply, events);
    });
  });

  test('so do streams with parallel parts', () => {
    eachCase(name, (random) => {
      const given = randomReply(random, originOf(name));
      // Texts that run side by side cannot be one.
      const reply = name === 'openai-responses' ? inMessages(given) : given;
      const arranged = name === 'openai-responses' ? withHiddenLast : undefined;
      const defects = streamDefects(name, reply, randomEvents(reply, random), arranged);
      // A text that another part interrupts is two texts there, and which of them a source supports is a guess.
      const isGuess = (defect: Difference | string) =>
        name === 'openai-chat' && typeof defect !== 'string' && defect.kind === 'citations';
      return defects.filter((defect) => !isGuess(defect));
    });
  });

  test('usage that comes in two steps is one usage', () => {
    eachCase(name, (random) => {
      const reply = randomReply(random, originOf(name), { without: ['candidates'] });
      const events = [...randomEvents(reply, random)].filter(({ type }) => type !== 'usage');
      const inSteps: StreamEvent[] = events.flatMap((event): StreamEvent[] => {
        if (event.type === 'reply-start')
          return [event, { type: 'usage', usage: { input: reply.usage.input, output: {} } }];
        if (event.type === 'reply-end')
          return [{ type: 'usage', usage: { input: {}, output: reply.usage.output } }, event];
        return [event];
      });
      const { value, losses } = streamThrough(name, inSteps);
      const differences = replyDifferences(reply, fold(value)).filter(({ kind }) => kind.startsWith('usage'));
      return unexplained(differences, losses, [name], 'stream');
    });
  });

  test("a call's numbers keep every digit", () => {
    const digits = '{"rate":1.0,"big":12345678901234567890}';
    const call: Part = { type: 'tool-call', id: 'call_1', name: 'level', arguments: digits };
    const reply: TextReply = {
      id: 'r',
      model: 'm',
      createdAtMs: 0,
      candidates: [{ parts: [call], finish: { reason: 'tool-calls' } }],
      usage: { input: {}, output: {} },
    };
    const { codec } = formats[name];
    const said =
      JSON.stringify(codec.writeReply(reply, replyContext()).value) + streamThrough(name, unfold(reply)).text;
    const asked = JSON.stringify(
      codec.writeRequest(
        {
          ...randomRequest(new Random(1), originOf(name), { without: ['tools'] }),
          messages: [
            { role: 'user', parts: [{ type: 'text', text: 'Go' }] },
            { role: 'assistant', parts: [call] },
            { role: 'tool', parts: [{ type: 'tool-result', callId: 'call_1', parts: [], failed: false }] },
          ],
        },
        { origin: originOf(name), profile: {}, quirks: {} },
      ).value,
    );
    // The format without tools reports it instead.
    if (name === 'openai-completions') return;
    expect(said.split('12345678901234567890').length).toBeGreaterThan(2);
    expect(asked).toContain('12345678901234567890');
    expect(asked).toContain('1.0');
  });
});

function streamDefects(
  name: FormatName,
  reply: TextReply,
  events: Iterable<StreamEvent>,
  arranged: (reply: TextReply) => TextReply = (same) => same,
): (Difference | string)[] {
  const { value, losses } = streamThrough(name, events);
  const folded = fold(value);
  const normalized = (one: TextReply) => arranged(normalizedReply(name, one, 'stream'));
  const differences = replyDifferences(normalized(reply), normalized(folded));
  return [...checkEvents(value), ...unexplained(differences, losses, [name], 'stream'), ...countedTwice(folded.usage)];
}

/**
 * Calls before text, or thoughts after either: an order that a format with one field for each kind does not support.
 */
function reordered(reply: TextReply): boolean {
  const rank = ({ type }: Part) => (type === 'thinking' ? 0 : type === 'tool-call' ? 2 : 1);
  return reply.candidates.some(({ parts }) =>
    parts.some((part, index) => index > 0 && rank(part) < rank(parts[index - 1] ?? part)),
  );
}

/** No class of tokens is larger than the whole, nor are all of them together. */
function countedTwice({ input, output }: Usage): string[] {
  const { total: read, cacheRead = 0, cacheWrite = 0, fresh = 0 } = input;
  const { total: written, thinking = 0, text = 0 } = output;
  const wrong: string[] = [];
  if (read !== undefined && fresh + cacheRead + cacheWrite > read)
    wrong.push(`input is counted twice: ${JSON.stringify(input)}`);
  if (written !== undefined && thinking + text > written)
    wrong.push(`output is counted twice: ${JSON.stringify(output)}`);
  return wrong;
}

function inMessages(reply: TextReply): TextReply {
  const apart = (part: Part): Part => (part.type === 'text' ? { ...part, opensMessage: true } : part);
  const candidates = reply.candidates.map((candidate) => ({ ...candidate, parts: candidate.parts.map(apart) }));
  return { ...reply, candidates };
}
