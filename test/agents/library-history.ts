/** What the types of the official libraries hold in a continued conversation: results of hosted tools, and changes in the middle of it. */

import type * as Messages from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { Content, Part } from '@google/genai';
import type * as Responses from 'openai/resources/responses/responses';
import type { RecordedRequest } from './recorder.ts';

const model = 'sandbox-chat';
const seal = 'c2VhbA==';
/** What a tool brought is content, whatever model it mentions. */
const found = 'A page about gemini-2.5-pro and gpt-4o.';
const cache_control = { type: 'ephemeral', ttl: '5m' } as const;
const caller = { type: 'direct' } as const;

const searchResult = {
  type: 'web_search_result',
  title: found,
  url: 'https://example.com/gpt-4o',
  page_age: '1 day',
  encrypted_content: seal,
} satisfies Required<Messages.BetaWebSearchResultBlockParam>;

const codeResult = {
  type: 'code_execution_result',
  return_code: 0,
  stdout: found,
  stderr: '',
  content: [],
} satisfies Required<Messages.BetaCodeExecutionResultBlockParam>;

const shellResult = {
  type: 'bash_code_execution_result',
  return_code: 0,
  stdout: found,
  stderr: '',
  content: [],
} satisfies Required<Messages.BetaBashCodeExecutionResultBlockParam>;

const viewResult = {
  type: 'text_editor_code_execution_view_result',
  content: found,
  file_type: 'text',
  num_lines: 1,
  start_line: 1,
  total_lines: 1,
} satisfies Required<Messages.BetaTextEditorCodeExecutionViewResultBlockParam>;

const use = (name: string, id: string) => ({ type: 'server_tool_use', id, name, input: { query: found }, caller });

const messagesHistory = [
  use('web_search', 'srvtoolu_1'),
  { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [searchResult], caller, cache_control },
  use('code_execution', 'srvtoolu_2'),
  { type: 'code_execution_tool_result', tool_use_id: 'srvtoolu_2', content: codeResult, cache_control },
  use('bash_code_execution', 'srvtoolu_3'),
  { type: 'bash_code_execution_tool_result', tool_use_id: 'srvtoolu_3', content: shellResult, cache_control },
  use('text_editor_code_execution', 'srvtoolu_4'),
  { type: 'text_editor_code_execution_tool_result', tool_use_id: 'srvtoolu_4', content: viewResult, cache_control },
  use('web_fetch', 'srvtoolu_5'),
  {
    type: 'web_fetch_tool_result',
    tool_use_id: 'srvtoolu_5',
    content: { type: 'web_fetch_tool_result_error', error_code: 'unavailable' },
    caller,
  },
  { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'look', server_name: 'files', input: {} },
  { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', is_error: false, content: [{ type: 'text', text: found }] },
  { type: 'text', text: 'So.', citations: null },
];

const server = {
  type: 'url',
  name: 'files',
  url: 'https://example.com/mcp',
  authorization_token: 'a',
  tool_configuration: { enabled: true, allowed_tools: ['look'] },
} satisfies Required<Messages.BetaRequestMCPServerURLDefinition>;

const messages = {
  model,
  max_tokens: 2_048,
  messages: [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: messagesHistory },
    { role: 'user', content: 'y' },
  ],
  mcp_servers: [server],
};

const drawn = {
  type: 'image_generation_call',
  id: 'ig_1',
  status: 'completed',
  result: 'iVBORw0KGgo=',
} satisfies Responses.ResponseInputItem.ImageGenerationCall;

const responses = {
  model,
  store: false,
  input: [
    { role: 'user', content: 'x' },
    { ...drawn, background: 'auto', output_format: 'png', quality: 'auto', size: '1024x1024', revised_prompt: found },
    { type: 'tool_search_call', execution: 'client', call_id: 'c1', arguments: { query: found }, status: 'completed' },
    { type: 'tool_search_output', execution: 'client', call_id: 'c1', tools: [], status: 'completed' },
    { role: 'user', content: 'y' },
  ],
  tools: [
    {
      type: 'tool_search',
      execution: 'client',
      description: 'Finds tools.',
      parameters: { type: 'object', properties: { query: { type: 'string', description: found } } },
    },
  ],
};

const parts: readonly Part[] = [
  { executableCode: { code: found, language: 'PYTHON' as never, id: 'a' } },
  { codeExecutionResult: { outcome: 'OUTCOME_OK' as never, output: found, id: 'a' } },
  { text: 'So.', thoughtSignature: seal },
];

const generate = {
  contents: [
    { role: 'user', parts: [{ text: 'x' }] },
    { role: 'model', parts: [...parts] },
    { role: 'user', parts: [{ text: 'y' }] },
  ] satisfies Content[],
};

export const libraryHistories: readonly (readonly [name: string, request: RecordedRequest])[] = [
  ['anthropic, results of tools', { path: '/v1/messages', body: messages }],
  ['openai, earlier items', { path: '/v1/responses', body: responses }],
  ['google, code that ran', { path: `/v1beta/models/${model}:generateContent`, body: generate }],
];
