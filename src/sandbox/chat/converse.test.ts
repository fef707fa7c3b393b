/** The engine keeps the request's limits, is honest about what it is, and says the same twice. */

import { describe, expect, test } from 'bun:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Part, ToolCallPart } from '../../conversation/parts.ts';
import type { TextReply } from '../../conversation/text-reply.ts';
import {
  type JsonSchema,
  requestDefaults,
  type TextRequest,
  type ToolDeclaration,
} from '../../conversation/text-request.ts';
import { countTokens } from '../tokens.ts';
import { converse } from './converse.ts';

const base: TextRequest = {
  model: 'sandbox-chat',
  messages: [],
  ...requestDefaults,
};
const user = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] }) as const;
const ask = (text: string, fields: Partial<TextRequest> = {}, id = 'chatcmpl-1'): TextReply => {
  const request = { ...base, messages: [user(text)], ...fields };
  return converse(request, {
    id,
    createdAtMs: 5,
    origin: { format: 'neutral', provider: 'sandbox', model: request.model },
  });
};
const textOf = (reply: TextReply, index = 0): string =>
  (reply.candidates[index]?.parts ?? []).map((part: Part) => ('text' in part ? part.text : '')).join('');
const callsOf = (reply: TextReply): [string, unknown][] =>
  (reply.candidates[0]?.parts ?? [])
    .filter((part): part is ToolCallPart => part.type === 'tool-call')
    .map((part) => [part.name, JSON.parse(part.arguments)]);
const finishOf = (reply: TextReply) => reply.candidates[0]?.finish;

describe('answers', () => {
  test('say what it is, quote and count', () => {
    const text = textOf(ask('How are you today?'));
    expect(text).toContain('sandbox');
    expect(text).toContain('"How are you today?"');
    expect(text).toContain('1 message with 4 words');
  });

  test('sums come first', () => expect(textOf(ask('what is 12*7+3?'))).toStartWith('12*7+3 = 87.'));

  test('instructions and images are named', () => {
    const image = { type: 'media', media: 'image', source: { kind: 'url', url: 'https://a/b.png' } } as const;
    const text = textOf(
      ask('', {
        messages: [
          { role: 'instruction', parts: [{ type: 'text', text: 'Be kind.' }] },
          { role: 'user', parts: [{ type: 'text', text: 'look' }, image] },
        ],
      }),
    );
    expect(text).toContain('instructions are noted: "Be kind."');
    expect(text).toContain('Image 1: at https://a/b.png, not fetched.');
  });

  test('the same request and seed give the same reply; a seed may change the wording', () => {
    expect(ask('hello', { seed: 4 })).toEqual(ask('hello', { seed: 4 }));
    const wordings = [0, 1, 2, 3].map((seed) => textOf(ask('hello', { seed })));
    expect(new Set(wordings).size).toBeGreaterThan(1);
  });

  test('a request without messages still gets an answer', () => {
    expect(textOf(ask('', { messages: [] }))).toContain('0 messages');
  });
});

describe('limits', () => {
  const whole = textOf(ask('hello'));
  const tokens = countTokens(whole);

  test('one below, at and above the length of the reply', () => {
    const cut = ask('hello', { maxOutputTokens: tokens - 1 });
    expect(finishOf(cut)).toEqual({ reason: 'length' });
    expect(whole).toStartWith(textOf(cut));
    expect(cut.usage.output.total).toBe(tokens - 1);
    expect(finishOf(ask('hello', { maxOutputTokens: tokens }))).toEqual({ reason: 'stop' });
    expect(textOf(ask('hello', { maxOutputTokens: tokens + 1 }))).toBe(whole);
    expect(textOf(ask('hello', { maxOutputTokens: 0 }))).toBe('');
  });

  test('the first stop sequence cuts in front of itself', () => {
    const stopped = ask('hello', { stop: ['hello', 'sandbox'] });
    expect(finishOf(stopped)).toEqual({ reason: 'stop-sequence', stopSequence: 'sandbox' });
    expect(textOf(stopped)).toBe(whole.slice(0, whole.indexOf('sandbox')));
  });

  test('a limit that comes before the stop sequence wins', () => {
    expect(finishOf(ask('hello', { stop: ['hello'], maxOutputTokens: 2 }))?.reason).toBe('length');
  });

  test('several candidates, all counted', () => {
    const reply = ask('hello', { candidates: 3 });
    expect(reply.candidates.length).toBe(3);
    expect(textOf(reply, 0)).not.toBe(textOf(reply, 1));
    const sum = [0, 1, 2].reduce((total, index) => total + countTokens(textOf(reply, index)), 0);
    expect(reply.usage.output).toEqual({ total: sum, text: sum, thinking: 0, audio: 0 });
  });

  test('prompt tokens count words, images and audio', () => {
    const media = (kind: 'image' | 'audio') =>
      ({ type: 'media', media: kind, source: { kind: 'base64', data: 'AAAA' } }) as const;
    const reply = ask('', {
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'two words' }, media('image'), media('audio')] }],
    });
    expect(reply.usage.input).toEqual({ total: 187, fresh: 187, cacheRead: 0, cacheWrite: 0, audio: 100, image: 85 });
  });

  test('a document that is text counts by its words', () => {
    const document = { type: 'media', media: 'document', source: { kind: 'text', text: 'one two three' } } as const;
    expect(ask('', { messages: [{ role: 'user', parts: [document] }] }).usage.input.total).toBe(3);
  });
});

