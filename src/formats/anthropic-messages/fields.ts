/** Anthropic Messages, what the fields of a request can do. https://docs.anthropic.com/en/api/messages (read 2026-11-19). */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { carries, carriesByKind } from '../fields/carried-fields.ts';
import {
  type Carried,
  cacheControl,
  carried,
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
const rows: Record<string, Field> = {
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
const byType = ({ type }: Tree): unknown => type;
const sources = {
  base64: 'type media_type data',
  text: 'type media_type data',
  url: 'type url',
  file: 'type file_id',
  content: 'type content',
};

/** Of a document whether it may be cited, of a text what the model cited; other kinds of places stay whole. */
const citing: FieldTable = {
  [carried]: carriesByKind(({ type }) => (type === undefined ? 'asked' : type), {
    asked: 'enabled',
    // `encrypted_index` is the provider's proof of its own search.
    web_search_result_location: 'type url title cited_text encrypted_index',
    search_result_location: 'type source title cited_text',
  }),
};

/** Blocks that are read part by part; an image or a document of another source stays whole, as all other blocks do. */
function kindOfBlock({ type, source }: Tree): unknown {
  if (type !== 'image' && type !== 'document') return isRanResult(type) ? 'ran' : type;
  return isObject(source) && Object.hasOwn(sources, String(source.type)) ? type : undefined;
}

/** Of a tool that the service ran: its texts, addresses and names are read wherever they stand in it. */
const isRanResult = (type: unknown): boolean => typeof type === 'string' && type.endsWith('_tool_result');

const blocksCarry = (others: Readonly<Record<string, string>>): Carried =>
  carriesByKind(
    kindOfBlock,
    {
      text: 'type text citations cache_control',
      thinking: 'type thinking signature',
      redacted_thinking: 'type data',
      tool_use: 'type id name input caller cache_control',
      tool_result: 'type tool_use_id content is_error cache_control',
      tool_reference: 'type tool_name',
      image: 'type source cache_control',
      document: 'type source title context citations cache_control',
      ...others,
    },
    { inside: { citations: citing } },
  );

/** Of blocks that only this format has, what a text can say of them. In a reply they stay whole. */
const blocks: FieldTable = Object.assign(rows, {
  [carried]: blocksCarry({
    search_result: 'type title source content citations cache_control',
    server_tool_use: 'type id name input',
    mcp_tool_use: 'type id name server_name input',
    ran: 'type tool_use_id content is_error',
  }),
});
const replyBlocks: FieldTable = {};
const source = { ...fieldsOf('plain', 'type media_type data url file_id'), content: blocks };
Object.assign(rows, {
  content: blocks,
  source: { ...source, [carried]: carriesByKind(byType, sources) },
  citations: 'opaque',
  tool_changes: blocks,
});

Object.assign(replyBlocks, rows, { [carried]: blocksCarry({}) });

/** What a block of a stream begins with, and its pieces; those of blocks that stay whole are put together as they are. */
export const eventTable: FieldTable = {
  content_block: replyBlocks,
  delta: {
    [carried]: carriesByKind(
      byType,
      {
        text_delta: 'type text',
        thinking_delta: 'type thinking estimated_tokens',
        signature_delta: 'type signature',
        input_json_delta: 'type partial_json',
        citations_delta: 'type citation',
      },
      { inside: { citation: citing } },
    ),
  },
  [carried]: carriesByKind(byType, {
    content_block_start: 'type index content_block',
    content_block_delta: 'type index delta',
    content_block_stop: 'type index',
    message_start: 'type message',
    message_stop: 'type',
  }),
};

/** The fields of a whole reply. */
export const replyTable: FieldTable = {
  content: replyBlocks,
  [carried]: carries('id type role model content stop_reason stop_sequence usage', { keepsOthers: true }),
};

const place: FieldTable = { [carried]: carries('type city country region timezone') };

/** Tools keep their unknown fields; what is in those that are read is looked for. */
const declared: FieldTable = {
  cache_control: cacheControl,
  [carried]: carriesByKind(
    ({ type }) =>
      typeof type !== 'string' || type === 'custom' ? 'own' : type.startsWith('web_search_') ? 'search' : undefined,
    { own: 'cache_control', search: 'user_location' },
    { keepsOthers: true, inside: { user_location: place } },
  ),
};

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
    [carried]: carries('type budget_tokens display'),
  },
  tool_choice: fieldsOf('plain', 'type name disable_parallel_tool_use'),
  output_config: {
    ...fieldsOf('plain', 'effort'),
    format: { ...fieldsOf('plain', 'type'), schema: 'opaque' },
    task_budget: fieldsOf('plain', 'type total remaining'),
    [carried]: carries('effort format', { keepsOthers: true }),
  },
  output_format: { ...fieldsOf('plain', 'type name'), schema: 'opaque', [carried]: carries('type schema') },
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
    [carried]: carries('role content'),
  },
  tools: 'tools',
  mcp_servers: 'tool:mcp',
  [carried]: carries(
    'model messages system max_tokens stream stop_sequences temperature top_p top_k tools tool_choice thinking ' +
      'output_config output_format metadata service_tier',
    { keepsOthers: true, inside: { tools: declared } },
  ),
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
