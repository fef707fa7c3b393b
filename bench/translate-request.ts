/** What translating a large request costs, against the cost of only parsing it; both in this process, in turns. */

import { rulesFor } from '../src/conversation/fit/rules-for.ts';
import { fitToModel } from '../src/conversation/fit-model.ts';
import { repair } from '../src/conversation/repair/repair.ts';
import { formats } from '../src/formats/all.ts';
import type { Tree } from '../src/formats/format.ts';
import { familyProfile } from '../src/providers/families.ts';

const turns = 260;
const repetitions = 60;
const rounds = 15;
/** Of the same repetitions, before the first: a gateway translates for days, and the compiler's last step takes hundreds of runs. */
const warmUpRounds = 12;

export interface RequestFigures {
  readonly parseMicros: readonly number[];
  readonly translateMicros: readonly number[];
  readonly bytes: number;
}

/** An agent's conversation: long texts, tool calls and their results, about 200 KB. */
function largeRequest(): string {
  const text = 'The gate was raised by four centimetres, and the flow below it rose within two minutes. ';
  const messages: unknown[] = [{ role: 'system', content: text.repeat(20) }];
  for (let turn = 0; turn < turns; turn += 1) {
    const id = `call_${turn}`;
    const called = { name: 'read_gauge', arguments: JSON.stringify({ gauge: turn, unit: 'cm', note: 'upper "pool"' }) };
    messages.push({ role: 'user', content: text.repeat(3) });
    messages.push({ role: 'assistant', content: text, tool_calls: [{ id, type: 'function', function: called }] });
    messages.push({ role: 'tool', tool_call_id: id, content: text.repeat(2) });
  }
  const parameters = { type: 'object', properties: { gauge: { type: 'integer' }, unit: { type: 'string' } } };
  const tools = [{ type: 'function', function: { name: 'read_gauge', description: text, parameters } }];
  return JSON.stringify({ model: 'via-messages', messages, tools, max_tokens: 1_000, stream: true });
}

function translate(body: Buffer): number {
  const tree = JSON.parse(body.toString('utf8')) as Tree;
  const target = formats['anthropic-messages'];
  const origin = { format: target.name, provider: 'bench', model: 'via-messages' };
  const { value } = formats['openai-chat'].codec.readRequest(tree);
  const profile = familyProfile('claude-opus-4-8');
  const { rules } = target.codec;
  const fitted = fitToModel(value, profile, rules);
  const repaired = repair(fitted.value, rulesFor(rules, profile), origin);
  const written = target.codec.writeRequest(repaired.value, { origin, profile, quirks: {} });
  return Buffer.byteLength(JSON.stringify(written.value));
}

function microsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  for (let index = 0; index < repetitions; index += 1) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / repetitions;
}

export function measureRequest(): RequestFigures {
  const body = Buffer.from(largeRequest());
  const parse = (): unknown => JSON.parse(body.toString('utf8'));
  const whole = (): unknown => translate(body);
  for (let round = 0; round < warmUpRounds; round += 1) {
    microsOf(parse);
    microsOf(whole);
  }
  const parseMicros: number[] = [];
  const translateMicros: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    parseMicros.push(microsOf(parse));
    translateMicros.push(microsOf(whole));
  }
  return { parseMicros, translateMicros, bytes: body.length };
}

// Run as its own process: in the bench's process, garbage of other measurements would distort the figures.
if (import.meta.main) console.log(JSON.stringify(measureRequest()));
