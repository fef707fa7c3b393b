/**
 * What a reply can hold and what must reach every client whose format supports it: one hand-written
 * reply for each item.
 */

import type { Part, Seal } from '../../../src/conversation/parts.ts';
import type { Finish, FinishReason, TextReply } from '../../../src/conversation/text-reply.ts';
import type { Usage } from '../../../src/conversation/usage.ts';
import type { FormatName } from '../../../src/formats/format.ts';
import { originOf } from '../../harness/journeys.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const counted: Usage = { input: { total: 12 }, output: { total: 5 } };

function replying(parts: readonly Part[], finish: Finish = { reason: 'stop' }, usage: Usage = counted): TextReply {
  return { id: 'r1', model: 'model-m', createdAtMs: 1_700_000_000_000, candidates: [{ parts, finish }], usage };
}

const called: Finish = { reason: 'tool-calls' };
const text = (words: string): Part & { readonly type: 'text' } => ({ type: 'text', text: words });
const call = (id: string, args: string, name = 'level'): Part & { readonly type: 'tool-call' } => ({
  type: 'tool-call',
  id,
  name,
  arguments: args,
});
const sealed = (provider: FormatName): Seal => ({ value: 'c2VhbGVkIHdvcmRz', origin: originOf(provider) });
const reasons: readonly FinishReason[] = [
  'stop',
  'length',
  'content-filter',
  'refusal',
  'pause',
  'malformed-call',
  'other',
];

export type ReplyItem = readonly [name: string, make: TextReply | ((provider: FormatName) => TextReply)];

export const replyItems: readonly ReplyItem[] = [
  ['plain text', replying([text('Water. "Quotes" stay.\n')])],
  ['empty', replying([])],
  ['blank text', replying([text(' \n')])],
  [
    'thinking, text, calls',
    replying([{ type: 'thinking', text: 'I look.' }, text('Looking.'), call('call_1', '{"river":"Inn"}')], called),
  ],
  ['text after a call', replying([call('call_1', '{"river":"Inn"}'), text('Looked.')], called)],
  [
    'thinking between calls',
    (provider) =>
      replying(
        [call('call_1', '{}'), { type: 'thinking', text: 'And now?', seal: sealed(provider) }, call('call_2', '{}')],
        called,
      ),
  ],
  ['several texts', replying([text('One. '), text('Two.')])],
  [
    'several calls of one function',
    replying([call('call_1', '{"river":"Inn"}'), call('call_2', '{"river":"Enns"}')], called),
  ],
  ["arguments' original string", replying([call('call_1', '{ "river" : "Inn",\n "rate": 1.5 }')], called)],
  ['empty arguments', replying([call('call_1', '')], called)],
  ['arguments that are no JSON', replying([call('call_1', '{"river":')], called)],
  [
    'sealed thinking',
    (provider) =>
      replying(
        [{ type: 'thinking', text: 'I look.', seal: sealed(provider) }, text('Water.'), call('call_1', '{}')],
        called,
      ),
  ],
  [
    'hidden thinking',
    (provider) =>
      replying(
        [{ type: 'thinking', text: '', redacted: true, seal: sealed(provider) }, text('Water.'), call('call_1', '{}')],
        called,
      ),
  ],
  ['sealed call', (provider) => replying([{ ...call('call_1', '{}'), seal: sealed(provider) }], called)],
  ['sealed text', (provider) => replying([{ ...text('Water.'), seal: sealed(provider) }])],
  ['refusal', replying([{ type: 'refusal', text: 'I may not say.' }], { reason: 'refusal' })],
  ...reasons.map((reason): ReplyItem => [`finish ${reason}`, replying([text('Water')], { reason })]),
  ['stop sequence that was hit', replying([text('Water')], { reason: 'stop-sequence', stopSequence: 'END' })],
  [
    'citation',
    replying([
      { ...text('Water is wet.'), citations: [{ url: 'https://example.com/w', title: 'Wet', start: 0, end: 5 }] },
    ]),
  ],
  [
    'citation with a quote',
    replying([
      {
        ...text('Water is wet.'),
        citations: [{ url: 'https://example.com/w', title: 'Wet', quote: 'It is wet.', start: 0, end: 5 }],
      },
    ]),
  ],
  [
    'citation in a later text',
    replying([
      text('Wässrig: '),
      { ...text('Water is wet.'), citations: [{ url: 'https://example.com/w', title: 'Wet', start: 0, end: 5 }] },
    ]),
  ],
  [
    'citation of a document',
    replying([{ ...text('Water is wet.'), citations: [{ title: 'Wet', quote: 'It is wet.' }] }]),
  ],
  [
    'logprobs',
    replying([
      {
        ...text('Hi'),
        logprobs: [
          { token: 'Hi', logprob: -0.5, bytes: [72, 105], top: [{ token: 'Ho', logprob: -1.5, bytes: [72, 111] }] },
        ],
      },
    ]),
  ],
  [
    'several candidates',
    {
      ...replying([text('Water')]),
      candidates: [
        { parts: [text('Water')], finish: { reason: 'stop' } },
        { parts: [text('Wine')], finish: { reason: 'length' } },
      ],
    },
  ],
  [
    'image',
    replying([
      text('See'),
      { type: 'media', media: 'image', mediaType: 'image/png', source: { kind: 'base64', data: png } },
    ]),
  ],
  [
    'audio',
    replying([
      text('Hear'),
      { type: 'media', media: 'audio', mediaType: 'audio/wav', source: { kind: 'base64', data: 'UklGRiQAAABXQVZF' } },
    ]),
  ],
  [
    'usage with cache reads',
    replying(
      [text('Water')],
      { reason: 'stop' },
      { input: { total: 100, cacheRead: 80, cacheWrite: 0 }, output: { total: 5 } },
    ),
  ],
  [
    'usage with cache writes',
    replying(
      [text('Water')],
      { reason: 'stop' },
      { input: { total: 100, cacheRead: 30, cacheWrite: 50 }, output: { total: 5 } },
    ),
  ],
  [
    'usage with thinking',
    replying([text('Water')], { reason: 'stop' }, { input: { total: 100 }, output: { total: 50, thinking: 40 } }),
  ],
  [
    'usage with audio',
    replying(
      [text('Water')],
      { reason: 'stop' },
      { input: { total: 100, audio: 60 }, output: { total: 50, audio: 40 } },
    ),
  ],
  ['usage unknown', replying([text('Water')], { reason: 'stop' }, { input: {}, output: {} })],
  ['service tier', { ...replying([text('Water')]), serviceTier: 'priority' }],
  [
    "a provider's unknown field",
    (provider) => ({
      ...replying([text('Water')]),
      extras: { format: provider, fields: { x_new_field: { deep: [1] } } },
    }),
  ],
  [
    "a provider's unknown part",
    (provider) => replying([text('Water'), { type: 'native', format: provider, value: { type: 'x_odd', value: 1 } }]),
  ],
];
