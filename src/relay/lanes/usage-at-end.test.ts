import { describe, expect, test } from 'bun:test';
import { WrittenText } from '../../conversation/texts/written-text.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import { formats } from '../../formats/all.ts';
import type { Tree } from '../../formats/format.ts';
import { usageAtEnd } from './usage-at-end.ts';

const nested = { usage: { prompt_tokens: 1, input_tokens: 1 }, text: 'a,"usage":{"b":[1,\\"}' };

/** A reply of each format, with content that looks like the end of one. */
const replies: Readonly<Record<keyof typeof formats, Tree>> = {
  'openai-chat': {
    choices: [{ index: 0, message: { role: 'assistant', content: JSON.stringify(nested) } }],
    usage: { prompt_tokens: 7, completion_tokens: 9, total_tokens: 16 },
    service_tier: 'default',
  },
  'openai-completions': {
    choices: [{ index: 0, text: JSON.stringify(nested) }],
    usage: { prompt_tokens: 7, completion_tokens: 9, total_tokens: 16 },
  },
  'openai-responses': {
    output: [{ type: 'message', content: [{ type: 'output_text', text: JSON.stringify(nested) }] }],
    usage: { input_tokens: 7, output_tokens: 9, total_tokens: 16 },
    metadata: { a: '}' },
  },
  'anthropic-messages': {
    content: [{ type: 'tool_use', id: 't', name: 'f', input: nested }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 7, output_tokens: 9 },
  },
  'gemini-generate': {
    candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: nested } }] } }],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 9, totalTokenCount: 16 },
    modelVersion: 'm',
  },
  'cohere-chat': {
    message: { content: [{ type: 'text', text: JSON.stringify(nested) }] },
    usage: { tokens: { input_tokens: 7, output_tokens: 9 } },
  },
};

describe.each(Object.entries(replies))('%s', (name, reply) => {
  const format = formats[name as keyof typeof formats];

  test.each([
    undefined,
    2,
  ])('its usage is read from every end that holds it, and from no other (spaces: %p)', (spaces) => {
    const text = JSON.stringify(reply, undefined, spaces);
    const { usage } = format.measureReply(reply);
    const field = text.lastIndexOf(name === 'gemini-generate' ? '"usageMetadata"' : '"usage"');
    const comma = text.lastIndexOf(',', field);
    for (let from = 0; from < text.length; from += 1) {
      const found = usageAtEnd(format, text.slice(from));
      if (from <= comma)
        expect([from, found?.input.total, found?.output.total]).toEqual([from, usage.input.total, usage.output.total]);
      else expect([from, found]).toEqual([from, undefined]);
    }
  });

  test('a reply that ends in the middle, and one without usage, say nothing', () => {
    const text = JSON.stringify(reply);
    for (let to = 0; to < text.length; to += 1) expect(usageAtEnd(format, text.slice(10, to))).toBeUndefined();
    expect(
      usageAtEnd(format, JSON.stringify({ ...reply, usage: undefined, usageMetadata: undefined })),
    ).toBeUndefined();
  });
});

test('texts are read as texts, whatever they hold', () => {
  const seen: unknown[] = [];
  const format = {
    emptyReply: {},
    measureReply(tree: unknown) {
      seen.push(tree);
      return { usage: unknownUsage, written: new WrittenText() };
    },
  };
  const text = JSON.stringify({ a: 1, b: '\\', c: '"', d: [1, { e: '}' }], f: ',"g":1}' });
  for (const from of [0, 9]) usageAtEnd(format, text.slice(from));
  expect(seen).toEqual([
    { b: '\\', c: '"', d: [1, { e: '}' }], f: ',"g":1}' },
    { c: '"', d: [1, { e: '}' }], f: ',"g":1}' },
  ]);
});
