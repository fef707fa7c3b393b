/** OpenAI Responses, what the fields of a request can do. https://platform.openai.com/docs/api-reference/responses/create (read 2026-11-19). */

import type { Tree } from '../../conversation/json-tree.ts';
import { carries, carriesByKind } from '../fields/carried-fields.ts';
import {
  type Carried,
  carried,
  type FieldTable,
  fieldsOf,
  type HostedTool,
  type RequestFields,
} from '../fields/field-table.ts';
import { hostedToolName } from '../fields/hosted-tools.ts';
import { hostedIn as chatToolIn, settings, toolChoice } from '../openai-chat/fields.ts';

const byType = ({ type }: Tree): unknown => type;
const mark = 'prompt_cache_breakpoint';

/** Annotations of other kinds stay whole. */
const annotations: FieldTable = {
  [carried]: carriesByKind(byType, { url_citation: 'type url title start_index end_index' }),
};

export const parts: FieldTable = {
  ...fieldsOf('plain', 'type text refusal detail file_data file_id file_url filename image_url'),
  ...fieldsOf('opaque', 'annotations logprobs'),
  input_audio: fieldsOf('plain', 'data format'),
  // No other format has the lifetimes of this format's cache marks.
  prompt_cache_breakpoint: { ...fieldsOf('plain', 'mode ttl'), [carried]: carries('mode') },
  [carried]: carriesByKind(
    byType,
    {
      input_text: `type text ${mark}`,
      text: `type text ${mark}`,
      summary_text: `type text ${mark}`,
      output_text: 'type text annotations logprobs',
      refusal: 'type refusal',
      input_image: `type image_url file_id detail ${mark}`,
      input_file: `type file_data file_url file_id filename ${mark}`,
      input_audio: 'type input_audio',
      input_video: 'type video_url',
    },
    { inside: { image_url: { [carried]: carries('url') }, annotations } },
  ),
};

/** An item may change these in the middle of a conversation. */
const answering: FieldTable = {
  reasoning: {
    ...fieldsOf('plain', 'effort summary generate_summary context mode max_tokens enabled exclude'),
    [carried]: carries('effort summary generate_summary'),
  },
  text: {
    ...fieldsOf('plain', 'verbosity'),
    format: {
      ...fieldsOf('plain', 'type name description strict'),
      schema: 'opaque',
      [carried]: carriesByKind(byType, {
        text: 'type',
        json_object: 'type',
        json_schema: 'type name description strict schema',
      }),
    },
  },
};

// A client's own note to its service, on every item, means nothing to another one.
const everyItem = 'type id status internal_chat_message_metadata_passthrough';
const called = `${everyItem} call_id name caller`;

/** `type` of an item, with what else makes it one of another kind. */
function kindOfItem({ type = 'message', execution, call_id: id }: Tree): unknown {
  const isSearch = type === 'tool_search_call' || type === 'tool_search_output';
  return isSearch && (execution !== 'client' || typeof id !== 'string') ? undefined : type;
}

const grammar: FieldTable = {
  [carried]: carriesByKind(byType, { text: 'type', grammar: 'type syntax definition' }),
};

const place: FieldTable = { [carried]: carries('type city country region timezone') };

/** A function keeps its unknown fields; what is in those that are read is looked for. */
const declared: FieldTable = {
  [carried]: (table, tool) => declaredRows(tool)?.(table, tool),
};

const inTools = { tools: declared };
const namespaced = carries('type name description tools', { inside: inTools });
const searching = carries('type execution description parameters');
const keeping = carries('type', { keepsOthers: true });
const freeform = carries('format', { keepsOthers: true, inside: { format: grammar } });
const webSearch = carries('user_location', { keepsOthers: true, inside: { user_location: place } });

function declaredRows({ type, execution }: Tree): Carried | undefined {
  if (type === 'namespace') return namespaced;
  if (type === 'tool_search') return execution === 'client' ? searching : undefined;
  if (type === 'function') return keeping;
  if (type === 'custom') return freeform;
  return typeof type === 'string' && type.startsWith('web_search') ? webSearch : undefined;
}

const codeOutput: FieldTable = { [carried]: carriesByKind(byType, { logs: 'type logs', image: 'type url' }) };
const fileResult: FieldTable = { [carried]: carries('filename text') };

/** What the provider or the caller made earlier, in whatever shape, is content. */
export const items: FieldTable = {
  ...fieldsOf(
    'plain',
    'type id role status phase name call_id encrypted_content code container_id queries namespace',
    'server_label approval_request_id approve reason request_id max_output_length execution fingerprint created_by',
    'input result async background output_format quality size revised_prompt',
  ),
  ...fieldsOf(
    'opaque',
    'arguments svg_usage output outputs action actions results error operation environment caller acknowledged_safety_checks',
    'pending_safety_checks internal_chat_message_metadata_passthrough',
  ),
  summary: fieldsOf('plain', 'type text'),
  ...answering,
  content: parts,
  tools: 'tools',
  [carried]: itemsCarry({}),
};

