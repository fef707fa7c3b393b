/** OpenAI responses: output items. https://platform.openai.com/docs/api-reference/responses/object (read 2026-11-16). */

import { z } from 'zod';
import { inputPart, messagePart, reasoningText, summaryText } from './content.ts';
import { tool } from './tools.ts';

const text = z.string();
const id = text.min(1);
const count = z.int().nonnegative();
const open = z.record(text, z.unknown());
const status = z.enum(['in_progress', 'completed', 'incomplete']);
const createdBy = { created_by: text.optional() };

const caller = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('direct') }),
    z.strictObject({ type: z.literal('program'), caller_id: text }),
  ])
  .nullable()
  .optional();

export const phase = z.enum(['commentary', 'final_answer']).nullable().optional();

export const outputMessage = z.strictObject({
  type: z.literal('message'),
  id,
  role: z.literal('assistant'),
  status,
  content: z.array(messagePart),
  phase,
});

export const functionCall = z.strictObject({
  type: z.literal('function_call'),
  id: id.optional(),
  call_id: id,
  caller,
  namespace: text.optional(),
  name: text.min(1),
  arguments: text,
  status: status.optional(),
});

const callOutput = z.union([text, z.array(inputPart)]);
const functionCallOutput = z.strictObject({
  type: z.literal('function_call_output'),
  id,
  call_id: text.optional(),
  name: text.optional(),
  namespace: text.optional(),
  caller,
  output: callOutput,
  status,
  ...createdBy,
});

export const customToolCall = z.strictObject({
  type: z.literal('custom_tool_call'),
  id: id.optional(),
  call_id: id,
  caller,
  namespace: text.optional(),
  name: text.min(1),
  input: text,
  // Sent by the service, as for functions; the table of the reference does not list it.
  status: status.optional(),
});
const customToolCallOutput = z.strictObject({
  type: z.literal('custom_tool_call_output'),
  id,
  call_id: id,
  caller,
  output: callOutput,
  status,
  ...createdBy,
});

export const reasoning = z.strictObject({
  type: z.literal('reasoning'),
  id,
  encrypted_content: text.nullable().optional(),
  summary: z.array(summaryText),
  content: z.array(reasoningText).optional(),
  status: status.optional(),
});

export const fileSearchCall = z.strictObject({
  type: z.literal('file_search_call'),
  id,
  status: z.enum(['in_progress', 'searching', 'completed', 'incomplete', 'failed']),
  queries: z.array(text),
  results: z
    .array(
      z.strictObject({
        file_id: text.optional(),
        text: text.optional(),
        filename: text.optional(),
        attributes: z
          .record(text, z.union([text, z.number(), z.boolean()]))
          .nullable()
          .optional(),
        score: z.number().optional(),
      }),
    )
    .nullable()
    .optional(),
});

const webAction = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('search'),
    query: text.optional(),
    queries: z.array(text).optional(),
    sources: z.array(z.strictObject({ type: z.literal('url'), url: text })).optional(),
  }),
  z.strictObject({ type: z.literal('open_page'), url: text.nullable().optional() }),
  z.strictObject({ type: z.literal('find_in_page'), url: text, pattern: text }),
]);
export const webSearchCall = z.strictObject({
  type: z.literal('web_search_call'),
  id,
  status: z.enum(['in_progress', 'searching', 'completed', 'failed']),
  action: webAction,
});

const keys = z.array(text).nullable();
const point = { x: z.int(), y: z.int() };
const computerAction = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('click'),
    button: z.enum(['left', 'right', 'wheel', 'back', 'forward']),
    ...point,
    keys: keys.optional(),
  }),
  z.strictObject({ type: z.literal('double_click'), ...point, keys }),
  z.strictObject({ type: z.literal('drag'), path: z.array(z.strictObject(point)), keys: keys.optional() }),
  z.strictObject({ type: z.literal('keypress'), keys: z.array(text) }),
  z.strictObject({ type: z.literal('move'), ...point, keys: keys.optional() }),
  z.strictObject({ type: z.literal('screenshot') }),
  z.strictObject({ type: z.literal('scroll'), ...point, scroll_x: z.int(), scroll_y: z.int(), keys: keys.optional() }),
  z.strictObject({ type: z.literal('type'), text }),
  z.strictObject({ type: z.literal('wait') }),
]);
const safetyCheck = z.strictObject({ id, code: text.nullable().optional(), message: text.nullable().optional() });
export const computerCall = z.strictObject({
  type: z.literal('computer_call'),
  id,
  call_id: id,
  action: computerAction.optional(),
  actions: z.array(computerAction).optional(),
  pending_safety_checks: z.array(safetyCheck),
  status,
});
const computerCallOutput = z.strictObject({
  type: z.literal('computer_call_output'),
  id,
  call_id: id,
  acknowledged_safety_checks: z.array(safetyCheck).optional(),
  output: z.strictObject({
    type: z.literal('computer_screenshot'),
    image_url: text.optional(),
    file_id: text.optional(),
  }),
  status: z.enum(['completed', 'incomplete', 'failed']),
  ...createdBy,
});

export const codeInterpreterCall = z.strictObject({
  type: z.literal('code_interpreter_call'),
  id,
  status: z.enum(['in_progress', 'completed', 'incomplete', 'interpreting', 'failed']),
  container_id: text,
  code: text.nullable(),
  outputs: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('logs'), logs: text }),
        z.strictObject({ type: z.literal('image'), url: text }),
      ]),
    )
    .nullable(),
});

