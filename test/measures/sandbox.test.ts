/** The sandbox shares its process with every request of the gateway: no input may cost it much more than another of its length. */

import { describe, test } from 'bun:test';
import { type JsonSchema, requestDefaults } from '../../src/conversation/text-request.ts';
import { findSums } from '../../src/sandbox/chat/arithmetic.ts';
import { converse } from '../../src/sandbox/chat/converse.ts';
import { drawScene } from '../../src/sandbox/images/draw.ts';
import { encodePng } from '../../src/sandbox/images/png.ts';
import { readScene } from '../../src/sandbox/images/scene/read-scene.ts';
import { embedTexts } from '../../src/sandbox/operations/embed.ts';
import { moderateInputs } from '../../src/sandbox/operations/moderate.ts';
import { rankDocuments } from '../../src/sandbox/operations/rerank.ts';
import { fillSchema } from '../../src/sandbox/schema/fill.ts';
import { readHints } from '../../src/sandbox/schema/hints.ts';
import { costlyTexts, prose } from '../harness/costly-texts.ts';
import { judge, judgeLinear, leastCpuMs } from './figures.ts';

test('sums in long and deep input', () => {
  for (const unit of ['(', '1+', '-', '1,', '9', '1+(', ')'])
    judgeLinear(`sums in "${unit}"`, (parts) => unit.repeat(parts * 62_500), findSums);
});

test('replies to a megabyte of anything', () => {
  const tool = { name: 'look', description: 'Looks.', parameters: { type: 'object' } as JsonSchema };
  const origin = { format: 'neutral', provider: 'sandbox', model: 'sandbox-chat' };
  const reply = (text: string): unknown =>
    converse(
      {
        model: 'sandbox-chat',
        ...requestDefaults,
        messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
        tools: [tool],
        toolChoice: { kind: 'required' },
      },
      { id: 'chatcmpl-1', createdAtMs: 5, origin },
    );
  for (const unit of ['word ', 'a', ' ', '(', '1+', '"', 'a@', 'a/', 'in ', 'a:', 'A ', '😀'])
    judgeLinear(`a reply to "${unit}"`, (parts) => unit.repeat((parts * 125_000) / unit.length), reply);
});

test('a schema with many properties', () => {
  const formOf = (parts: number): JsonSchema => {
    const names = Array.from({ length: parts * 1_250 }, (_, index) => `field_${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string', description: 'x'.repeat(40) }]));
    return { type: 'object', properties, required: names };
  };
  const hints = readHints('weather in Paris '.repeat(1_000));
  judgeLinear('a schema of 10,000 properties', formOf, (schema) => fillSchema(schema, { hints, generous: true }));
});

const moderate = (text: string): unknown =>
  moderateInputs({ inputs: [[{ type: 'text', text }]] }, 'modr-1', 'sandbox-moderate');
const operations: Readonly<Record<string, (text: string) => unknown>> = {
  embed: (text) => embedTexts({ model: 'sandbox-embed', inputs: [text], encoding: 'float' }),
  rerank: (text) =>
    rankDocuments(
      { model: 'sandbox-rerank', query: text, documents: [text, { text }], returnDocuments: false },
      'rerank-1',
    ),
  moderate,
};

/** Some texts are all short words, which cost more than long ones; what this must find is work that grows with the square. */
const timesProseMax = 16;

for (const [name, operation] of Object.entries(operations)) {
  test(`${name}: hostile texts against prose of the same length`, () => {
    const ordinaryMs = Math.max(
      1,
      leastCpuMs(() => operation(prose)),
    );
    for (const [kind, text] of Object.entries(costlyTexts))
      judge(`${name} of ${kind}`, leastCpuMs(() => operation(text)) / ordinaryMs, timesProseMax, 'times prose');
  });
}

/** Embedding and ranking stop at a limit; moderation reads all. */
describe('moderation', () => {
  for (const [kind, text] of Object.entries(costlyTexts))
    test(kind, () => judgeLinear(`moderation of ${kind}`, (parts) => text.slice((-text.length / 8) * parts), moderate));
});

test('the ranking of many documents', () => {
  const documents = Array.from({ length: 10_000 }, (_, index) => `document ${index} word${index % 97}`);
  const query = Array.from({ length: 8_000 }, (_, index) => index.toString(36)).join(' ');
  const rank = (ranked: readonly string[]): unknown =>
    rankDocuments({ model: 'sandbox-rerank', query, documents: ranked, returnDocuments: false }, 'rerank-1');
  judgeLinear('ranking', (parts) => documents.slice(0, parts * 1_250), rank);
});

test('an image of 1024 by 1024, its file included', () => {
  for (const prompt of ['a red house and a forest in the rain', 'foggy mountains at night', 'unspeakable joy']) {
    const scene = { width: 1_024, height: 1_024, seed: 0, transparent: false, caption: true };
    judge(
      `"${prompt}"`,
      leastCpuMs(() => encodePng(drawScene(readScene(prompt), scene))),
      1_000,
      'ms',
    );
  }
});