/** Items of earlier turns: of what the provider ran, what a text can say of it. In a reply such an item stays whole. */
const earlierItems: FieldTable = {
  ...items,
  [carried]: itemsCarry({
    web_search_call: `${everyItem} action`,
    file_search_call: `${everyItem} queries results`,
    code_interpreter_call: `${everyItem} code outputs container_id`,
    mcp_call: `${everyItem} name server_label arguments output error`,
    image_generation_call: `${everyItem} result output_format`,
  }),
};

function itemsCarry(others: Readonly<Record<string, string>>): Carried {
  return carriesByKind(
    kindOfItem,
    {
      message: `${everyItem} role content`,
      function_call: `${called} namespace arguments`,
      custom_tool_call: `${called} namespace input`,
      function_call_output: `${called} output`,
      custom_tool_call_output: `${called} output`,
      reasoning: `${everyItem} summary content encrypted_content`,
      additional_tools: `${everyItem} role tools`,
      tool_search_call: `${everyItem} call_id execution arguments`,
      tool_search_output: `${everyItem} call_id execution tools`,
      compaction_trigger: 'type id',
      ...others,
    },
    { inside: { ...inTools, output: parts, outputs: codeOutput, results: fileResult } },
  );
}

/** Any other choice is kept as it is. */
const choice: FieldTable = {
  [carried]: carriesByKind(byType, { function: 'type name namespace', custom: 'type name namespace' }),
};

/** The fields of an event beside the items and parts in it, which are looked at on their own. */
export const eventTable: FieldTable = {
  [carried]: carries(
    'type sequence_number output_index content_index summary_index annotation_index item_id item part delta text ' +
      'arguments input refusal annotation logprobs response obfuscation code message param error name ' +
      'partial_image_index partial_image_b64 size quality background output_format headers status',
  ),
};

const counted = 'audio_tokens image_tokens text_tokens video_tokens';

/** What is counted beside these is no part of another format's usage. */
const usage: FieldTable = {
  [carried]: carries(
    'input_tokens output_tokens total_tokens input_tokens_details output_tokens_details server_side_tool_usage_details',
    {
      counts: true,
      inside: {
        input_tokens_details: {
          [carried]: carries(`cached_tokens cache_write_tokens cached_tokens_details ${counted}`, { counts: true }),
        },
        output_tokens_details: { [carried]: carries(`reasoning_tokens ${counted}`, { counts: true }) },
      },
    },
  ),
};

/** This format's fields of a reply beside its output: mostly an echo of the request, which the caller has. */
export const replyTable: FieldTable = {
  output: items,
  usage,
  [carried]: carries(
    'id object created_at completed_at status error incomplete_details model output usage background billing ' +
      'conversation frequency_penalty input instructions max_output_tokens max_tool_calls metadata moderation ' +
      'output_text parallel_tool_calls presence_penalty prompt previous_response_id prompt_cache_key ' +
      'prompt_cache_retention reasoning safety_identifier service_tier store temperature text tool_choice ' +
      'tool_usage tools top_logprobs top_p truncation user',
    { keepsOthers: true },
  ),
};

const table: FieldTable = {
  ...settings,
  ...fieldsOf(
    'plain',
    'instructions previous_response_id include truncation background max_output_tokens max_tool_calls',
    'parallel_tool_calls generate type',
  ),
  ...fieldsOf('opaque', 'client_metadata'),
  conversation: fieldsOf('plain', 'id'),
  prompt: { ...fieldsOf('plain', 'id version'), variables: 'opaque' },
  ...answering,
  access_programs: fieldsOf('plain', 'cyber'),
  image: fieldsOf('plain', 'context_compression'),
  context_management: fieldsOf('plain', 'type compact_threshold'),
  tool_choice: toolChoice,
  input: earlierItems,
  tools: 'tools',
  [carried]: carries(
    'model input instructions stream tools tool_choice parallel_tool_calls text reasoning include max_output_tokens ' +
      'temperature top_p presence_penalty frequency_penalty top_logprobs metadata user safety_identifier ' +
      'service_tier prompt_cache_key store previous_response_id',
    { keepsOthers: true, inside: { ...inTools, tool_choice: choice } },
  ),
};

/** Tools that the caller runs; the provider runs all others. */
const ownTools: ReadonlySet<unknown> = new Set([
  undefined,
  'function',
  'custom',
  'namespace',
  'local_shell',
  'apply_patch',
  'computer',
  'computer_use',
  'computer_use_preview',
]);

export function isOwnTool({ type, id, execution }: Tree): boolean {
  if (type === 'tool_search') return execution === 'client';
  return ownTools.has(type) && typeof id !== 'string';
}

function hostedIn(tool: Tree): readonly HostedTool[] {
  if (isOwnTool(tool)) return [];
  return typeof tool['type'] === 'string' ? [{ name: hostedToolName(tool['type']) }] : chatToolIn(tool);
}

export const fields: RequestFields = {
  table,
  hostedIn,
  withoutFee: new Set(['mcp', 'tool_search', 'web_fetch', 'advisor', 'programmatic_tool_calling']),
};
