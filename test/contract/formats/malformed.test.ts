/** Nothing that a client or a provider can send makes a codec panic: it reads what it can, or throws what the relay expects. */

import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../../src/conversation/gateway-error.ts';
import { isObject, type Tree } from '../../../src/conversation/json-tree.ts';
import { repair } from '../../../src/conversation/repair/repair.ts';
import { formats } from '../../../src/formats/all.ts';
import type { FormatName } from '../../../src/formats/format.ts';
import {
  formatNames,
  framesOf,
  onTheWire,
  originOf,
  readContext,
  replyContext,
  streamThrough,
} from '../../harness/journeys.ts';
import { Random, randomReply, randomRequest } from '../../harness/random-conversation.ts';
import { sized } from '../../harness/size.ts';
import { unfold } from '../../harness/unfold.ts';

const seed = 11;
const casesPerFormat = sized(40, 500);
const named = { model: 'model-m', stream: false };

function deep(levels: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { content: value };
  return value;
}

const huge = 'x'.repeat(100_000);

/** What careless or hostile senders put in place of what belongs there. */
function odd(random: Random): unknown {
  return random.pick<() => unknown>([
    () => null,
    () => undefined,
    () => true,
    () => 0,
    () => -1,
    () => 1e308,
    () => 0.5,
    () => '',
    () => 'text',
    () => huge,
    () => [],
    () => [null],
    () => [[]],
    () => [1, 'a', {}],
    () => ({}),
    () => ({ type: 'text' }),
    () => ({ type: 1 }),
    () => ({ type: 'x_unknown', content: [] }),
    () => JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
    () => deep(200),
    () => '\ud800',
  ])();
}

/** A copy in which chance took out, replaced, doubled or renamed something. */
function mutated(value: unknown, random: Random, chance: number): unknown {
  if (random.chance(chance)) return odd(random);
  if (Array.isArray(value)) {
    const items = value.map((item) => mutated(item, random, chance));
    if (random.chance(chance)) items.push(odd(random));
    if (random.chance(chance)) items.reverse();
    return items;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .filter(() => !random.chance(chance))
    .map(([name, inner]) => [random.chance(chance / 4) ? '__proto__' : name, mutated(inner, random, chance)] as const);
  const copy: Record<string, unknown> = {};
  for (const [name, inner] of entries) {
    // As the parser does it: the name is a plain field, not the prototype.
    Object.defineProperty(copy, name, { value: inner, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

function thrownBy(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

function explain(format: FormatName, number: number, step: string, error: unknown): string {
  const at =
    error instanceof Error ? `${error.name}: ${error.message} ${error.stack?.split('\n')[1] ?? ''}` : String(error);
  return `${format}, seed ${seed + number}, ${step}: ${at}`;
}

function bodyOf(format: FormatName, random: Random): unknown {
  const request = repair(randomRequest(random, originOf(format)), formats[format].codec.rules, originOf(format)).value;
  const target = { origin: originOf(format), profile: {}, quirks: {} };
  return onTheWire(formats[format].codec.writeRequest(request, target).value);
}

console.log(
  `malformed input: seed ${seed}, ${casesPerFormat} cases of each kind in each of ${formatNames.length} formats`,
);

describe.each(formatNames)('%s', (format) => {
  const { codec } = formats[format];

  test('a mutated body is read without a throw, and what was read can be written for every provider', () => {
    const wrong: string[] = [];
    for (let number = 0; number < casesPerFormat; number += 1) {
      const random = new Random(seed + number);
      const body = mutated(bodyOf(format, random), random, random.pick([0.02, 0.1, 0.3]));
      const tree = isObject(body) ? body : { body };
      const error = thrownBy(() => {
        const { value } = codec.readRequest(tree, random.chance() ? named : undefined);
        const other = random.pick(formatNames);
        const target = { origin: originOf(other), profile: {}, quirks: {} };
        const { codec: theirs } = formats[other];
        JSON.stringify(theirs.writeRequest(repair(value, theirs.rules, target.origin).value, target).value);
      });
      if (error !== undefined) wrong.push(explain(format, number, 'readRequest', error));
      const checked = thrownBy(() => formats[format].check(tree, 1_000, named));
      if (checked !== undefined && !(checked instanceof GatewayError))
        wrong.push(explain(format, number, 'check', checked));
      const patched =
        checked === undefined && thrownBy(() => formats[format].patch(tree, { upstreamModel: 'm', mayAskUsage: true }));
      if (patched) wrong.push(explain(format, number, 'patch', patched));
      for (const step of ['needs', 'affinityOf'] as const) {
        const refused = thrownBy(() => formats[format][step]?.(tree));
        if (refused !== undefined) wrong.push(explain(format, number, step, refused));
      }
    }
    expect(wrong.slice(0, 5)).toEqual([]);
    expect('polluted' in {}).toBe(false);
  });

  test('a mutated reply is read, or refused as not of the format', () => {
    const wrong: string[] = [];
    for (let number = 0; number < casesPerFormat; number += 1) {
      const random = new Random(seed + number);
      const reply = onTheWire(codec.writeReply(randomReply(random, originOf(format)), replyContext()).value);
      const tree = mutated(reply, random, random.pick([0.02, 0.1, 0.3]));
      for (const [step, run] of [
        ['readReply', () => codec.readReply(tree, readContext(format))],
        ['measureReply', () => formats[format].measureReply(tree)],
      ] as const) {
        const error = thrownBy(run);
        // A reply with a failed status is the provider's error.
        if (error !== undefined && !(error instanceof SyntaxError) && !(error instanceof GatewayError)) {
          wrong.push(explain(format, number, step, error));
        }
      }
    }
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  test('a mutated stream is read, or refused as not of the format', () => {
    const wrong: string[] = [];
    for (let number = 0; number < casesPerFormat; number += 1) {
      const random = new Random(seed + number);
      const { text } = streamThrough(format, unfold(randomReply(random, originOf(format), { without: ['logprobs'] })));
      const chance = random.pick([0.02, 0.1, 0.3]);
      const frames = framesOf(text).map(({ data, event }) => ({ data: spoilt(data, random, chance), event }));
      const reader = codec.streamReader(readContext(format));
      const tap = formats[format].tap({ hidesUsage: random.chance(), usageInside: undefined });
      for (const [step, run] of [
        ['streamReader', (data: string, event: string | undefined) => void reader.read(data, event)],
        ['tap', (data: string, event: string | undefined) => void tap.read(data, event)],
      ] as const) {
        for (const { data, event } of random.chance(0.2) ? random.shuffled(frames) : frames) {
          const error = thrownBy(() => run(data, event));
          if (error !== undefined && !(error instanceof SyntaxError)) wrong.push(explain(format, number, step, error));
          if (error !== undefined) break;
        }
      }
      const ended = thrownBy(() => reader.end());
      if (ended !== undefined) wrong.push(explain(format, number, 'end', ended));
    }
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  test('bodies that are nothing like a request', () => {
    const bodies: Tree[] = [
      {},
      { model: null },
      { messages: huge },
      { input: deep(5_000) },
      { contents: deep(5_000) },
      { prompt: [[]] },
    ];
    for (const body of bodies) expect(thrownBy(() => codec.readRequest(body, named))).toBeUndefined();
  });
});

function spoilt(data: string, random: Random, chance: number): string {
  if (data === '[DONE]' || random.chance(chance / 10))
    return random.pick([data, '', '{', 'null', '[]', '"text"', '[DONE]']);
  return JSON.stringify(mutated(JSON.parse(data), random, chance)) ?? 'null';
}
