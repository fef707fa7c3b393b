/** OpenAI Responses, what the fields of a request can do. https://platform.openai.com/docs/api-reference/responses/create (read 2026-11-19). */

import type { Tree } from '../../conversation/json-tree.ts';
import { type FieldTable, fieldsOf, type HostedTool, type RequestFields } from '../fields/field-table.ts';
import { hostedToolName } from '../fields/hosted-tools.ts';
import { hostedIn as chatToolIn, settings, toolChoice } from '../openai-chat/fields.ts';

const parts: FieldTable = {
  ...fieldsOf('plain', 'type text refusal detail file_data file_id file_url filename image_url'),
  ...fieldsOf('opaque', 'annotations logprobs'),
  input_audio: fieldsOf('plain', 'data format'),
  prompt_cache_breakpoint: fieldsOf('plain', 'mode ttl'),
};

/** An item may change these in the middle of a conversation. */
const answering: FieldTable = {
  reasoning: fieldsOf('plain', 'effort summary generate_summary context mode max_tokens enabled exclude'),
  text: {
    ...fieldsOf('plain', 'verbosity'),
    format: { ...fieldsOf('plain', 'type name description strict'), schema: 'opaque' },
  },
};

/** What the provider or the caller made earlier, in whatever shape, is content. */
const items: FieldTable = {
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
  input: items,
  tools: 'tools',
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
