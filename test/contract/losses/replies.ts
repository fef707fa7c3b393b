/** A reply of each format with every kind of object that the neutral conversation has of it, whole and as the events of a stream. */

import type { Tree } from '../../../src/formats/format.ts';
import type { WireName } from './lanes.ts';

const logprob = {
  token: 'Good',
  logprob: -0.1,
  bytes: [71],
  top_logprobs: [{ token: 'Good', logprob: -0.1, bytes: [71] }],
};
const urlCitation = { url: 'https://example.com/a', title: 'A', start_index: 0, end_index: 4 };
const calls = [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }];

const chat: Tree = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  system_fingerprint: 'fp_1',
  service_tier: 'default',
  choices: [
    {
      index: 0,
      finish_reason: 'tool_calls',
      logprobs: { content: [logprob] },
      message: {
        role: 'assistant',
        content: 'Good day',
        reasoning_content: 'thought',
        annotations: [{ type: 'url_citation', url_citation: urlCitation }],
        tool_calls: calls,
      },
    },
  ],
  usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
};

const chunk = (delta: object, end: string | null = null): Tree => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  system_fingerprint: 'fp_1',
  choices: [{ index: 0, delta, finish_reason: end }],
});

const chatEvents: readonly Tree[] = [
  chunk({ role: 'assistant', reasoning_content: 'thought' }),
  chunk({ content: 'Good' }),
  chunk({ content: ' day' }),
  chunk({ annotations: [{ type: 'url_citation', url_citation: urlCitation }] }),
  chunk({ tool_calls: calls.map((call) => ({ index: 0, ...call })) }),
  chunk({}, 'tool_calls'),
  { ...chunk({}), choices: [], usage: chat.usage },
];

const output = [
  { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'thought' }], encrypted_content: 'c2VhbA' },
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [
      {
        type: 'output_text',
        text: 'Good day',
        annotations: [{ type: 'url_citation', ...urlCitation }],
        logprobs: [],
      },
    ],
  },
  {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'c1',
    status: 'completed',
    name: 'weather',
    arguments: '{"city":"Oslo"}',
  },
] as const;

const responses: Tree = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'm',
  output,
  usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
};

const begun = { ...responses, status: 'in_progress', output: [], usage: null };
const [, message] = output;
const responsesEvents: readonly Tree[] = [
  { type: 'response.created', response: begun },
  { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', id: 'rs_1', summary: [] } },
  { type: 'response.output_item.done', output_index: 0, item: output[0] },
  { type: 'response.output_item.added', output_index: 1, item: { ...message, status: 'in_progress', content: [] } },
  { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'Good day' },
  { type: 'response.output_item.done', output_index: 1, item: message },
  { type: 'response.output_item.done', output_index: 2, item: output[2] },
  { type: 'response.completed', response: responses },
];

const content = [
  { type: 'thinking', thinking: 'thought', signature: 'c2lnbmVk' },
  {
    type: 'text',
    text: 'Good day',
    citations: [
      {
        type: 'web_search_result_location',
        url: 'https://example.com/a',
        title: 'A',
        cited_text: 'x',
        encrypted_index: 'e',
      },
    ],
  },
  { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Oslo' } },
] as const;

const messages: Tree = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 4 },
};

const delta = (index: number, piece: object): Tree => ({ type: 'content_block_delta', index, delta: piece });
const messagesEvents: readonly Tree[] = [
  { type: 'message_start', message: { ...messages, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  delta(0, { type: 'thinking_delta', thinking: 'thought' }),
  delta(0, { type: 'signature_delta', signature: 'c2lnbmVk' }),
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  delta(1, { type: 'text_delta', text: 'Good' }),
  delta(1, { type: 'text_delta', text: ' day' }),
  delta(1, { type: 'citations_delta', citation: content[1].citations[0] }),
  { type: 'content_block_stop', index: 1 },
  { type: 'content_block_start', index: 2, content_block: { ...content[2], input: {} } },
  delta(2, { type: 'input_json_delta', partial_json: '{"city":"Oslo"}' }),
  { type: 'content_block_stop', index: 2 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 4 } },
  { type: 'message_stop' },
];

const generated = (parts: readonly object[], more: object = {}): Tree => ({
  responseId: 'r1',
  modelVersion: 'm',
  candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
});
const end = {
  finishReason: 'STOP',
  groundingMetadata: {
    webSearchQueries: ['a'],
    groundingChunks: [{ web: { uri: 'https://example.com/a', title: 'A' } }],
    groundingSupports: [{ segment: { startIndex: 0, endIndex: 4, text: 'Good' }, groundingChunkIndices: [0] }],
  },
  safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'NEGLIGIBLE' }],
};
const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 };
const said = [
  { text: 'thought', thought: true, thoughtSignature: 'c2lnbmVk' },
  { text: 'Good day' },
  { functionCall: { id: 'c1', name: 'weather', args: { city: 'Oslo' } } },
  { inlineData: { mimeType: 'image/png', data: 'aW1hZ2U=' } },
];
const generate: Tree = { ...generated(said, end), usageMetadata };
const generateEvents: readonly Tree[] = [
  ...said.map((part) => generated([part])),
  { ...generated([{ text: '' }], end), usageMetadata },
];

export interface Reply {
  readonly whole: Tree;
  readonly events: readonly Tree[];
}

export const replies: Readonly<Record<WireName, Reply>> = {
  'openai-chat': { whole: chat, events: chatEvents },
  'openai-responses': { whole: responses, events: responsesEvents },
  'anthropic-messages': { whole: messages, events: messagesEvents },
  'gemini-generate': { whole: generate, events: generateEvents },
};
