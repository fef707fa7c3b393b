/** A request of each format with every kind of object that the neutral conversation has of it, and settings of all kinds. */

import type { Tree } from '../../../src/formats/format.ts';
import type { WireName } from './lanes.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = `data:image/png;base64,${pixel}`;
const pdf = 'JVBERi0xLjQK';
const place = { city: 'Oslo', country: 'NO', region: 'Oslo', timezone: 'Europe/Oslo' };

const chat: Tree = {
  model: 'm',
  max_completion_tokens: 20,
  temperature: 0.5,
  top_p: 0.9,
  stop: ['END'],
  seed: 7,
  n: 1,
  presence_penalty: 0.1,
  frequency_penalty: 0.2,
  user: 'someone',
  verbosity: 'low',
  reasoning_effort: 'low',
  service_tier: 'flex',
  parallel_tool_calls: false,
  logprobs: true,
  top_logprobs: 2,
  logit_bias: { 50256: -100 },
  metadata: { team: 'red' },
  store: true,
  prompt_cache_key: 'key',
  prompt_cache_retention: '24h',
  safety_identifier: 'digest',
  repetition_penalty: 1.1,
  stream_options: { include_usage: true, continuous_usage_stats: true },
  thinking: { type: 'enabled', budget_tokens: 512, clear: true },
  modalities: ['text', 'audio'],
  audio: { voice: 'alloy', format: 'mp3' },
  prediction: { type: 'content', content: [{ type: 'text', text: 'predicted' }] },
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'shape', description: 'of the reply', strict: true, schema },
  },
  tool_choice: { type: 'function', function: { name: 'weather' } },
  web_search_options: { search_context_size: 'low', user_location: { type: 'approximate', approximate: place } },
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'instruction', cache_control: { type: 'ephemeral' } }] },
    {
      role: 'user',
      name: 'ann',
      content: [
        { type: 'text', text: 'question' },
        { type: 'image_url', image_url: { url: image, detail: 'low' } },
        { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
        { type: 'file', file: { file_data: `data:application/pdf;base64,${pdf}`, filename: 'a.pdf' } },
        { type: 'video_url', video_url: { url: 'https://example.com/a.mp4', detail: 'low' }, fps: 2 },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'first' }],
      annotations: [
        { type: 'url_citation', url_citation: { url: 'https://example.com/b', title: 'B', start_index: 1 } },
      ],
      audio: { id: 'audio_1' },
      prefix: true,
      reasoning_content: 'thought',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
        { id: 'c2', type: 'custom', custom: { name: 'note', input: 'text' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'cold' }] },
    { role: 'tool', tool_call_id: 'c2', content: 'done' },
    { role: 'assistant', content: null, refusal: 'refused' },
    { role: 'user', content: 'again' },
  ],
  tools: [
    {
      type: 'function',
      function: { name: 'weather', description: 'says it', strict: true, parameters: schema },
    },
    {
      type: 'custom',
      custom: {
        name: 'note',
        description: 'writes it',
        format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } },
      },
    },
  ],
};

