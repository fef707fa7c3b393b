/** Every endpoint that costs money, as a caller would call it, and the bodies that give two contradictory sizes. */

import { formOf, png } from '../harness/operation-calls.ts';

export interface ConversationCase {
  readonly name: string;
  /** Below the origin. */
  readonly path: (stream: boolean) => string;
  readonly model: string;
  /** A body without any limit. */
  readonly body: (model: string, stream: boolean) => Record<string, unknown>;
  /** Fields that name a small limit in the one place and a large one in the other. */
  readonly limits: (small: number, large: number) => readonly Record<string, unknown>[];
  /** A reference to an input at another place. */
  readonly references: readonly Record<string, unknown>[];
  /** Are such requests admitted while the budget has room for a whole context? */
  readonly passesReferences?: boolean;
}

const user = (content: unknown) => [{ role: 'user', content }];
const usageAsked = (stream: boolean) => (stream ? { stream, stream_options: { include_usage: true } } : {});

const chatLimits = (small: number, large: number) => [
  { max_completion_tokens: small, max_tokens: large },
  { max_completion_tokens: large, max_tokens: small },
  { max_tokens: small, max_output_tokens: large },
  { max_tokens: small, n_predict: large },
  { max_tokens: small, max_new_tokens: large },
  { max_tokens: small, num_predict: large },
  { max_tokens: small, options: { num_predict: large } },
  { max_tokens: Math.ceil(large / 2), n: 2 },
  { max_tokens: Math.ceil(large / 2), best_of: 2 },
];

const chat = (model: string): ConversationCase => ({
  name: `chat to ${model}`,
  path: () => '/v1/chat/completions',
  model,
  body: (name, stream) => ({ model: name, messages: user('Go.'), ...usageAsked(stream) }),
  limits: chatLimits,
  references: [{ messages: user([{ type: 'file', file: { file_id: 'file-1' } }]) }],
  passesReferences: model.startsWith('chat/'),
});

const messages = (model: string): ConversationCase => ({
  name: `messages to ${model}`,
  path: () => '/v1/messages',
  model,
  body: (name, stream) => ({ model: name, max_tokens: 300, messages: user('Go.'), stream }),
  limits: (small, large) => [
    { max_tokens: small, max_completion_tokens: large },
    { max_tokens: small, max_output_tokens: large },
    { max_tokens: small, max_tokens_to_sample: large },
  ],
  references: [{ messages: user([{ type: 'document', source: { type: 'file', file_id: 'file_1' } }]) }],
  passesReferences: model.startsWith('msg/'),
});

const responses = (model: string): ConversationCase => ({
  name: `responses to ${model}`,
  path: () => '/v1/responses',
  model,
  body: (name, stream) => ({ model: name, input: 'Go.', store: false, stream }),
  limits: (small, large) => [
    { max_output_tokens: small, max_tokens: large },
    { max_output_tokens: small, max_completion_tokens: large },
    { max_output_tokens: small, n_predict: large },
  ],
  references: [
    { input: user([{ type: 'input_file', file_url: 'https://example.com/a.pdf' }]) },
    { input: user([{ type: 'input_file', file_id: 'file-1' }]) },
    { conversation: 'conv_1' },
    { prompt: { id: 'pmpt_1' } },
  ],
  passesReferences: true,
});

const generate = (model: string): ConversationCase => ({
  name: `generateContent to ${model}`,
  path: (stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  model,
  body: () => ({ contents: [{ role: 'user', parts: [{ text: 'Go.' }] }] }),
  limits: (small, large) => [
    { generationConfig: { maxOutputTokens: small, max_output_tokens: large } },
    { generation_config: { max_output_tokens: large }, generationConfig: { maxOutputTokens: small } },
    { generationConfig: { maxOutputTokens: Math.ceil(large / 2), candidateCount: 2 } },
    { generationConfig: { maxOutputTokens: Math.ceil(large / 2), candidate_count: 2 } },
  ],
  references: [
    { cachedContent: 'cachedContents/1' },
    {
      contents: [
        {
          role: 'user',
          parts: [{ fileData: { fileUri: 'https://example.com/files/1', mimeType: 'application/pdf' } }],
        },
      ],
    },
  ],
  passesReferences: model.startsWith('gen/'),
});

const completions = (model: string): ConversationCase => ({
  name: `completions to ${model}`,
  path: () => '/v1/completions',
  model,
  body: (name, stream) => ({ model: name, prompt: 'Go.', max_tokens: 300, ...usageAsked(stream) }),
  limits: (small, large) => [
    { max_tokens: small, max_completion_tokens: large },
    { max_tokens: small, n_predict: large },
    { max_tokens: Math.ceil(large / 2), n: 2, best_of: 2 },
    { max_tokens: Math.ceil(large / 2), best_of: 2 },
  ],
  references: [],
});

/** Each format to its own, to one that reads the older limit, and through the translation in both directions. */
export const conversations: readonly ConversationCase[] = [
  chat('chat/gpt-4.1'),
  chat('older/gpt-4.1'),
  chat('msg/claude-sonnet-4-5'),
  completions('comp/gpt-3.5-turbo-instruct'),
  messages('msg/claude-sonnet-4-5'),
  messages('chat/gpt-4.1'),
  responses('resp/gpt-4.1'),
  responses('chat/gpt-4.1'),
  generate('gen/gemini-2.5-pro'),
  generate('chat/gpt-4.1'),
];

export interface OperationCase {
  readonly name: string;
  readonly path: string;
  readonly body: () => unknown;
  /** Room for some of fifty and not for all. */
  readonly budgetUsd: number;
  /** Continues when its caller has left. */
  readonly outlivesCaller?: boolean;
}

export const operations: readonly OperationCase[] = [
  {
    name: 'embeddings',
    path: '/v1/embeddings',
    body: () => ({ model: 'vectors', input: 'one two three' }),
    budgetUsd: 2,
  },
  {
    name: 'rerank',
    path: '/v1/rerank',
    body: () => ({ model: 'ranked', query: 'which', documents: ['a'] }),
    budgetUsd: 20,
  },
  {
    name: 'images',
    path: '/v1/images/generations',
    body: () => ({ model: 'images', prompt: 'a boat', n: 2 }),
    budgetUsd: 20,
  },
  {
    name: 'image edits',
    path: '/v1/images/edits',
    body: () => formOf({ model: 'images', prompt: 'a boat', image: png(), n: '2' }),
    budgetUsd: 20,
  },
  {
    name: 'speech',
    path: '/v1/audio/speech',
    body: () => ({ model: 'speech', voice: 'rms', input: 'Hello there.' }),
    budgetUsd: 100,
  },
  {
    name: 'transcriptions',
    path: '/v1/audio/transcriptions',
    body: () => formOf({ model: 'transcripts', file: twoSeconds() }),
    budgetUsd: 20,
  },
  {
    name: 'videos',
    path: '/v1/video/generations',
    body: () => ({ model: 'sora-2', prompt: 'a boat', duration: 4 }),
    budgetUsd: 20,
    outlivesCaller: true,
  },
];

/** A WAV file with the length that the provider reports. */
function twoSeconds(): Blob {
  const [rate, bytesPerSample] = [8_000, 2];
  const dataBytes = 2 * rate * bytesPerSample;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + dataBytes, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * bytesPerSample, 28);
  head.writeUInt16LE(bytesPerSample, 32);
  head.writeUInt16LE(8 * bytesPerSample, 34);
  head.write('data', 36);
  head.writeUInt32LE(dataBytes, 40);
  return new Blob([head, new Uint8Array(dataBytes)], { type: 'audio/wav' });
}
