/**
 * What a request can hold and what must reach every provider whose format supports it: one hand-written
 * request for each item.
 */

import type { Message, Part, Seal, ToolResultPart } from '../../../src/conversation/parts.ts';
import {
  requestDefaults,
  type TextRequest,
  type Thinking,
  type ToolDeclaration,
} from '../../../src/conversation/text-request.ts';
import type { FormatName } from '../../../src/formats/format.ts';
import { originOf } from '../../harness/journeys.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const pdf = 'JVBERi0xLjQKJeLjz9MK';

const hello: Message = { role: 'user', parts: [{ type: 'text', text: 'What flows here? "quotes" stay.' }] };

const plain: TextRequest = {
  model: 'model-m',
  messages: [hello],
  ...requestDefaults,
};

const asking = (fields: Partial<TextRequest>): TextRequest => ({ ...plain, ...fields });
const saying = (...messages: Message[]): TextRequest => ({ ...plain, messages });
const user = (...parts: Part[]): Message => ({ role: 'user', parts });
const assistant = (...parts: Part[]): Message => ({ role: 'assistant', parts });
const text = (words: string): Part & { readonly type: 'text' } => ({ type: 'text', text: words });
const media = (part: Omit<Part & { readonly type: 'media' }, 'type'>): Part => ({ type: 'media', ...part });
const call = (id: string, name: string, args: string): Part => ({ type: 'tool-call', id, name, arguments: args });
const result = (callId: string, ...parts: ToolResultPart['parts']): ToolResultPart => ({
  type: 'tool-result',
  callId,
  parts,
  failed: false,
});

const level: ToolDeclaration = {
  name: 'level',
  description: 'The level of a river.',
  parameters: { type: 'object', properties: { river: { type: 'string' } }, required: ['river'] },
};
const gate: ToolDeclaration = { name: 'gate', parameters: { type: 'object', properties: {}, required: [] } };

const looped = (...messages: Message[]): TextRequest => asking({ messages, tools: [level, gate] });
const thinking = (options: Thinking): TextRequest => asking({ thinking: options, maxOutputTokens: 40_000 });

/** Seals come from the provider that gets the next request. */
const sealed = (provider: FormatName): Seal => ({ value: 'c2VhbGVkIHdvcmRz', origin: originOf(provider) });

export type RequestItem = readonly [
  name: string,
  make: TextRequest | ((provider: FormatName, client: FormatName) => TextRequest),
];

