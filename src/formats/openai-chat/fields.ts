/** OpenAI Chat Completions, what the fields of a request can do. https://platform.openai.com/docs/api-reference/chat/create (read 2026-11-19). */

import type { Tree } from '../../conversation/json-tree.ts';
import { cacheControl, type FieldTable, fieldsOf, type HostedTool, type RequestFields } from '../fields/field-table.ts';
import { hostedToolName } from '../fields/hosted-tools.ts';
import { routingFields } from '../fields/routing-fields.ts';
import { serverFields } from '../fields/server-fields.ts';

const url: FieldTable = fieldsOf('plain', 'url detail format mime_type');

/** Those that other servers of the format add to a message or a part are among them. */
const parts: FieldTable = {
  ...fieldsOf('plain', 'type text refusal thinking signature id title detail fps min_pixels max_pixels'),
  ...fieldsOf('opaque', 'source context citations data document image video audio'),
  image_url: url,
  video_url: url,
  audio_url: url,
  input_image: url,
  input_audio: fieldsOf('plain', 'data format'),
  file: fieldsOf('plain', 'file_data file_id filename format'),
  cache_control: cacheControl,
  prompt_cache_breakpoint: fieldsOf('plain', 'mode ttl'),
};

const named: FieldTable = fieldsOf('plain', 'name arguments input');

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
  },
  prediction: { ...fieldsOf('plain', 'type'), content: parts },
  messages: {
    ...fieldsOf('plain', 'role name refusal tool_call_id reasoning reasoning_content prefix partial tool_name images'),
    ...fieldsOf('opaque', 'reasoning_details thinking_blocks annotations provider_specific_fields'),
    audio: fieldsOf('plain', 'id data expires_at transcript'),
    function_call: named,
    content: parts,
    cache_control: cacheControl,
    tool_calls: {
      ...fieldsOf('plain', 'id type index'),
      function: named,
      custom: named,
      extra_content: 'opaque',
      cache_control: cacheControl,
    },
  },
  tools: 'tools',
};

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
