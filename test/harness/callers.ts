/**
 * One caller for each wire format, each like a client of that format: bodies written by hand, turns
 * returned as they came.
 */

import type { FormatName } from '../../src/formats/format.ts';

export interface RequestOptions {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly CallerTool[];
  /** The answer must fit this schema. */
  readonly schema?: object;
  /** Fields of the format itself. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface CallerTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
}

export type Json = Record<string, unknown>;

export interface Caller {
  readonly format: FormatName;
  path(options: RequestOptions): string;
  /** A conversation of these turns; a text is what the user says. */
  body(turns: readonly unknown[], options: RequestOptions): Json;
  /** The turns that a whole reply adds to the conversation. */
  echo(reply: Json): unknown[];
  /** The turns that answer every call of a whole reply with this text. Absent where the format has no tools. */
  answer?(reply: Json, text: string): unknown[];
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? value : []) as Json[];
const first = (value: unknown): Json => list(value)[0] ?? {};
const streams = ({ stream }: RequestOptions): Json => (stream === true ? { stream } : {});

const chat: Caller = {
  format: 'openai-chat',
  path: () => '/chat/completions',
  body: (turns, options) => ({
    model: options.model,
    messages: turns.map((turn) => (typeof turn === 'string' ? { role: 'user', content: turn } : turn)),
    ...(options.stream === true && { stream: true, stream_options: { include_usage: true } }),
    ...(options.tools && { tools: options.tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(options.schema && {
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: options.schema } },
    }),
    ...options.fields,
  }),
  echo: (reply) => [first(reply.choices).message],
  answer: (reply, text) =>
    list((first(reply.choices).message as Json).tool_calls).map(({ id }) => ({
      role: 'tool',
      tool_call_id: id,
      content: text,
    })),
};

const completions: Caller = {
  format: 'openai-completions',
  path: () => '/completions',
  body: (turns, options) => ({
    model: options.model,
    prompt: turns.join('\n'),
    ...(options.stream === true && { stream: true, stream_options: { include_usage: true } }),
    ...options.fields,
  }),
  echo: (reply) => [first(reply.choices).text],
};

const responses: Caller = {
  format: 'openai-responses',
  path: () => '/responses',
  body: (turns, options) => ({
    model: options.model,
    input: turns.map((turn) => (typeof turn === 'string' ? { role: 'user', content: turn } : turn)),
    ...streams(options),
    ...(options.tools && { tools: options.tools.map((tool) => ({ type: 'function', strict: false, ...tool })) }),
    ...(options.schema && { text: { format: { type: 'json_schema', name: 'answer', schema: options.schema } } }),
    ...options.fields,
  }),
  echo: (reply) => list(reply.output),
  answer: (reply, output) =>
    list(reply.output)
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id }) => ({ type: 'function_call_output', call_id, output })),
};

const messages: Caller = {
  format: 'anthropic-messages',
  path: () => '/messages',
  body: (turns, options) => ({
    model: options.model,
    max_tokens: 4096,
    messages: turns.map((turn) => (typeof turn === 'string' ? { role: 'user', content: turn } : turn)),
    ...streams(options),
    ...(options.tools && {
      tools: options.tools.map(({ name, description, parameters }) => ({
        name,
        description,
        input_schema: parameters,
      })),
    }),
    ...(options.schema && { output_config: { format: { type: 'json_schema', schema: options.schema } } }),
    ...options.fields,
  }),
  echo: (reply) => [{ role: 'assistant', content: reply.content }],
  answer: (reply, content) => [
    {
      role: 'user',
      content: list(reply.content)
        .filter(({ type }) => type === 'tool_use')
        .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content })),
    },
  ],
};

const generate: Caller = {
  format: 'gemini-generate',
  path: ({ model, stream }) =>
    stream === true ? `/models/${model}:streamGenerateContent?alt=sse` : `/models/${model}:generateContent`,
  body: (turns, options) => ({
    contents: turns.map((turn) => (typeof turn === 'string' ? { role: 'user', parts: [{ text: turn }] } : turn)),
    ...(options.tools && {
      tools: [
        {
          functionDeclarations: options.tools.map(({ name, description, parameters }) => ({
            name,
            description,
            parametersJsonSchema: parameters,
          })),
        },
      ],
    }),
    ...(options.schema && {
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema: options.schema },
    }),
    ...options.fields,
  }),
  echo: (reply) => [first(reply.candidates).content],
  answer: (reply, output) => [
    {
      role: 'user',
      parts: list((first(reply.candidates).content as Json).parts).flatMap((part) => {
        const call = part.functionCall as Json | undefined;
        return call === undefined ? [] : [{ functionResponse: { id: call.id, name: call.name, response: { output } } }];
      }),
    },
  ],
};

export const callers: readonly Caller[] = [chat, completions, responses, messages, generate];