const turns: readonly RequestItem[] = [
  ['plain text', plain],
  ['streamed', asking({ stream: true })],
  [
    'text, then calls',
    looped(hello, assistant(text('I look.'), call('call_1', 'level', '{"river":"Inn"}')), {
      role: 'tool',
      parts: [result('call_1', text('3 m'))],
    }),
  ],
  [
    'text after a call',
    looped(hello, assistant(call('call_1', 'level', '{"river":"Inn"}'), text('I looked.')), {
      role: 'tool',
      parts: [result('call_1', text('3 m'))],
    }),
  ],
  [
    'several calls of one function, answered in another order',
    looped(hello, assistant(call('call_1', 'level', '{"river":"Inn"}'), call('call_2', 'level', '{"river":"Enns"}')), {
      role: 'tool',
      parts: [result('call_2', text('2 m')), result('call_1', text('3 m'))],
    }),
  ],
  [
    "arguments' original string",
    looped(hello, assistant(call('call_1', 'level', '{ "river" : "Inn",\n "rate": 1.50 }')), {
      role: 'tool',
      parts: [result('call_1', text('3 m'))],
    }),
  ],
  [
    'empty arguments',
    looped(hello, assistant(call('call_1', 'gate', '')), { role: 'tool', parts: [result('call_1', text('open'))] }),
  ],
  [
    'arguments that are no JSON',
    looped(hello, assistant(call('call_1', 'gate', '{"river":')), {
      role: 'tool',
      parts: [result('call_1', text('open'))],
    }),
  ],
  [
    'ids of another alphabet',
    looped(hello, assistant(call('functions.level:0', 'level', '{}')), {
      role: 'tool',
      parts: [result('functions.level:0', text('3 m'))],
    }),
  ],
  [
    'result of several parts',
    looped(hello, assistant(call('call_1', 'gate', '{}')), {
      role: 'tool',
      parts: [result('call_1', text('open'), text('since May'))],
    }),
  ],
  [
    'result with an image',
    looped(hello, assistant(call('call_1', 'gate', '{}')), {
      role: 'tool',
      parts: [
        result('call_1', text('see'), {
          type: 'media',
          media: 'image',
          mediaType: 'image/png',
          source: { kind: 'base64', data: png },
        }),
      ],
    }),
  ],
  [
    'result that failed',
    looped(hello, assistant(call('call_1', 'gate', '{}')), {
      role: 'tool',
      parts: [{ ...result('call_1', text('stuck')), failed: true }],
    }),
  ],
  [
    'result without content',
    looped(hello, assistant(call('call_1', 'gate', '{}')), { role: 'tool', parts: [result('call_1')] }),
  ],
  [
    'user beside a result',
    looped(
      hello,
      assistant(call('call_1', 'gate', '{}')),
      { role: 'tool', parts: [result('call_1', text('open'))] },
      user(text('Continue.')),
    ),
  ],
  ['call without a result', looped(hello, assistant(call('call_1', 'gate', '{}')), user(text('Never mind.')))],
  ['system', saying({ role: 'instruction', parts: [text('Be brief.')], authority: 'system' }, hello)],
  ['developer', saying({ role: 'instruction', parts: [text('Be brief.')], authority: 'developer' }, hello)],
  [
    'several system blocks',
    saying(
      { role: 'instruction', parts: [text('Be brief.'), text('Be kind.')] },
      { role: 'instruction', parts: [text('Be exact.')] },
      hello,
    ),
  ],
  [
    'system in the middle',
    saying(
      hello,
      assistant(text('Water.')),
      { role: 'instruction', parts: [text('Now in German.')] },
      user(text('Again?')),
    ),
  ],
  ['empty turn', saying(hello, assistant(text('')), user(text('Hello?')))],
  ['blank turn', saying(hello, assistant(text('Yes.')), user(text(' \n')))],
  [
    'adjacent turns of one role',
    saying(
      hello,
      user(text('And there?')),
      assistant(text('Water.')),
      assistant(text('Also water.')),
      user(text('Thanks.')),
    ),
  ],
  ['assistant first', saying(assistant(text('Welcome.')), hello)],
  ['assistant last', saying(hello, assistant(text('It is')))],
  ['speaker', saying({ ...hello, name: 'ada' })],
  [
    'refusal in an earlier turn',
    saying(hello, assistant({ type: 'refusal', text: 'I may not say.' }), user(text('Why?'))),
  ],
];

const files: readonly RequestItem[] = [
  [
    'image by address',
    saying(
      user(
        text('See'),
        media({ media: 'image', source: { kind: 'url', url: 'https://files.example/a.png?x=%C3%A9' } }),
      ),
    ),
  ],
  [
    'image as bytes',
    saying(
      user(
        media({ media: 'image', mediaType: 'image/png', source: { kind: 'base64', data: png } }),
        text('What is it?'),
      ),
    ),
  ],
  [
    'image detail',
    saying(
      user(
        media({ media: 'image', mediaType: 'image/png', source: { kind: 'base64', data: png }, detail: 'low' }),
        text('What is it?'),
      ),
    ),
  ],
  [
    'PDF as bytes',
    saying(
      user(
        media({
          media: 'document',
          mediaType: 'application/pdf',
          source: { kind: 'base64', data: pdf },
          filename: 'flow "1".pdf',
        }),
        text('Sum it up.'),
      ),
    ),
  ],
  [
    'PDF by address',
    saying(
      user(
        media({
          media: 'document',
          mediaType: 'application/pdf',
          source: { kind: 'url', url: 'https://files.example/a.pdf' },
        }),
        text('Sum it up.'),
      ),
    ),
  ],
  [
    'text document',
    saying(
      user(
        media({
          media: 'document',
          mediaType: 'text/plain',
          source: { kind: 'text', text: 'The river rose.' },
          filename: 'news',
        }),
        text('Sum it up.'),
      ),
    ),
  ],
  [
    'document to be cited',
    saying(
      user(
        media({
          media: 'document',
          mediaType: 'text/plain',
          source: { kind: 'text', text: 'The river rose.' },
          citable: true,
          context: 'A newspaper.',
        }),
        text('Sum it up.'),
      ),
    ),
  ],
  [
    'file by id',
    saying(user(media({ media: 'document', source: { kind: 'file-id', id: 'file-abc' } }), text('Sum it up.'))),
  ],
  [
    'audio',
    saying(
      user(
        media({ media: 'audio', mediaType: 'audio/wav', source: { kind: 'base64', data: 'UklGRiQAAABXQVZF' } }),
        text('What is said?'),
      ),
    ),
  ],
  [
    'video by address',
    saying(
      user(
        media({ media: 'video', mediaType: 'video/mp4', source: { kind: 'url', url: 'https://files.example/a.mp4' } }),
        text('What happens?'),
      ),
    ),
  ],
];

