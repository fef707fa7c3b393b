/** OpenAI Chat Completions, what the fields of a request can do. https://platform.openai.com/docs/api-reference/chat/create (read 2026-11-19). */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { carries, carriesByKind, keptWhole } from '../fields/carried-fields.ts';
import {
  cacheControl,
  carried,
  type FieldTable,
  fieldsOf,
  type HostedTool,
  type RequestFields,
} from '../fields/field-table.ts';
import { hostedToolName } from '../fields/hosted-tools.ts';
import { routingFields } from '../fields/routing-fields.ts';
import { serverFields } from '../fields/server-fields.ts';

const url: FieldTable = { ...fieldsOf('plain', 'url detail format mime_type'), [carried]: carries('url detail') };

const byType = ({ type }: Tree): unknown => type;
const cacheMark: FieldTable = fieldsOf('plain', 'mode ttl');
const marks = 'cache_control prompt_cache_breakpoint';

/** Those that other servers of the format add to a message or a part are among them. */
const parts: FieldTable = {
  ...fieldsOf('plain', 'type text refusal thinking signature id title detail fps min_pixels max_pixels'),
  ...fieldsOf('opaque', 'source context citations data document image video audio'),
  image_url: url,
  video_url: url,
  audio_url: url,
  input_image: url,
  input_audio: fieldsOf('plain', 'data format'),
  file: { ...fieldsOf('plain', 'file_data file_id filename format'), [carried]: carries('file_data file_id filename') },
  cache_control: cacheControl,
  prompt_cache_breakpoint: cacheMark,
  [carried]: carriesByKind(byType, {
    text: `type text ${marks}`,
    input_text: `type text ${marks}`,
    output_text: `type text ${marks}`,
    thinking: 'type thinking',
    refusal: 'type refusal',
    image_url: `type image_url ${marks}`,
    video_url: `type video_url ${marks}`,
    input_audio: `type input_audio ${marks}`,
    file: `type file ${marks}`,
  }),
};

const named: FieldTable = fieldsOf('plain', 'name arguments input');
const called = { function: { [carried]: carries('name arguments') }, custom: { [carried]: carries('name input') } };
const signature: FieldTable = {
  [carried]: carries('google', { inside: { google: { [carried]: carries('thought_signature') } } }),
};

/** Shared with the formats that were made after this one. */
export const settings: FieldTable = {
  ...serverFields,
  ...fieldsOf(
    'plain',
    'model stream n stop seed user temperature top_p top_k min_p top_a presence_penalty frequency_penalty',
    'repetition_penalty logprobs top_logprobs max_tokens max_completion_tokens service_tier speed store',
    'reasoning_effort verbosity safety_identifier prompt_cache_key prompt_cache_retention',
  ),
  ...fieldsOf('opaque', 'logit_bias metadata'),
  stream_options: fieldsOf('plain', 'include_usage include_obfuscation chunk_include_usage continuous_usage_stats'),
  prompt_cache_options: fieldsOf('plain', 'mode ttl prewarm comparison_response_id'),
  ...routingFields,
  moderation: { policy: 'opaque', model: 'model' },
};

export const toolChoice: FieldTable = {
  ...fieldsOf('plain', 'type name mode disable_parallel_tool_use server_label'),
  function: named,
  custom: named,
  tools: 'opaque',
  allowed_tools: { ...fieldsOf('plain', 'mode'), tools: 'opaque' },
  [carried]: carriesByKind(
    ({ type, name }) => (isNamedChoice(type) ? type : typeof name === 'string' ? 'named' : undefined),
    {
      function: 'type name function',
      custom: 'type name custom',
      allowed_tools: 'type mode tools allowed_tools',
      named: 'type name',
    },
    { inside: { function: { [carried]: carries('name') }, custom: { [carried]: carries('name') } } },
  ),
};

const isNamedChoice = (type: unknown): boolean => type === 'function' || type === 'custom' || type === 'allowed_tools';

const grammar: FieldTable = { [carried]: carries('syntax definition') };
const freeform: FieldTable = { [carried]: carries('type grammar', { inside: { grammar } }) };

/** Tools keep their unknown fields; what is in those that are read is looked for. */
export const declared: FieldTable = {
  [carried]: carriesByKind(
    ({ type, function: called, custom }) => (isObject(called) ? 'function' : isObject(custom) ? type : undefined),
    { function: marks, custom: `custom ${marks}` },
    {
      keepsOthers: true,
      inside: {
        custom: { [carried]: carries('format', { keepsOthers: true, inside: { format: freeform } }) },
        cache_control: cacheControl,
        prompt_cache_breakpoint: cacheMark,
      },
    },
  ),
};

const placed: FieldTable = {
  [carried]: carries('type approximate', {
    inside: { approximate: { [carried]: carries('type city region country timezone') } },
  }),
};

/** What the reader understands of settings, also of those in shapes that other servers of the format have. */
const inside: Readonly<Record<string, FieldTable>> = {
  stream_options: { [carried]: carries('include_usage include_obfuscation') },
  reasoning: { [carried]: carries('effort max_tokens exclude enabled summary') },
  thinking: { [carried]: carries('type budget_tokens') },
  function_call: { [carried]: carries('name') },
  functions: keptWhole,
  tools: declared,
  web_search_options: { [carried]: carries('user_location', { keepsOthers: true, inside: { user_location: placed } }) },
  audio: {
    [carried]: carriesByKind(({ voice }) => (isObject(voice) ? undefined : 'named'), { named: 'voice format' }),
  },
};

