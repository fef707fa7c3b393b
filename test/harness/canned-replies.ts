/** Replies of every format that say one sentence, each with something that strict clients stumbled over. */

import { type CannedReply, eventStream } from './canned-provider.ts';

export const sentence = 'The weather in Oslo is sunny.';
const [before, cited, after] = ['The weather in Oslo is ', 'sunny', '.'] as const;
const place = {
  type: 'web_search_result_location',
  url: 'https://weather.example/oslo',
  title: 'Oslo',
  cited_text: 'sun',
  encrypted_index: 'x',
};

const blocks = [
  { type: 'text', text: before },
  { type: 'text', text: cited, citations: [place] },
  { type: 'text', text: after },
];
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', stop_sequence: null };

function messageStream(
  usage: object,
  end: object,
  pieces: readonly object[],
  stopReason: string | null = null,
): string {
  return eventStream(
    [
      { type: 'message_start', message: { ...message, content: [], stop_reason: stopReason, usage } },
      ...pieces,
      ...(stopReason === null ? [end] : []),
      { type: 'message_stop' },
    ],
    true,
  );
}

const blockEvents = (index: number, text: string, citations: readonly object[] = []): object[] => [
  { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
  ...citations.map((citation) => ({
    type: 'content_block_delta',
    index,
    delta: { type: 'citations_delta', citation },
  })),
  ...[...text.matchAll(/\S+\s*|\s+/g)].map(([piece]) => ({
    type: 'content_block_delta',
    index,
    delta: { type: 'text_delta', text: piece },
  })),
  { type: 'content_block_stop', index },
];

const citedEvents = [...blockEvents(0, before), ...blockEvents(1, cited, [place]), ...blockEvents(2, after)];
const used = { input_tokens: 9, output_tokens: 7 };
const messageEnd = (usage: object) => ({
  type: 'message_delta',
  delta: { stop_reason: 'end_turn', stop_sequence: null },
  usage,
});

/** Counts as a provider reported them: those of the summary are in the list only. */
const compacted = {
  input_tokens: 612,
  output_tokens: 2_819,
  iterations: [
    { type: 'compaction', input_tokens: 60_385, output_tokens: 522 },
    { type: 'message', input_tokens: 612, output_tokens: 2_819 },
  ],
};

const callEvents = [
  {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
  },
  { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"city":"Oslo"}' } },
  { type: 'content_block_stop', index: 0 },
];

const generated = (parts: readonly object[], finishReason?: string) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason !== undefined && { finishReason }) }],
  modelVersion: 'gemini',
  responseId: 'r',
  ...(finishReason !== undefined && {
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 7, totalTokenCount: 16 },
  }),
});
const textParts = [before, cited, after].map((text) => ({ text }));

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'plain' };
const chatUsage = { prompt_tokens: 9, completion_tokens: 7, total_tokens: 16 };
const delta = (content: object, finish: string | null = null, beside: object = {}) => ({
  ...head,
  choices: [{ index: 0, delta: content, finish_reason: finish }],
  usage: null,
  ...beside,
});
const chatEnd = `${eventStream([{ ...head, choices: [], usage: chatUsage }])}data: [DONE]\n\n`;
const chatChunks = [
  delta({ role: 'assistant', content: before }),
  delta({ content: cited + after }),
  delta({}, 'stop'),
];

const completion = (beside: object = {}) => ({
  ...head,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      logprobs: null,
      message: { role: 'assistant', content: sentence, refusal: null },
      finish_reason: 'stop',
    },
  ],
  usage: chatUsage,
  ...beside,
});

/** Events without data between all others, as some hosts send them to keep a connection alive. */
const blanked = (stream: string): string => stream.replaceAll('\n\n', '\n\ndata:\n\nevent: ping\ndata: \n\n');

/** One model for each provider and each thing it does; models of different formats never share a name. */
export const cannedReplies: Readonly<Record<string, CannedReply>> = {
  cited: {
    whole: { ...message, content: blocks, stop_reason: 'end_turn', usage: used },
    stream: messageStream(used, messageEnd(used), citedEvents),
  },
  compacted: {
    whole: { ...message, content: blocks, stop_reason: 'end_turn', usage: compacted },
    stream: messageStream({ input_tokens: 60_385, output_tokens: 1 }, messageEnd(compacted), citedEvents),
  },
  'called-from-code': { stream: messageStream(used, {}, callEvents, 'tool_use') },
  parts: {
    whole: generated(textParts, 'STOP'),
    stream: eventStream([...textParts.map((part) => generated([part])), generated([{ text: '' }], 'STOP')]),
  },
  plain: { whole: completion(), stream: eventStream(chatChunks) + chatEnd },
  tiered: {
    whole: completion({ service_tier: 'on_demand', system_fingerprint: 'fp' }),
    stream: eventStream(chatChunks.map((chunk) => ({ ...chunk, service_tier: 'on_demand' }))) + chatEnd,
  },
  padded: {
    stream: eventStream(chatChunks.map((chunk, at) => ({ ...chunk, obfuscation: ['aa', 'bb', 'cc'][at] }))) + chatEnd,
  },
  'cited-first': {
    stream:
      eventStream(chatChunks.map((chunk, at) => (at === 0 ? { ...chunk, citations: [place.url] } : chunk))) + chatEnd,
  },
  'blank-messages': { stream: blanked(messageStream(used, messageEnd(used), citedEvents)) },
  'blank-generate': {
    stream: blanked(eventStream([...textParts.map((part) => generated([part])), generated([{ text: '' }], 'STOP')])),
  },
  'blank-chat': { stream: blanked(eventStream(chatChunks) + chatEnd) },
};
