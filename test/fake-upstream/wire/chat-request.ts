/** Reads a chat-format request as strictly as the original service does. */

import {
  filled,
  imageAt,
  type Json,
  knownFields,
  list,
  must,
  object,
  oneOf,
  parsed,
  type Seen,
  type SeenItem,
  type SeenTool,
  type SeenTurn,
  shown,
  text,
} from './seen.ts';

const fields = [
  'model',
  'messages',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'stop',
  'n',
  'seed',
  'user',
  'store',
  'metadata',
  'reasoning_effort',
  'presence_penalty',
  'frequency_penalty',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'verbosity',
  'service_tier',
  'prompt_cache_key',
  'functions',
  'function_call',
];

export function readChat(body: Json): Seen {
  knownFields(body, fields, 'body');
  const { system, turns } = readMessages(list(body.messages, 'messages'));
  const asked = body.reasoning_effort !== undefined;
  const options = body.stream_options === undefined ? {} : object(body.stream_options, 'stream_options');
  must(body.stream_options === undefined || body.stream === true, 'stream_options: only allowed when stream is true');
  return {
    system,
    turns,
    tools: body.tools === undefined ? [] : list(body.tools, 'tools').map(readTool),
    choice: readChoice(body.tool_choice),
    schema: readSchema(body.response_format),
    thinks: asked,
    showsThoughts: true,
    wantsSeals: true,
    maxTokens: body.max_tokens ?? body.max_completion_tokens,
    temperature: body.temperature,
    stop: body.stop === undefined ? [] : ([body.stop].flat() as string[]),
    wantsUsage: options.include_usage === true,
  };
}

function readMessages(messages: readonly unknown[]): { system: string[]; turns: SeenTurn[] } {
  must(messages.length > 0, 'messages: is empty');
  const system: string[] = [];
  const turns: SeenTurn[] = [];
  let waiting: string[] = [];
  for (const [index, entry] of messages.entries()) {
    const place = `messages[${index}]`;
    const message = object(entry, place);
    oneOf(message.role, ['system', 'developer', 'user', 'assistant', 'tool'], `${place}.role`);
    if (message.role !== 'tool') must(waiting.length === 0, `${place}: no tool message for ${waiting.join(', ')}`);
    if (message.role === 'tool') {
      const id = filled(message.tool_call_id, `${place}.tool_call_id`);
      must(waiting.includes(id), `${place}: ${id} is not a call of the turn before`);
      waiting = waiting.filter((other) => other !== id);
      const said = readContent(message.content, `${place}.content`);
      const last = turns.at(-1);
      const result: SeenItem = {
        kind: 'result',
        id,
        text: said.map((item) => ('text' in item ? item.text : '')).join(''),
      };
      if (last?.role === 'user') last.items.push(result);
      else turns.push({ role: 'user', items: [result] });
    } else if (message.role === 'assistant') {
      const turn = readAssistant(message, place);
      waiting = turn.items.flatMap((item) => (item.kind === 'call' ? [item.id ?? ''] : []));
      turns.push(turn);
    } else if (message.role === 'user') {
      turns.push({ role: 'user', items: readContent(message.content, `${place}.content`) });
    } else {
      system.push(...readContent(message.content, place).map((item) => (item.kind === 'text' ? item.text : '?')));
    }
  }
  must(waiting.length === 0, `messages: no tool message for ${waiting.join(', ')}`);
  return { system, turns };
}

function readAssistant(message: Json, place: string): SeenTurn {
  const items: SeenItem[] = [];
  for (const entry of Array.isArray(message.reasoning_details) ? message.reasoning_details : []) {
    const detail = object(entry, `${place}.reasoning_details`);
    items.push({ kind: 'thinking', text: text(detail.text ?? '', place), seal: detail.signature as string });
  }
  const hasCalls = message.tool_calls !== undefined;
  must(hasCalls || message.content !== null, `${place}.content: is null without tool_calls`);
  if (message.content !== null && message.content !== undefined && message.content !== '') {
    items.push(...readContent(message.content, `${place}.content`));
  }
  for (const [index, entry] of (hasCalls ? list(message.tool_calls, `${place}.tool_calls`) : []).entries()) {
    const path = `${place}.tool_calls[${index}]`;
    const call = object(entry, path);
    must(call.type === 'function', `${path}.type: ${shown(call.type)}`);
    const id = filled(call.id, `${path}.id`);
    must(id.length <= 40, `${path}.id: longer than 40 characters`);
    const { name, arguments: given } = object(call.function, `${path}.function`);
    items.push({ kind: 'call', id, name: filled(name, path), input: parsed(given, `${path}.arguments`) });
  }
  return { role: 'assistant', items };
}

function readContent(content: unknown, place: string): SeenItem[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return list(content, place).map((entry, index): SeenItem => {
    const part = object(entry, `${place}[${index}]`);
    if (part.type === 'text') return { kind: 'text', text: text(part.text, `${place}[${index}].text`) };
    must(part.type === 'image_url', `${place}[${index}].type: ${shown(part.type)} is not taken here`);
    return imageAt(text(object(part.image_url, place).url, `${place}[${index}].image_url.url`));
  });
}

function readTool(entry: unknown): SeenTool {
  const tool = object(entry, 'tool');
  must(tool.type === 'function', `tool.type: ${shown(tool.type)}`);
  const { name, description, parameters } = object(tool.function, 'tool.function');
  return { name: filled(name, 'tool.function.name'), description, schema: object(parameters, 'tool.parameters') };
}

function readChoice(choice: unknown): Seen['choice'] {
  if (choice === undefined) return 'auto';
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice;
  const named = object(choice, 'tool_choice');
  must(named.type === 'function', `tool_choice: ${shown(choice)}`);
  return { name: filled(object(named.function, 'tool_choice.function').name, 'tool_choice.function.name') };
}

function readSchema(format: unknown): Json | undefined {
  if (format === undefined) return undefined;
  const asked = object(format, 'response_format');
  oneOf(asked.type, ['text', 'json_object', 'json_schema'], 'response_format.type');
  if (asked.type !== 'json_schema') return undefined;
  const { name, schema } = object(asked.json_schema, 'response_format.json_schema');
  must(/^[\w-]{1,64}$/.test(filled(name, 'response_format.json_schema.name')), 'the name of the schema');
  return object(schema, 'response_format.json_schema.schema');
}