const responses: Tree = {
  model: 'm',
  instructions: 'instruction',
  max_output_tokens: 20,
  temperature: 0.5,
  top_p: 0.9,
  store: false,
  user: 'someone',
  service_tier: 'flex',
  parallel_tool_calls: false,
  top_logprobs: 2,
  max_tool_calls: 3,
  truncation: 'auto',
  metadata: { team: 'red' },
  prompt_cache_key: 'key',
  safety_identifier: 'digest',
  context_management: [{ type: 'compaction', compact_threshold: 1000 }],
  stream_options: { include_obfuscation: true },
  include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
  reasoning: { effort: 'low', summary: 'auto', mode: 'pro', context: 'all' },
  text: {
    verbosity: 'low',
    format: { type: 'json_schema', name: 'shape', description: 'of the reply', strict: true, schema },
  },
  tool_choice: { type: 'function', name: 'weather' },
  input: [
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'question', prompt_cache_breakpoint: { mode: 'explicit' } },
        { type: 'input_image', image_url: image, detail: 'low' },
        { type: 'input_file', file_data: `data:application/pdf;base64,${pdf}`, filename: 'a.pdf' },
        { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
      ],
    },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'thought' }] },
    {
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'output_text', text: 'first', annotations: [] },
        { type: 'refusal', refusal: 'refused' },
      ],
    },
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'a' } },
    { type: 'message', role: 'assistant', phase: 'commentary', content: [{ type: 'output_text', text: 'then' }] },
    { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Oslo"}' },
    { type: 'custom_tool_call', call_id: 'c2', name: 'note', input: 'text' },
    { type: 'function_call', call_id: 'c3', name: 'find', namespace: 'mcp__files', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'cold' }] },
    { type: 'custom_tool_call_output', call_id: 'c2', output: 'done' },
    { type: 'function_call_output', call_id: 'c3', output: 'found' },
    { role: 'user', content: 'again' },
  ],
  tools: [
    { type: 'function', name: 'weather', description: 'says it', strict: true, parameters: schema },
    {
      type: 'custom',
      name: 'note',
      description: 'writes it',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
    },
    {
      type: 'namespace',
      name: 'mcp__files',
      description: 'files',
      tools: [{ type: 'function', name: 'find', parameters: schema }],
    },
    { type: 'code_interpreter', container: { type: 'auto' } },
    { type: 'file_search', vector_store_ids: ['vs_1'] },
    { type: 'web_search', search_context_size: 'low', user_location: { type: 'approximate', ...place } },
  ],
};

const messages: Tree = {
  model: 'm',
  max_tokens: 20_000,
  temperature: 1,
  top_k: 40,
  stop_sequences: ['END'],
  service_tier: 'standard_only',
  metadata: { user_id: 'someone' },
  system: [{ type: 'text', text: 'instruction', cache_control: { type: 'ephemeral', ttl: '1h' } }],
  speed: 'fast',
  inference_geo: 'eu',
  context_management: { edits: [{ type: 'clear_tool_uses_20250919', keep: { type: 'tool_uses', value: 1 } }] },
  mcp_servers: [{ type: 'url', name: 'files', url: 'https://example.com/mcp' }],
  container: { id: 'container_1' },
  thinking: {
    type: 'enabled',
    budget_tokens: 2_000,
    display: 'summarized',
    block_binding: { prefix_mismatch_behavior: 'error' },
  },
  output_config: { effort: 'low', task_budget: { type: 'tokens', total: 1 }, format: { type: 'json_schema', schema } },
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'question' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
        { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
        {
          type: 'document',
          title: 'a.pdf',
          context: 'about it',
          citations: { enabled: true },
          source: { type: 'base64', media_type: 'application/pdf', data: pdf },
        },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain' } },
        { type: 'container_upload', file_id: 'file_1' },
        {
          type: 'search_result',
          source: 'https://example.com/c',
          title: 'C',
          content: [{ type: 'text', text: 'found' }],
        },
        { type: 'document', title: 'D', source: { type: 'content', content: [{ type: 'text', text: 'within' }] } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'thought', signature: 'c2lnbmVk' },
        { type: 'text', text: 'first' },
        { type: 'server_tool_use', id: 's1', name: 'code_execution', input: { code: '1' } },
        {
          type: 'tool_use',
          id: 'c1',
          name: 'weather',
          input: { city: 'Oslo' },
          caller: { type: 'code', tool_id: 's1' },
        },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', is_error: true, content: [{ type: 'text', text: 'cold' }] },
        { type: 'text', text: 'again' },
      ],
    },
  ],
  tools: [
    {
      name: 'weather',
      description: 'says it',
      strict: true,
      input_schema: schema,
      cache_control: { type: 'ephemeral' },
    },
    {
      type: 'web_search_20250305',
      name: 'web_search',
      max_uses: 1,
      allowed_domains: ['example.com'],
      user_location: { type: 'approximate', ...place },
    },
  ],
};

