/** Anthropic Messages, what the fields of a request can do. https://docs.anthropic.com/en/api/messages (read 2026-11-19). */

import type { Tree } from '../../conversation/json-tree.ts';
import {
  cacheControl,
  type Field,
  type FieldTable,
  fieldsOf,
  type HostedTool,
  type RequestFields,
} from '../fields/field-table.ts';
import { hostedToolName } from '../fields/hosted-tools.ts';
import { routingFields } from '../fields/routing-fields.ts';

const hop: FieldTable = fieldsOf('plain', 'model');

/** Blocks hold blocks: results of tools, and documents made of them. */
const blocks: Record<string, Field> = {
  ...fieldsOf(
    'plain',
    'type text title context id name tool_use_id is_error thinking signature data file_id server_name tool_name',
    'encrypted_content toolset_name',
    // Of results of tools that the service ran earlier.
    'url page_age retrieved_at error_code error_message stop_reason return_code stdout stderr encrypted_stdout',
    'file_type num_lines start_line total_lines is_file_update lines old_start old_lines new_start new_lines',
    'mcp_server_name',
  ),
  ...fieldsOf('opaque', 'input trigger caller tool_references tabs state_changes'),
  transformations: fieldsOf('plain', 'oversized_image'),
  // A tool may be declared in the middle of a conversation.
  tool: { ...fieldsOf('plain', 'type name server_name'), definition: 'tools' },
  tools: 'tools',
  cache_control: cacheControl,
  from: hop,
  to: hop,
};
blocks['content'] = blocks;
blocks['source'] = { ...fieldsOf('plain', 'type media_type data url file_id'), content: blocks };
blocks['citations'] = 'opaque';
blocks['tool_changes'] = blocks;

const table: FieldTable = {
  ...fieldsOf(
    'plain',
    'model max_tokens stream stop_sequences temperature top_p top_k service_tier speed inference_geo betas',
    'user_profile_id workspace_id',
  ),
  ...fieldsOf('opaque', 'metadata'),
  thinking: {
    ...fieldsOf('plain', 'type budget_tokens display'),
    block_binding: fieldsOf('plain', 'prefix_mismatch_behavior'),
  },
  tool_choice: fieldsOf('plain', 'type name disable_parallel_tool_use'),
  output_config: {
    ...fieldsOf('plain', 'effort'),
    format: { ...fieldsOf('plain', 'type'), schema: 'opaque' },
    task_budget: fieldsOf('plain', 'type total remaining'),
  },
  output_format: { ...fieldsOf('plain', 'type name'), schema: 'opaque' },
  context_management: {
    edits: {
      ...fieldsOf('plain', 'type instructions pause_after_compaction clear_tool_inputs exclude_tools'),
      ...fieldsOf('opaque', 'trigger keep clear_at_least'),
    },
  },
  compaction: fieldsOf('plain', 'type instructions'),
  container: { ...fieldsOf('plain', 'id'), skills: fieldsOf('plain', 'type skill_id version') },
  diagnostics: fieldsOf('plain', 'previous_message_id'),
  thread: fieldsOf('plain', 'type id thread_id last_message_id previous_message_id ttl'),
  fallback_credit_token: fieldsOf('plain', 'token mode'),
  cache_control: cacheControl,
  ...routingFields,
  system: blocks,
  messages: {
    ...fieldsOf('plain', 'role name id type clear_at'),
    output_config: fieldsOf('plain', 'effort'),
    content: blocks,
  },
  tools: 'tools',
  mcp_servers: 'tool:mcp',
};

/** Tools without a type are the caller's own; some types are descriptions of tools that the caller runs. */
export function isOwnTool({ type, id }: Tree): boolean {
  if (typeof type !== 'string') return typeof id !== 'string';
  return type === 'custom' || /^(?:bash|text_editor|computer|memory|computer_toolset|browser_toolset)_\d+$/.test(type);
}

function hostedIn(tool: Tree): readonly HostedTool[] {
  return isOwnTool(tool) ? [] : [{ name: hostedToolName(String(tool.type ?? tool.id)) }];
}

export const fields: RequestFields = {
  table,
  hostedIn,
  // What an advising model writes is billed as its own tokens.
  withoutFee: new Set([
    'mcp',
    'mcp_toolset',
    'web_fetch',
    'advisor',
    'tool_search_tool_regex',
    'tool_search_tool_bm25',
  ]),
};
