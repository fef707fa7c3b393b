/**
 * What servers take of the formats that they copied: found by trying the server where one could be had, else by what its own
 * documentation or source says. Fields that are left out here are dropped by the server in silence.
 */

import type { CopiedFormat, TakenFields } from '../../formats/fields/copied-format.ts';

const text: TakenFields = { type: ['text'], text: true, cache_control: true };

/** A server of one's own caches by itself, so a mark says nothing that it must know. */
const blocksOf = (types: readonly string[], source: TakenFields): TakenFields => ({
  type: types,
  text: true,
  thinking: true,
  signature: true,
  id: true,
  name: true,
  input: true,
  caller: { type: ['direct'] },
  tool_use_id: true,
  is_error: [false],
  cache_control: true,
  source,
  content: { ...text, type: ['text', 'image'], source },
});

const inline: TakenFields = { type: ['base64'], media_type: true, data: true };

const plainTool: TakenFields = {
  type: ['custom'],
  name: true,
  description: true,
  input_schema: true,
  cache_control: true,
};

const sampling: TakenFields = {
  cache_control: true,
  model: true,
  max_tokens: true,
  stream: true,
  stop_sequences: true,
  temperature: true,
  top_p: true,
  top_k: true,
  // Whose request it is means nothing to a server of one's own.
  metadata: { user_id: true },
};

/** Tried with build 11549, read in the source of build 11434. */
export const llamaCppMessages: CopiedFormat = {
  source: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-chat.cpp',
  checked: '2026-11-20',
  takes: {
    ...sampling,
    chat_template_kwargs: true,
    system: text,
    messages: {
      role: ['user', 'assistant'],
      content: blocksOf(['text', 'thinking', 'image', 'tool_use', 'tool_result'], {
        ...inline,
        type: ['base64', 'url'],
        url: true,
      }),
    },
    // Its grammar holds every call to its schema.
    tools: { ...plainTool, strict: true },
    tool_choice: { type: ['auto', 'any'], disable_parallel_tool_use: [false] },
    thinking: { type: ['enabled'], budget_tokens: true },
  },
};

/** Its own format: what is dropped here is dropped in every other one too. */
export const llamaCppChat: CopiedFormat = {
  source: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-common.cpp',
  checked: '2026-11-20',
  takes: {
    '*': true,
    functions: false,
    function_call: false,
    web_search_options: false,
    modalities: ['text'],
    audio: false,
    prediction: false,
    verbosity: false,
    store: [false],
  },
};

/** Its list of what is and is not supported. */
export const ollamaMessages: CopiedFormat = {
  source: 'https://docs.ollama.com/api/anthropic-compatibility',
  checked: '2026-11-20',
  takes: {
    ...sampling,
    system: text,
    messages: {
      role: ['user', 'assistant'],
      content: blocksOf(['text', 'thinking', 'image', 'tool_use', 'tool_result'], inline),
    },
    tools: plainTool,
    tool_choice: { type: ['auto'], disable_parallel_tool_use: [false] },
    thinking: { type: ['enabled'], budget_tokens: true },
  },
};

/** Other items and types of tools are refused or dropped, and no choice among tools is read. */
export const ollamaResponses: CopiedFormat = {
  source: 'https://github.com/ollama/ollama/blob/main/openai/responses.go',
  checked: '2026-11-20',
  takes: {
    model: true,
    instructions: true,
    stream: true,
    temperature: true,
    top_p: true,
    max_output_tokens: true,
    // What would be included, it never has.
    include: true,
    store: true,
    truncation: ['disabled'],
    parallel_tool_calls: [true],
    prompt_cache_key: true,
    reasoning: { effort: true, summary: true, generate_summary: true },
    text: { format: { type: ['text', 'json_schema'], name: true, schema: true, strict: true } },
    input: {
      type: ['message', 'function_call', 'function_call_output', 'reasoning'],
      role: true,
      id: true,
      status: true,
      call_id: true,
      name: true,
      arguments: true,
      summary: true,
      encrypted_content: true,
      output: { type: ['input_text'], text: true },
      content: {
        type: ['input_text', 'output_text', 'input_image'],
        text: true,
        image_url: true,
        detail: true,
        annotations: true,
        logprobs: true,
      },
    },
    tools: { type: ['function'], name: true, description: true, strict: true, parameters: true },
    tool_choice: ['auto'],
  },
};

/** "container, mcp_servers, service_tier and top_k are ignored", `any` is taken for `auto`, and no block but these is known. */
export const deepseekMessages: CopiedFormat = {
  source: 'https://api-docs.deepseek.com/api/create-message',
  checked: '2026-11-20',
  takes: {
    '*': true,
    container: false,
    mcp_servers: false,
    service_tier: ['auto', 'standard_only'],
    top_k: false,
    tool_choice: { '*': true, type: ['auto', 'tool', 'none'] },
    messages: {
      '*': true,
      content: {
        '*': true,
        type: ['text', 'image', 'thinking', 'tool_use', 'tool_result', 'server_tool_use', 'web_search_tool_result'],
      },
    },
  },
};