export const imageCall = z.strictObject({
  type: z.literal('image_generation_call'),
  id,
  status: z.enum(['in_progress', 'completed', 'generating', 'failed']),
  result: text.nullable(),
});

export const localShellCall = z.strictObject({
  type: z.literal('local_shell_call'),
  id,
  call_id: id,
  action: z.strictObject({
    type: z.literal('exec'),
    command: z.array(text),
    timeout_ms: count.nullable().optional(),
    working_directory: text.nullable().optional(),
    env: z.record(text, text),
    user: text.nullable().optional(),
  }),
  status,
});
export const localShellCallOutput = z.strictObject({
  type: z.literal('local_shell_call_output'),
  id,
  call_id: id.optional(),
  output: text,
  status: status.nullable().optional(),
});

const shellCall = z.strictObject({
  type: z.literal('shell_call'),
  id,
  call_id: id,
  caller,
  action: z.strictObject({
    commands: z.array(text),
    timeout_ms: count.nullable(),
    max_output_length: count.nullable(),
  }),
  status,
  environment: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('local') }),
      z.strictObject({ type: z.literal('container_reference'), container_id: text }),
    ])
    .nullable(),
  ...createdBy,
});
export const shellOutput = z.strictObject({
  stdout: text,
  stderr: text,
  outcome: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('timeout') }),
    z.strictObject({ type: z.literal('exit'), exit_code: z.int() }),
  ]),
  ...createdBy,
});
const shellCallOutput = z.strictObject({
  type: z.literal('shell_call_output'),
  id,
  call_id: id,
  caller,
  status,
  output: z.array(shellOutput),
  max_output_length: count.nullable(),
  ...createdBy,
});

export const patchOperation = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('create_file'), path: text, diff: text }),
  z.strictObject({ type: z.literal('delete_file'), path: text }),
  z.strictObject({ type: z.literal('update_file'), path: text, diff: text }),
]);
const applyPatchCall = z.strictObject({
  type: z.literal('apply_patch_call'),
  id,
  call_id: id,
  caller,
  status: z.enum(['in_progress', 'completed']),
  operation: patchOperation,
  ...createdBy,
});
const applyPatchCallOutput = z.strictObject({
  type: z.literal('apply_patch_call_output'),
  id,
  call_id: id,
  caller,
  status: z.enum(['completed', 'failed']),
  output: text.nullable().optional(),
  ...createdBy,
});

const mcpError = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('mcp_protocol_error'), code: z.int(), message: text }),
  z.strictObject({ type: z.literal('mcp_tool_execution_error'), content: z.unknown() }),
  z.strictObject({ type: z.literal('http_error'), code: z.int(), message: text }),
]);
export const mcpCall = z.strictObject({
  type: z.literal('mcp_call'),
  id,
  server_label: text,
  name: text,
  arguments: text,
  output: text.nullable().optional(),
  error: mcpError.nullable().optional(),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'calling', 'failed']).optional(),
  approval_request_id: text.nullable().optional(),
});
export const mcpListTools = z.strictObject({
  type: z.literal('mcp_list_tools'),
  id,
  server_label: text,
  tools: z.array(
    z.strictObject({
      name: text,
      description: text.nullable().optional(),
      input_schema: open,
      annotations: open.nullable().optional(),
    }),
  ),
  error: text.nullable().optional(),
});
export const mcpApprovalRequest = z.strictObject({
  type: z.literal('mcp_approval_request'),
  id,
  server_label: text,
  name: text,
  arguments: text,
});
const mcpApprovalResponse = z.strictObject({
  type: z.literal('mcp_approval_response'),
  id,
  approval_request_id: text,
  approve: z.boolean(),
  reason: text.nullable().optional(),
});

const toolSearch = { id, call_id: text.nullable(), execution: z.enum(['server', 'client']), status, ...createdBy };
const roles = ['unknown', 'user', 'assistant', 'system', 'critic', 'discriminator', 'developer', 'tool'] as const;
const program = { id, call_id: id };

export const programItems = [
  z.strictObject({ type: z.literal('program'), ...program, code: text, fingerprint: text }),
  z.strictObject({
    type: z.literal('program_output'),
    ...program,
    result: text,
    status: z.enum(['completed', 'incomplete']),
  }),
] as const;

export const outputItem = z.discriminatedUnion('type', [
  outputMessage,
  functionCall,
  functionCallOutput,
  customToolCall,
  customToolCallOutput,
  reasoning,
  fileSearchCall,
  webSearchCall,
  computerCall,
  computerCallOutput,
  codeInterpreterCall,
  imageCall,
  localShellCall,
  localShellCallOutput,
  shellCall,
  shellCallOutput,
  applyPatchCall,
  applyPatchCallOutput,
  mcpCall,
  mcpListTools,
  mcpApprovalRequest,
  mcpApprovalResponse,
  ...programItems,
  z.strictObject({ type: z.literal('tool_search_call'), ...toolSearch, arguments: z.unknown() }),
  z.strictObject({ type: z.literal('tool_search_output'), ...toolSearch, tools: z.array(tool) }),
  z.strictObject({ type: z.literal('additional_tools'), id, role: z.enum(roles), tools: z.array(tool) }),
  z.strictObject({ type: z.literal('compaction'), id, encrypted_content: text, ...createdBy }),
]);