const thoughts: readonly RequestItem[] = [
  ['thinking off', thinking({ mode: 'off' })],
  ['thinking left to the model', thinking({ mode: 'adaptive' })],
  ['thinking on', thinking({ mode: 'on' })],
  ...['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'].map(
    (effort): RequestItem => [`thinking effort ${effort}`, thinking({ effort })],
  ),
  ['thinking budget', thinking({ mode: 'on', budgetTokens: 12_000 })],
  ['thinking to be seen', thinking({ effort: 'high', visible: true })],
  ['thinking summary', thinking({ effort: 'high', visible: true, summary: 'detailed' })],
  ['thinking to be hidden', thinking({ mode: 'adaptive', visible: false })],
  [
    'thinking without a seal',
    looped(hello, assistant({ type: 'thinking', text: 'I should look.' }, text('I look.')), user(text('And?'))),
  ],
  [
    'sealed thinking through a tool loop',
    (provider) =>
      looped(
        hello,
        assistant(
          { type: 'thinking', text: 'I should look.', seal: sealed(provider) },
          text('I look.'),
          call('call_1', 'gate', '{}'),
        ),
        { role: 'tool', parts: [result('call_1', text('open'))] },
      ),
  ],
  [
    'hidden thinking through a tool loop',
    (provider) =>
      looped(
        hello,
        assistant({ type: 'thinking', text: '', redacted: true, seal: sealed(provider) }, call('call_1', 'gate', '{}')),
        { role: 'tool', parts: [result('call_1', text('open'))] },
      ),
  ],
  [
    'sealed call',
    (provider) =>
      looped(
        hello,
        assistant({ type: 'tool-call', id: 'call_1', name: 'gate', arguments: '{}', seal: sealed(provider) }),
        { role: 'tool', parts: [result('call_1', text('open'))] },
      ),
  ],
  [
    'seal of a stranger',
    looped(
      hello,
      assistant(
        {
          type: 'thinking',
          text: 'I should look.',
          seal: { value: 'c3RyYW5nZQ==', origin: { format: 'openai-chat', provider: 'stranger', model: 'other' } },
        },
        text('Water.'),
      ),
      user(text('And?')),
    ),
  ],
];

