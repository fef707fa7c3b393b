/** What the tap reads of a stream that passes, and of a whole reply. */

import { describe, expect, test } from 'bun:test';
import { unknownUsage } from '../../conversation/usage.ts';
import { anthropicMessages } from './format.ts';
import { MessagesTap, measureReply } from './tap.ts';

const start = (usage: object) => JSON.stringify({ type: 'message_start', message: { id: 'msg_1', usage } });
const delta = (fields: object) => JSON.stringify({ type: 'content_block_delta', index: 0, delta: fields });

describe('a stream', () => {
  test('adds up usage with cached tokens, text, thoughts and arguments, and ends at message_stop', () => {
    const tap = new MessagesTap();
    const usage = { input_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 20, output_tokens: 1 };
    expect(tap.read(start(usage))).toBe('pass');
    expect(tap.read('{"type":"ping"}')).toBe('pass');
    expect(tap.read(delta({ type: 'thinking_delta', thinking: 'hm' }))).toBe('pass');
    expect(tap.read(delta({ type: 'text_delta', text: 'Hi' }))).toBe('pass');
    expect(tap.read(delta({ type: 'input_json_delta', partial_json: '{}' }))).toBe('pass');
    const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } };
    expect(tap.read(JSON.stringify(end))).toBe('pass');
    expect(tap.finished).toBe(false);
    expect(tap.read('{"type":"message_stop"}')).toBe('end');
    expect(tap.finished).toBe(true);
    expect(tap.read('[DONE]')).toBe('pass');
    expect(tap.written.sample).toBe('hmHi{}');
    expect(tap.usage).toEqual({
      input: { total: 125, fresh: 5, cacheRead: 100, cacheWrite: 20 },
      output: { total: 9 },
    });
  });

  test('usage never shrinks, and a repeated start counts once', () => {
    const tap = new MessagesTap();
    tap.read(start({ input_tokens: 17, output_tokens: 1 }));
    tap.read(start({ input_tokens: 17, output_tokens: 1 }));
    tap.read(JSON.stringify({ type: 'message_delta', delta: {}, usage: { input_tokens: 0, output_tokens: 30 } }));
    tap.read(JSON.stringify({ type: 'message_delta', delta: {}, usage: { input_tokens: -4, output_tokens: 2 } }));
    expect(tap.usage).toEqual({ input: { total: 17, fresh: 17 }, output: { total: 30 } });
  });

  test('an error is a fault in the provider’s words', () => {
    const tap = new MessagesTap();
    expect(tap.read('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}')).toBe('fault');
    expect(tap.fault).toEqual({ message: 'Overloaded', type: 'overloaded_error', code: undefined, param: undefined });
    const other = new MessagesTap();
    expect(other.read('{"message":"gone"}', 'error')).toBe('fault');
    expect(other.fault?.message).toBe('gone');
  });

  test('what is not of the format throws', () => {
    expect(() => new MessagesTap().read('{"cut')).toThrow(SyntaxError);
    expect(() => new MessagesTap().read('3')).toThrow(SyntaxError);
  });
});

test('a whole reply is measured by its usage, or by what was written', () => {
  const content = [
    { type: 'text', text: 'ab' },
    { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
  ];
  expect(measureReply({ content }).written.sample).toBe('abf{"a":1}');
  expect(measureReply({ content }).usage).toEqual(unknownUsage);
  const measured = measureReply({ content, usage: { input_tokens: 3, output_tokens: 4 } });
  expect(measured.usage).toEqual({ input: { total: 3, fresh: 3 }, output: { total: 4 } });
  expect(measured.written.characters).toBe(0);
  expect(() => measureReply({ error: {} })).toThrow(SyntaxError);
});

test('the patch splices the model and nothing else', () => {
  const needs = { upstreamModel: 'there', mayAskUsage: true };
  expect([...anthropicMessages.patch({ model: 'here', stream: true }, needs).edits]).toEqual([['model', '"there"']]);
  const none = anthropicMessages.patch({ model: 'here' }, { ...needs, upstreamModel: undefined });
  expect(none).toEqual({ edits: new Map(), hidesUsage: false });
});