const place = (name: string): JsonSchema => ({
  type: 'object',
  properties: { [name]: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
  required: [name],
  additionalProperties: false,
});
const weather: ToolDeclaration = {
  name: 'get_weather',
  description: 'Get the current weather for a city',
  parameters: place('city'),
};
const time: ToolDeclaration = {
  name: 'getTime',
  description: 'Current time in a place',
  parameters: place('location'),
};
const sum: ToolDeclaration = {
  name: 'add',
  description: 'Add two numbers',
  parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
};
const ping: ToolDeclaration = { name: 'ping' };
const tools = [sum, weather, time, ping];

describe('tools', () => {
  const cases: readonly [string, Partial<TextRequest>, [string, unknown][]][] = [
    ['What is the weather in Paris?', {}, [['get_weather', { city: 'Paris' }]]],
    ['What is the weather in Rome? Use the tool.', {}, [['get_weather', { city: 'Rome' }]]],
    ['What is the weather like? Use the tool..', {}, [['get_weather', { city: 'Paris' }]]],
    [
      'weather in Paris and in Rome',
      {},
      [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Rome' }],
      ],
    ],
    [
      'weather in Paris, Rome and New York in celsius',
      {},
      [
        ['get_weather', { city: 'Paris', unit: 'celsius' }],
        ['get_weather', { city: 'Rome', unit: 'celsius' }],
        ['get_weather', { city: 'New York', unit: 'celsius' }],
      ],
    ],
    [
      'weather in Paris and the time in Tokyo',
      {},
      [
        ['get_weather', { city: 'Paris' }],
        ['getTime', { location: 'Tokyo' }],
      ],
    ],
    ['please add 4 and 5', {}, [['add', { a: 4, b: 5 }]]],
    ['tell me a joke', {}, []],
    ['weather in Oslo', { toolChoice: { kind: 'none' } }, []],
    ['Oslo', { toolChoice: { kind: 'tool', name: 'getTime' } }, [['getTime', { location: 'Oslo' }]]],
    ['ping', { toolChoice: { kind: 'required' } }, [['ping', {}]]],
    ['weather in Paris and in Rome', { parallelToolCalls: false }, [['get_weather', { city: 'Paris' }]]],
    ['weather in Oslo', { toolChoice: { kind: 'allowed', names: ['ping'], required: false } }, []],
    ['weather in Oslo', { toolChoice: { kind: 'allowed', names: ['ping'], required: true } }, [['ping', {}]]],
  ];
  for (const [text, fields, expected] of cases) {
    test(`${text} ${JSON.stringify(fields)}`, () => {
      const reply = ask(text, { tools, ...fields });
      expect(callsOf(reply)).toEqual(expected);
      expect(finishOf(reply)?.reason).toBe(expected.length === 0 ? 'stop' : 'tool-calls');
    });
  }

  test('a required call is made even where nothing fits', () => {
    expect(callsOf(ask('tell me a joke', { tools, toolChoice: { kind: 'required' } })).length).toBe(1);
  });

  test('ids are unique in a reply and between replies', () => {
    const idsOf = (id: string) =>
      ask('weather in Paris and in Rome', { tools, candidates: 2 }, id).candidates.flatMap((candidate) =>
        candidate.parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : [])),
      );
    expect(new Set([...idsOf('chatcmpl-a'), ...idsOf('chatcmpl-b')]).size).toBe(8);
  });

  test('arguments are cut by the token limit', () => {
    const reply = ask('weather in Paris in fahrenheit', { tools, maxOutputTokens: 2 });
    expect(finishOf(reply)).toEqual({ reason: 'length' });
    expect(reply.usage.output.total).toBe(2);
  });

  const call = (id: string, city: string) =>
    ({
      role: 'assistant',
      parts: [{ type: 'tool-call', id, name: 'get_weather', arguments: JSON.stringify({ city }) }],
    }) as const;
  const result = (callId: string, text: string, failed = false) =>
    ({ role: 'tool', parts: [{ type: 'tool-result', callId, parts: [{ type: 'text', text }], failed }] }) as const;

  test('results are quoted in the answer that follows', () => {
    const messages = [user('weather in Paris'), call('c1', 'Paris'), result('c1', '21 degrees')];
    const reply = ask('', { tools, messages });
    expect(callsOf(reply)).toEqual([]);
    expect(textOf(reply)).toStartWith('get_weather returned "21 degrees".');
    expect(textOf(ask('', { tools, messages: [...messages.slice(0, 2), result('c1', 'no net', true)] }))).toStartWith(
      'get_weather failed with "no net".',
    );
  });

  test('calls that may not run at once come one after the other, then the answer', () => {
    const fields = { tools, parallelToolCalls: false };
    const first = [user('weather in Paris and in Rome'), call('c1', 'Paris'), result('c1', '21')];
    expect(callsOf(ask('', { ...fields, messages: first }))).toEqual([['get_weather', { city: 'Rome' }]]);
    const second = [...first, call('c2', 'Rome'), result('c2', '25')];
    const answer = ask('', { ...fields, messages: second });
    expect(callsOf(answer)).toEqual([]);
    expect(textOf(answer)).toContain('"25"');
  });
});