const options: readonly RequestItem[] = [
  ['tools', asking({ tools: [level, gate] })],
  ['tool choice none', asking({ tools: [level, gate], toolChoice: { kind: 'none' } })],
  ['tool choice required', asking({ tools: [level, gate], toolChoice: { kind: 'required' } })],
  ['tool choice by name', asking({ tools: [level, gate], toolChoice: { kind: 'tool', name: 'gate' } })],
  [
    'some tools allowed',
    asking({ tools: [level, gate], toolChoice: { kind: 'allowed', names: ['gate'], required: false } }),
  ],
  [
    'some tools demanded',
    asking({ tools: [level, gate], toolChoice: { kind: 'allowed', names: ['gate', 'level'], required: true } }),
  ],
  ['one call at a time', asking({ tools: [level], parallelToolCalls: false })],
  ['several calls at once', asking({ tools: [level], parallelToolCalls: true })],
  ['strict tool', asking({ tools: [{ ...level, strict: true }] })],
  ['tool without parameters', asking({ tools: [{ name: 'tide', description: 'Is it high?' }] })],
  [
    'schema with references',
    asking({
      tools: [
        {
          name: 'move',
          parameters: {
            type: 'object',
            properties: { to: { $ref: '#/$defs/place' } },
            $defs: { place: { type: 'string', enum: ['up', 'down'] } },
          },
        },
      ],
    }),
  ],
  [
    'schema keywords',
    asking({
      tools: [
        {
          name: 'move',
          parameters: {
            type: 'object',
            properties: {
              by: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.5 },
              why: { type: 'string', pattern: '^[a-z]+$', minLength: 2 },
            },
            patternProperties: { '^x-': { type: 'string' } },
          },
        },
      ],
    }),
  ],
  ['web search', asking({ hostedTools: [{ kind: 'web-search' }] })],
  [
    'web search settings',
    asking({
      hostedTools: [
        {
          kind: 'web-search',
          search: {
            allowedDomains: ['river.example'],
            location: { city: 'Passau', country: 'DE' },
            contextSize: 'low',
            usesMax: 3,
          },
        },
      ],
    }),
  ],
  [
    "a client's own hosted tool",
    (_, client) => asking({ hostedTools: [{ kind: 'native', format: client, value: { type: 'code_runner' } }] }),
  ],
  ['JSON mode', asking({ output: { kind: 'json' } })],
  [
    'JSON schema',
    asking({
      output: {
        kind: 'json-schema',
        name: 'level',
        strict: true,
        schema: {
          type: 'object',
          properties: { metres: { type: 'number' } },
          required: ['metres'],
          additionalProperties: false,
        },
      },
    }),
  ],
  [
    'JSON schema, described and loose',
    asking({
      output: {
        kind: 'json-schema',
        name: 'level',
        description: 'How high.',
        strict: false,
        schema: { type: 'object', properties: { metres: { type: 'number', minimum: 0 } } },
      },
    }),
  ],
  ['stop sequences', asking({ stop: ['END', '\n\n'] })],
  ['many stop sequences', asking({ stop: ['a', 'b', 'c', 'd', 'e', 'f'] })],
  ['several candidates', asking({ candidates: 3 })],
  ['limit', asking({ maxOutputTokens: 321 })],
  ['temperature', asking({ temperature: 0.3 })],
  ['high temperature', asking({ temperature: 1.7 })],
  ['top p', asking({ topP: 0.9 })],
  ['temperature and top p', asking({ temperature: 0.3, topP: 0.9 })],
  ['top k', asking({ topK: 40 })],
  ['seed', asking({ seed: 7 })],
  ['large seed', asking({ seed: 2 ** 40 })],
  ['penalties', asking({ presencePenalty: 0.5, frequencyPenalty: -0.5 })],
  ['logprobs', asking({ logprobs: { top: 3 } })],
  ['logprobs without alternatives', asking({ logprobs: { top: 0 } })],
  ['logit bias', asking({ logitBias: { '50256': -100 } })],
  ['modalities and voice', asking({ modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } })],
  ['verbosity', asking({ verbosity: 'low' })],
  ...['auto', 'default', 'flex', 'priority'].map(
    (tier): RequestItem => [`service tier ${tier}`, asking({ serviceTier: tier })],
  ),
  ['metadata', asking({ metadata: { project: 'weir' } })],
  ['user id', asking({ user: 'user-1' })],
  ['prompt cache key', asking({ promptCacheKey: 'weir' })],
  ['to be stored', asking({ store: true })],
  ['not to be stored', asking({ store: false })],
  [
    'cache mark on a text',
    saying({ role: 'instruction', parts: [{ type: 'text', text: 'Be brief.', cacheMark: {} }] }, hello),
  ],
  ['cache mark with a lifetime', saying(user({ type: 'text', text: 'Long.', cacheMark: { lifetime: '1h' } }))],
  ['cache mark on a tool', asking({ tools: [{ ...level, cacheMark: {} }] })],
  [
    'cache mark on a result',
    looped(hello, assistant(call('call_1', 'gate', '{}')), {
      role: 'tool',
      parts: [{ ...result('call_1', text('open')), cacheMark: {} }],
    }),
  ],
  [
    'cache mark on an empty result',
    looped(hello, assistant(call('call_1', 'gate', '{}')), {
      role: 'tool',
      parts: [{ ...result('call_1'), cacheMark: {} }],
    }),
  ],
  [
    'cache mark on an image',
    saying(
      user({
        type: 'media',
        media: 'image',
        mediaType: 'image/png',
        source: { kind: 'base64', data: png },
        cacheMark: {},
      }),
    ),
  ],
  [
    "a client's unknown field",
    (_, client) => asking({ extras: { format: client, fields: { x_new_field: { deep: [1, 'two'] } } } }),
  ],
  [
    "a client's unknown part",
    (_, client) => saying(user(text('See'), { type: 'native', format: client, value: { type: 'x_odd', value: 1 } })),
  ],
];

export const requestItems: readonly RequestItem[] = [...turns, ...files, ...thoughts, ...options];
