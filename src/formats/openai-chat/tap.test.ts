import { describe, expect, test } from 'bun:test';
import { recordedFiles } from '../../../test/harness/recordings.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import { ChatTap, measureReply } from './tap.ts';

const tap = (hidesUsage = false, usageInside?: string) => new ChatTap({ hidesUsage, usageInside });
const chunk = (fields: object): string => JSON.stringify({ id: 'c', object: 'chat.completion.chunk', ...fields });
const delta = (text: string, finish: string | null = null): string =>
  chunk({ choices: [{ index: 0, delta: { content: text }, finish_reason: finish }] });
const usage = (prompt: number, completion: number) => ({ prompt_tokens: prompt, completion_tokens: completion });

describe('a stream', () => {
  test('adds up text, finish and usage', () => {
    const seen = tap();
    expect(seen.read(delta('Hel'))).toBe('pass');
    expect(seen.finished).toBe(false);
    expect(seen.read(delta('lo', 'stop'))).toBe('pass');
    expect(seen.finished).toBe(true);
    expect(seen.read(chunk({ choices: [], usage: usage(3, 2) }))).toBe('pass');
    expect(seen.read('[DONE]')).toBe('end');
    expect(seen.written.sample).toBe('Hello');
    expect(seen.usage).toEqual({ input: { total: 3 }, output: { total: 2 } });
  });

  test('hides only the usage chunk that we asked for', () => {
    const seen = tap(true);
    expect(seen.read(chunk({ choices: [{ delta: {}, finish_reason: 'stop' }], usage: usage(3, 2) }))).toBe('pass');
    expect(seen.read(chunk({ choices: [], usage: usage(3, 2) }))).toBe('hide');
  });

  test('removes the null usage of early chunks, where Weir asked for usage', () => {
    expect(tap(true).read(chunk({ choices: [{ delta: {} }], usage: null }))).toBe('cut');
    expect(tap(true).read(chunk({ choices: [{ delta: {} }] }))).toBe('pass');
    expect(tap(false).read(chunk({ choices: [{ delta: {} }], usage: null }))).toBe('pass');
  });

  test('the last report counts, doubled ones once, impossible ones not at all', () => {
    const seen = tap();
    seen.read(chunk({ choices: [], usage: usage(3, 1) }));
    seen.read(chunk({ choices: [], usage: usage(3, 2) }));
    seen.read(chunk({ choices: [], usage: usage(3, 2) }));
    seen.read(chunk({ choices: [], usage: usage(-3, 2) }));
    seen.read(chunk({ choices: [], usage: usage(3, 1.5) }));
    expect(seen.usage.output.total).toBe(2);
    const never = tap();
    never.read(chunk({ choices: [], usage: usage(-1, -1) }));
    expect(never.usage).toEqual(unknownUsage);
  });

  test('finds usage where a provider hides it', () => {
    const seen = tap(false, 'x_groq');
    seen.read(chunk({ choices: [{ delta: {} }], x_groq: { usage: usage(7, 8) } }));
    expect(seen.usage.input.total).toBe(7);
  });

  test('an error event is a fault, in any of its shapes', () => {
    for (const error of [{ message: 'no', code: 'x' }, 'no']) {
      const seen = tap();
      expect(seen.read(JSON.stringify({ error }))).toBe('fault');
      expect(seen.fault?.message).toBe('no');
    }
  });

  test('counts tool arguments and thinking as written text', () => {
    const seen = tap();
    seen.read(chunk({ choices: [{ delta: { reasoning_content: 'hm' } }] }));
    seen.read(
      chunk({ choices: [{ delta: { tool_calls: [{ index: 0, function: { name: 'f', arguments: '{"a"' } }] } }] }),
    );
    seen.read(chunk({ choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] } }] }));
    expect(seen.written.sample).toBe('hmf{"a":1}');
  });

  test.each(['{', '7', 'null', '"text"', ''])('%p is not a chunk', (data) => {
    expect(() => tap().read(data)).toThrow();
  });
});

test('a whole reply gives usage with its details', () => {
  const reply = measureReply({
    choices: [{ message: { content: 'Hi', tool_calls: [{ function: { name: 'f', arguments: '{}' } }] } }],
    usage: {
      ...usage(10, 5),
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 3 },
    },
  });
  expect(reply.written.characters).toBe(0);
  expect(reply.usage).toEqual({ input: { total: 10, cacheRead: 4 }, output: { total: 5, thinking: 3 } });
  const silent = measureReply({
    choices: [{ message: { content: 'Hi', tool_calls: [{ function: { name: 'f', arguments: '{}' } }] } }],
  });
  expect(silent.written.sample).toBe('Hif{}');
  expect(() => measureReply({ error: 'x' })).toThrow();
});

const streams = recordedFiles('openai-chat').filter(({ name }) => name.endsWith('.chunks.txt'));

test('reads every recorded stream to its end', () => {
  for (const { name, text } of streams) {
    const seen = tap(false, 'x_groq');
    const lines = text().split('\n').filter(Boolean);
    for (const line of lines) expect(`${name} ${seen.read(line)}`).not.toContain('fault');
    expect(`${name} ${seen.finished}`).toBe(`${name} true`);
    expect(`${name} ${seen.written.characters > 0}`).toBe(`${name} true`);
  }
  expect(streams.length).toBeGreaterThan(5);
});
