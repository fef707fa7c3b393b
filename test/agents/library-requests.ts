/** Requests of the official libraries with every field that their types have; the compiler says where one is missing. */

import type { BetaMessageStreamParams } from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { GenerateContentConfig } from '@google/genai';
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions/completions';
import type { ResponseCreateParamsNonStreaming } from 'openai/resources/responses/responses';
import { question } from './programs.ts';
import type { RecordedRequest } from './recorder.ts';

const model = 'sandbox-chat';
const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false };
const place = { type: 'approximate', city: 'Oslo', country: 'NO', region: 'Oslo', timezone: 'Europe/Oslo' } as const;

/** What only an older or another call of the library has: it is refused together with the rest. */
type Chat = Required<Omit<ChatCompletionCreateParamsNonStreaming, 'functions' | 'function_call' | 'max_tokens'>>;

const chat = {
  model,
  messages: [
    { role: 'developer', content: [{ type: 'text', text: 'Be short.' }], name: 'team' },
    { role: 'user', content: [{ type: 'text', text: question }], name: 'somebody' },
  ],
  audio: { format: 'mp3', voice: 'alloy' },
  frequency_penalty: 0,
  logit_bias: { '50256': -100 },
  logprobs: false,
  max_completion_tokens: 64,
  metadata: { team: 'a' },
  modalities: ['text'],
  moderation: null,
  n: 1,
  parallel_tool_calls: true,
  prediction: { type: 'content', content: [{ type: 'text', text: '42' }] },
  presence_penalty: 0,
  prompt_cache_key: 'a',
  prompt_cache_options: { mode: 'implicit' },
  prompt_cache_retention: '24h',
  reasoning_effort: 'low',
  response_format: { type: 'json_schema', json_schema: { name: 'n', description: 'A number', schema, strict: true } },
  safety_identifier: 'somebody',
  seed: 1,
  service_tier: 'auto',
  stop: ['\n\n'],
  store: false,
  stream: false,
  stream_options: null,
  temperature: 1,
  tool_choice: 'auto',
  tools: [
    { type: 'function', function: { name: 'f', description: 'A function', parameters: schema, strict: true } },
    {
      type: 'custom',
      custom: { name: 'g', format: { type: 'grammar', grammar: { definition: 'x', syntax: 'lark' } } },
    },
  ],
  top_logprobs: null,
  top_p: 1,
  user: 'somebody',
  verbosity: 'low',
  web_search_options: {
    search_context_size: 'low',
    user_location: { type: 'approximate', approximate: { city: 'Oslo' } },
  },
} satisfies Chat;

/** What refers to something stored, or belongs to a programme of the vendor, is refused together with the rest. */
type Responses = Required<
  Omit<
    ResponseCreateParamsNonStreaming,
    'background' | 'conversation' | 'previous_response_id' | 'prompt' | 'access_programs' | 'image' | 'moderation'
  >
>;

const responses = {
  model,
  context_management: [{ type: 'compaction', compact_threshold: 100_000 }],
  include: ['reasoning.encrypted_content'],
  input: [{ role: 'user', content: [{ type: 'input_text', text: question }] }],
  instructions: 'Be short.',
  max_output_tokens: 64,
  max_tool_calls: 2,
  metadata: { team: 'a' },
  parallel_tool_calls: true,
  prompt_cache_key: 'a',
  prompt_cache_options: { mode: 'implicit' },
  prompt_cache_retention: '24h',
  reasoning: { effort: 'low', summary: 'auto' },
  safety_identifier: 'somebody',
  service_tier: 'auto',
  store: false,
  stream: false,
  stream_options: null,
  temperature: 1,
  text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema, strict: true } },
  tool_choice: 'auto',
  tools: [
    { type: 'function', name: 'f', description: 'A function', parameters: schema, strict: true },
    { type: 'custom', name: 'g', format: { type: 'grammar', definition: 'x', syntax: 'lark' } },
    {
      type: 'web_search',
      filters: { allowed_domains: ['example.com'] },
      search_context_size: 'low',
      user_location: place,
    },
  ],
  top_logprobs: null as never,
  top_p: 1,
  truncation: 'auto',
  user: 'somebody',
} satisfies Responses;

/** What runs on other models, in stored places or under another contract is a test of its own. */
type Messages = Required<
  Omit<
    BetaMessageStreamParams,
    | ('fallbacks' | 'fallback_credit_token' | 'container' | 'mcp_servers' | 'thread' | 'betas' | 'output_format')
    | ('user_profile_id' | 'workspace_id' | 'diagnostics' | 'compaction' | 'inference_geo' | 'speed')
  >
>;

const messages = {
  model,
  max_tokens: 2_048,
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: question, cache_control: { type: 'ephemeral', ttl: '1h' } },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' }, title: 't', context: 'c' },
      ],
    },
  ],
  cache_control: null,
  context_management: {
    edits: [{ type: 'clear_tool_uses_20250919', trigger: { type: 'input_tokens', value: 30_000 } }],
  },
  metadata: { user_id: 'somebody' },
  output_config: { format: { type: 'json_schema', schema } },
  service_tier: 'auto',
  stop_sequences: ['\n\nEnd'],
  stream: false as never,
  system: [{ type: 'text', text: 'Be short.' }],
  thinking: { type: 'enabled', budget_tokens: 1_024 },
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  tools: [
    { name: 'f', description: 'A function', input_schema: { ...schema, type: 'object' }, strict: true },
    { type: 'web_search_20250305', name: 'web_search', max_uses: 1, user_location: place },
  ],
} satisfies Messages;

/** Those of the library itself, of tuning and of stored caches are no part of a first request. */
type Config = Omit<GenerateContentConfig, 'httpOptions' | 'abortSignal' | 'automaticFunctionCalling'>;

const config = {
  temperature: 1,
  topP: 1,
  topK: 40,
  candidateCount: 1,
  maxOutputTokens: 64,
  stopSequences: ['\n\n'],
  presencePenalty: 0,
  frequencyPenalty: 0,
  seed: 1,
  responseMimeType: 'application/json',
  responseJsonSchema: schema,
  thinkingConfig: { includeThoughts: false, thinkingBudget: 128 },
  mediaResolution: 'MEDIA_RESOLUTION_LOW' as never,
  responseModalities: ['TEXT'],
} satisfies Config;

const generate = {
  contents: [{ role: 'user', parts: [{ text: question }] }],
  systemInstruction: { parts: [{ text: 'Be short.' }] },
  generationConfig: config,
  safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
  toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
  tools: [{ functionDeclarations: [{ name: 'f', description: 'A function', parametersJsonSchema: schema }] }],
  labels: { team: 'a' },
};

export const libraryRequests: readonly (readonly [name: string, request: RecordedRequest])[] = [
  ['openai, chat', { path: '/v1/chat/completions', body: chat }],
  ['openai, responses', { path: '/v1/responses', body: responses }],
  ['anthropic', { path: '/v1/messages', body: messages }],
  ['google', { path: `/v1beta/models/${model}:generateContent`, body: generate }],
];
