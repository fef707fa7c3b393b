/** One valid value or more for each schema of OpenAI's operations, written from their reference (read 2026-11-16). */

import type { operationSchemas } from '../../oracles/operations/named.ts';
import { realtimeSamples } from './realtime-samples.ts';

const yes = (names: readonly string[], value: unknown): object =>
  Object.fromEntries(names.map((name) => [name, value]));

const ofText = [
  ...[
    'harassment',
    'harassment/threatening',
    'hate',
    'hate/threatening',
    'illicit',
    'illicit/violent',
    'sexual/minors',
  ],
];
const ofImages = [
  ...['self-harm', 'self-harm/instructions', 'self-harm/intent', 'sexual', 'violence', 'violence/graphic'],
];
const categories = [...ofText, ...ofImages];

const image = {
  b64_json: 'iVBORw0KGgo=',
  background: 'opaque',
  created_at: 1_770_000_000,
  output_format: 'png',
  quality: 'high',
  size: '1024x1024',
};
const drawn = {
  input_tokens: 20,
  input_tokens_details: { image_tokens: 8, text_tokens: 12 },
  output_tokens: 100,
  total_tokens: 120,
};
const eventsOf = (family: string): object[] => [
  { type: `${family}.partial_image`, ...image, partial_image_index: 0 },
  { type: `${family}.completed`, ...image, usage: drawn },
];

const tokens = {
  type: 'tokens',
  input_tokens: 14,
  input_token_details: { text_tokens: 4, audio_tokens: 10 },
  output_tokens: 45,
  total_tokens: 59,
};
const logprobs = [{ token: 'Hi', logprob: -0.5, bytes: [72, 105] }];

export const operationSamples: Readonly<Record<keyof typeof operationSchemas, readonly unknown[]>> = {
  CreateEmbeddingRequest: [
    { model: 'text-embedding-3-small', input: 'a text' },
    { model: 'm', input: ['a', 'b'], encoding_format: 'base64', dimensions: 8, user: 'u' },
    { model: 'm', input: [[1, 2], [3]] },
  ],
  CreateEmbeddingResponse: [
    {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.5, -0.25] }],
      model: 'text-embedding-3-small',
      usage: { prompt_tokens: 5, total_tokens: 5 },
    },
  ],
  CreateModerationRequest: [
    { model: 'omni-moderation-latest', input: 'a text' },
    { input: ['a', 'b'] },
    { input: [{ type: 'image_url', image_url: { url: 'https://images.example/a.png' } }] },
  ],
  CreateModerationResponse: [
    {
      id: 'modr-1',
      model: 'omni-moderation-latest',
      results: [
        {
          flagged: false,
          categories: yes(categories, false),
          category_scores: yes(categories, 0.01),
          category_applied_input_types: { ...yes(ofText, ['text']), ...yes(ofImages, ['text', 'image']) },
        },
      ],
    },
  ],
  CreateSpeechRequest: [
    { model: 'tts-1', input: 'Good morning.', voice: 'alloy' },
    {
      model: 'gpt-4o-mini-tts',
      input: 'Good morning.',
      voice: 'coral',
      instructions: 'slowly',
      response_format: 'wav',
      speed: 1.5,
      stream_format: 'sse',
    },
  ],
  CreateSpeechResponseStreamEvent: [
    { type: 'speech.audio.delta', audio: 'AAAA' },
    { type: 'speech.audio.done', usage: { input_tokens: 14, output_tokens: 101, total_tokens: 115 } },
  ],
  CreateTranscriptionResponseJson: [
    { text: 'Hi.', usage: tokens, logprobs },
    { text: 'Hi.', usage: { type: 'duration', seconds: 2 } },
  ],
  CreateTranscriptionResponseStreamEvent: [
    { type: 'transcript.text.delta', delta: 'Hi', logprobs },
    { type: 'transcript.text.segment', id: 'seg_0', start: 0, end: 1.5, text: 'Hi', speaker: 'A' },
    { type: 'transcript.text.done', text: 'Hi', logprobs, usage: tokens },
  ],
  CreateTranscriptionResponseVerboseJson: [
    {
      language: 'english',
      duration: 1.5,
      text: 'Hi.',
      segments: [
        {
          id: 0,
          seek: 0,
          start: 0,
          end: 1.5,
          text: 'Hi.',
          tokens: [1, 2],
          temperature: 0,
          avg_logprob: -0.25,
          compression_ratio: 1.25,
          no_speech_prob: 0.01,
        },
      ],
      words: [{ word: 'Hi', start: 0, end: 0.5 }],
      usage: { type: 'duration', seconds: 2 },
    },
  ],
  ImagesResponse: [
    {
      created: 1_770_000_000,
      data: [{ b64_json: 'iVBORw0KGgo=' }],
      background: 'transparent',
      output_format: 'webp',
      quality: 'low',
      size: '1024x1536',
      usage: { ...drawn, output_tokens_details: { image_tokens: 100, text_tokens: 0 } },
    },
    { created: 1, data: [{ url: 'https://images.example/a.png', revised_prompt: 'a heron' }] },
  ],
  ImageGenStreamEvent: eventsOf('image_generation'),
  ImageEditStreamEvent: eventsOf('image_edit'),
  RealtimeServerEvent: realtimeSamples,
};
