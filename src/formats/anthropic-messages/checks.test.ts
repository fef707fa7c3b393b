/** Each field is checked before anything is spent, and the error names it as the client wrote it. */

import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { check } from './checks.ts';
import { counting } from './count-tokens.ts';

const good = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] };

function faultOf(fields: Record<string, unknown>): { code: string; param: string } | undefined {
  try {
    check({ ...good, ...fields }, 100);
    return undefined;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { code: error.code, param: error.param };
  }
}

test('the least request', () => {
  expect(check(good, 100)).toEqual({
    model: 'm',
    stream: false,
    candidates: 1,
    outputTokensMax: 10,
    inputTokensMax: 100,
  });
});

describe('what is absent', () => {
  for (const name of ['model', 'messages', 'max_tokens']) {
    test(name, () => expect(faultOf({ [name]: undefined })).toEqual({ code: 'field_missing', param: name }));
  }
});

describe('what is wrong', () => {
  const cases: readonly [Record<string, unknown>, string][] = [
    [{ model: '' }, 'model'],
    [{ messages: [] }, 'messages'],
    [{ messages: 'hi' }, 'messages'],
    [{ messages: [3] }, 'messages[0]'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'user', content: 3 }] }, 'messages[0].content'],
    [{ messages: [{ role: 'user', content: ['x'] }] }, 'messages[0].content[0]'],
    [{ messages: [{ role: 'user', content: [{}] }] }, 'messages[0].content[0].type'],
    [{ system: 3 }, 'system'],
    [{ system: [null] }, 'system[0]'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ max_tokens: 1.5 }, 'max_tokens'],
    [{ max_tokens: '10' }, 'max_tokens'],
    [{ max_tokens: 1e12 }, 'max_tokens'],
    [{ stream: 'yes' }, 'stream'],
    [{ tools: {} }, 'tools'],
    [{ tools: ['x'] }, 'tools[0]'],
    [{ tool_choice: 'auto' }, 'tool_choice'],
    [{ thinking: true }, 'thinking'],
    [{ temperature: -1 }, 'temperature'],
    [{ temperature: '1' }, 'temperature'],
    [{ top_p: Number.NaN }, 'top_p'],
    [{ top_k: 1.5 }, 'top_k'],
    [{ stop_sequences: [1] }, 'stop_sequences'],
    [{ metadata: 'x' }, 'metadata'],
  ];
  for (const [fields, param] of cases) {
    test(`${JSON.stringify(fields)}`, () => expect(faultOf(fields)).toEqual({ code: 'field_invalid', param }));
  }
});

test('what real clients send passes: system turns, nulls, unknown fields and blocks', () => {
  const messages = [
    { role: 'system', content: [{ type: 'text', text: 's' }] },
    { role: 'user', content: [{ type: 'search_result' }, { type: 'of_tomorrow' }] },
    { role: 'assistant', content: '' },
  ];
  expect(faultOf({ messages, system: null, tools: null, thread: { type: 'create' }, speed: 'fast' })).toBeUndefined();
});

test('inline images count by their kind, not by their bytes; documents elsewhere by their pages', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(9_000) } };
  const bound = (content: readonly unknown[]) =>
    check({ ...good, messages: [{ role: 'user', content }] }, 10_000).inputTokensMax;
  expect(bound([image])).toBe(10_000 - 9_000 + 8_192);
  expect(bound([{ type: 'tool_result', tool_use_id: 't', content: [image, image] }])).toBe(10_000 - 18_000 + 16_384);
  expect(bound([{ type: 'image', source: { type: 'url', url: 'https://x' } }])).toBe(18_192);
  expect(bound([{ type: 'document', source: { type: 'url', url: 'https://x' } }])).toBe(210_000);
});

test('counting tokens needs no limit', () => {
  const { max_tokens: _, ...counted } = good;
  expect(counting.check(counted, 50)).toEqual({ model: 'm', inputTokensMax: 50 });
  expect(() => counting.check({ model: 'm' }, 50)).toThrow('messages');
  expect(counting.readCount(counting.writeCount(7))).toBe(7);
  expect(counting.readCount({ input_tokens: -1 })).toBeUndefined();
});