const generate: Tree = {
  systemInstruction: { parts: [{ text: 'instruction' }] },
  contents: [
    {
      role: 'user',
      parts: [
        { text: 'question' },
        {
          inlineData: { mimeType: 'image/png', data: pixel, displayName: 'a.png' },
          mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' },
        },
        { fileData: { mimeType: 'application/pdf', fileUri: 'https://example.com/a.pdf', displayName: 'a.pdf' } },
      ],
    },
    {
      role: 'model',
      parts: [
        { text: 'thought', thought: true },
        { text: 'first', partMetadata: { a: 1 } },
        { executableCode: { language: 'PYTHON', code: '1' } },
        { functionCall: { willContinue: false, id: 'c1', name: 'weather', args: { city: 'Oslo' } } },
      ],
    },
    {
      role: 'user',
      parts: [
        {
          functionResponse: {
            id: 'c1',
            name: 'weather',
            response: { output: 'cold' },
            parts: [{ inlineData: { mimeType: 'image/png', data: pixel } }],
            willContinue: true,
            scheduling: 'SILENT',
          },
        },
        { text: 'again' },
      ],
    },
  ],
  generationConfig: {
    temperature: 0.5,
    topP: 0.9,
    topK: 40,
    seed: 7,
    maxOutputTokens: 20,
    candidateCount: 1,
    stopSequences: ['END'],
    presencePenalty: 0.1,
    frequencyPenalty: 0.2,
    logprobs: 2,
    responseMimeType: 'application/json',
    responseJsonSchema: schema,
    responseModalities: ['TEXT', 'AUDIO'],
    speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
    thinkingConfig: { thinkingBudget: 512, includeThoughts: true },
    mediaResolution: 'MEDIA_RESOLUTION_LOW',
    imageConfig: { aspectRatio: '1:1' },
    audioTimestamp: true,
  },
  safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
  cachedContent: 'cachedContents/1',
  serviceTier: 'flex',
  labels: { team: 'red' },
  toolConfig: {
    functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather'], streamFunctionCallArguments: true },
    retrievalConfig: { languageCode: 'en' },
  },
  tools: [
    {
      functionDeclarations: [
        { name: 'weather', description: 'says it', parametersJsonSchema: schema, behavior: 'BLOCKING' },
      ],
    },
    { googleSearch: { timeRangeFilter: { startTime: '2026-01-01T00:00:00Z' } } },
    { codeExecution: {} },
  ],
};

export const requests: Readonly<Record<WireName, Tree>> = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': messages,
  'gemini-generate': generate,
};

type Path = readonly (string | number)[];

/** Every object in the tree. */
export function* objectsIn(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield path;
  for (const [name, each] of entriesOf(value)) yield* objectsIn(each, [...path, name]);
}

/** Every field, and every member of a list, at any depth. */
export function* placesIn(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, each] of entriesOf(value)) yield* placesIn(each, [...path, name]);
}

function entriesOf(value: object): readonly (readonly [string | number, unknown])[] {
  return Array.isArray(value) ? [...value.entries()] : Object.entries(value);
}

/** A copy with one field more, in the object at this place. */
export function withField(tree: Tree, path: Path, name: string, value: unknown): Tree {
  const copy = structuredClone(tree) as Record<string, unknown>;
  (holderAt(copy, path) as Record<string, unknown>)[name] = value;
  return copy;
}

/** A copy without what is at this place. */
export function without(tree: Tree, path: Path): Tree {
  const copy = structuredClone(tree) as Record<string, unknown>;
  const holder = holderAt(copy, path.slice(0, -1));
  const last = path.at(-1);
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete (holder as Record<string, unknown>)[String(last)];
  return copy;
}

function holderAt(tree: unknown, path: Path): unknown {
  let holder = tree;
  for (const step of path) holder = (holder as Record<string | number, unknown>)[step];
  return holder;
}

/** `messages[0].content`. */
export function said(path: Path): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  );
}