describe('JSON', () => {
  test('an object on request', () => {
    const value = JSON.parse(textOf(ask('what is 1+1?', { output: { kind: 'json' } })));
    expect(value).toMatchObject({ sandbox: true, messages: 1, sums: [{ expression: '1+1', value: 2 }] });
  });

  test('a schema is satisfied, also from tool results', () => {
    const schema = {
      type: 'object',
      properties: { temperature: { type: 'integer', minimum: 0 }, city: { type: 'string' } },
      required: ['temperature', 'city'],
      additionalProperties: false,
    };
    const result = {
      type: 'tool-result',
      callId: 'c',
      parts: [{ type: 'text', text: '{"temperature": 21}' }],
      failed: false,
    } as const;
    const reply = ask('', {
      output: { kind: 'json-schema', schema },
      messages: [user('weather in Paris'), { role: 'tool', parts: [result] }],
    });
    const value = JSON.parse(textOf(reply));
    expect(new Ajv2020({ strict: false }).compile(schema)(value)).toBe(true);
    expect(value).toEqual({ temperature: 21, city: 'Paris' });
  });
});

describe('voices', () => {
  test('a refusal is a refusal part', () => {
    const reply = ask('do it', { model: 'sandbox-refuse' });
    expect(reply.candidates[0]?.parts[0]?.type).toBe('refusal');
    expect(finishOf(reply)?.reason).toBe('refusal');
    expect(finishOf(ask('do it', { model: 'sandbox-refuse', maxOutputTokens: 3 }))?.reason).toBe('length');
  });

  test('a long reply has exactly as many words as asked for', () => {
    const words = (text: string) => textOf(ask(text, { model: 'sandbox-long' })).split(' ').length;
    expect([
      words('continue'),
      words('part 2: write 123 words'),
      words('write 20000 words'),
      words('write 999999 words'),
      words('write 1 word'),
    ]).toEqual([5_000, 123, 20_000, 20_000, 1]);
    expect(ask('write 123 words', { model: 'sandbox-long' }).usage.output.total).toBe(123);
  });
});

test('a megabyte of anything is answered', () => {
  for (const unit of ['word ', 'a', ' ', '(', '1+', '"', 'a@', 'a/', 'in ', 'a:', 'A ', '😀']) {
    const reply = ask(unit.repeat(1_000_000 / unit.length), { tools, toolChoice: { kind: 'required' } });
    expect([unit, callsOf(reply).length > 0]).toEqual([unit, true]);
  }
});