/** Annotations of other kinds stay whole. */
const annotations: FieldTable = {
  [carried]: carriesByKind(
    ({ url_citation: cited }) => (isObject(cited) ? 'cited' : undefined),
    {
      cited: 'type url_citation',
    },
    { inside: { url_citation: { [carried]: carries('url title content start_index end_index') } } },
  ),
};

/** Of a request and of a reply. */
const toolCalls: FieldTable = {
  ...fieldsOf('plain', 'id type index'),
  function: named,
  custom: named,
  extra_content: 'opaque',
  cache_control: cacheControl,
  [carried]: carriesByKind(
    (call) => (isObject(call.function) ? 'function' : isObject(call.custom) ? 'custom' : undefined),
    { function: 'id type index function extra_content cache_control', custom: 'id type index custom' },
    { inside: { ...called, extra_content: signature } },
  ),
};

/** Of a whole reply and of its pieces. */
const answer: FieldTable = {
  content: parts,
  function_call: named,
  images: { type: 'plain', image_url: url, [carried]: carries('type index image_url') },
  audio: { [carried]: carries('id data expires_at transcript') },
  tool_calls: toolCalls,
  annotations,
  [carried]: carries(
    'role content refusal reasoning_content reasoning reasoning_details annotations tool_calls function_call audio images',
  ),
};

const token: FieldTable = {
  [carried]: carries('token logprob bytes top_logprobs', {
    inside: { top_logprobs: { [carried]: carries('token logprob bytes') } },
  }),
};

const counted = 'audio_tokens image_tokens text_tokens video_tokens';

/** What is counted beside these is no part of another format's usage. */
const usage: FieldTable = {
  [carried]: carries(
    'prompt_tokens completion_tokens total_tokens prompt_tokens_details completion_tokens_details reasoning_tokens ' +
      'prompt_cache_hit_tokens prompt_cache_miss_tokens cached_tokens cache_creation_input_tokens cache_creation ' +
      'service_tier cost is_byok cost_details num_search_queries server_tool_use server_side_tool_usage_details plugins',
    {
      counts: true,
      inside: {
        prompt_tokens_details: {
          [carried]: carries(`cached_tokens cache_write_tokens cache_creation cached_tokens_details ${counted}`, {
            counts: true,
          }),
        },
        completion_tokens_details: { [carried]: carries(`reasoning_tokens ${counted}`, { counts: true }) },
      },
    },
  ),
};

/** The fields of a reply, or of a chunk of one. */
export const replyTable: FieldTable = {
  usage,
  choices: {
    message: answer,
    delta: answer,
    logprobs: { content: token, [carried]: carries('content refusal') },
    [carried]: carries('index message delta logprobs finish_reason'),
  },
  // The last one is padding that hides the length of a reply in transit; it means nothing.
  [carried]: carries('id object created model choices usage service_tier citations obfuscation', {
    keepsOthers: true,
  }),
};

const table: FieldTable = {
  ...settings,
  ...fieldsOf('plain', 'parallel_tool_calls modalities'),
  tool_choice: toolChoice,
  function_call: named,
  functions: { ...fieldsOf('plain', 'name description'), parameters: 'opaque' },
  audio: { ...fieldsOf('plain', 'format'), voice: fieldsOf('plain', 'id') },
  response_format: {
    ...fieldsOf('plain', 'type'),
    ...fieldsOf('opaque', 'schema json'),
    json_schema: { ...fieldsOf('plain', 'name description strict'), schema: 'opaque' },
    [carried]: carriesByKind(byType, { text: 'type', json_object: 'type', json_schema: 'type json_schema' }),
  },
  prediction: { ...fieldsOf('plain', 'type'), content: parts },
  messages: {
    ...fieldsOf('plain', 'role name refusal tool_call_id reasoning reasoning_content prefix partial tool_name images'),
    ...fieldsOf('opaque', 'reasoning_details thinking_blocks annotations provider_specific_fields'),
    audio: fieldsOf('plain', 'id data expires_at transcript'),
    function_call: named,
    content: parts,
    cache_control: cacheControl,
    tool_calls: toolCalls,
    [carried]: carriesByKind(
      turnOf,
      {
        assistant:
          'role name content refusal reasoning_content reasoning reasoning_details tool_calls function_call annotations cache_control',
        tool: 'role name content tool_call_id cache_control',
        other: 'role name content cache_control',
      },
      { inside: { annotations } },
    ),
  },
  tools: 'tools',
  [carried]: carries(
    'model messages stream stream_options tools tool_choice functions function_call web_search_options ' +
      'parallel_tool_calls response_format max_tokens max_completion_tokens n stop temperature top_p top_k seed ' +
      'presence_penalty frequency_penalty reasoning_effort reasoning thinking logprobs top_logprobs logit_bias ' +
      'modalities audio verbosity service_tier metadata user safety_identifier prompt_cache_key store',
    { keepsOthers: true, inside },
  ),
};

function turnOf({ role }: Tree): string {
  return role === 'assistant' ? 'assistant' : role === 'tool' || role === 'function' ? 'tool' : 'other';
}

const ownTools: ReadonlySet<unknown> = new Set([undefined, null, 'function', 'custom']);

export const isOwnTool = (tool: Tree): boolean => hostedIn(tool).length === 0;

/** A plugin of a router has an id and no type. */
export function hostedIn({ type, id }: Tree): readonly HostedTool[] {
  if (!ownTools.has(type)) return [{ name: hostedToolName(String(type)) }];
  return typeof id === 'string' ? [{ name: hostedToolName(id === 'web' ? 'web_search' : id) }] : [];
}

export const fields: RequestFields = {
  table,
  hostedIn,
  withoutFee: new Set(['mcp', 'web_fetch', 'advisor', 'response_healing', 'context_compression', 'datetime']),
};
