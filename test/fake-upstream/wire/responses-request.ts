/** Reads a responses-format request as strictly as the original service does. */

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
  'input',
  'instructions',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'reasoning',
  'include',
  'store',
  'max_output_tokens',
  'temperature',
  'top_p',
  'user',
  'metadata',
  'service_tier',
  'prompt_cache_key',
  'top_logprobs',
  'truncation',
];

export function readResponses(body: Json): Seen {
  knownFields(body, fields, 'body');
  const { system, turns } = readInput(body.input);
  if (body.instructions !== undefined && body.instructions !== null)
    system.unshift(text(body.instructions, 'instructions'));
  const reasoning = body.reasoning === undefined ? undefined : object(body.reasoning, 'reasoning');
  const include = body.include === undefined ? [] : list(body.include, 'include');
  const limit = body.max_output_tokens;
  must(limit === undefined || (typeof limit === 'number' && limit >= 16), `max_output_tokens: ${shown(limit)}`);
  return {
    system,
    turns,
    tools: body.tools === undefined ? [] : list(body.tools, 'tools').map(readTool),
    choice: readChoice(body.tool_choice),
    schema: readSchema(body.text),
    thinks: reasoning?.effort !== undefined && reasoning.effort !== 'none',
    showsThoughts: typeof reasoning?.summary === 'string',
    wantsSeals: include.includes('reasoning.encrypted_content'),
    maxTokens: limit,
    temperature: body.temperature,
    stop: [],
    wantsUsage: true,
  };
}

function readInput(input: unknown): { system: string[]; turns: SeenTurn[] } {
  const system: string[] = [];
  const turns: SeenTurn[] = [];
  const add = (role: 'user' | 'assistant', ...items: SeenItem[]): void => {
    const last = turns.at(-1);
    if (last?.role === role) last.items.push(...items);
    else turns.push({ role, items });
  };
  if (typeof input === 'string') {
    add('user', { kind: 'text', text: input });
    return { system, turns };
  }
  const waiting = new Set<string>();
  let reasoned: string | undefined;
  for (const [index, entry] of list(input, 'input').entries()) {
    const place = `input[${index}]`;
    const item = object(entry, place);
    const role = item.role === 'assistant' ? 'assistant' : 'user';
    if (reasoned !== undefined) {
      const follows = item.type === 'function_call' || (item.type ?? 'message') === 'message';
      must(follows, `${reasoned}: reasoning was provided without its required following item`);
    }
    reasoned = undefined;
    switch (item.type ?? 'message') {
      case 'message':
        must(waiting.size === 0, `${place}: no tool output found for function call ${[...waiting].join(', ')}`);
        oneOf(item.role, ['user', 'assistant', 'system', 'developer'], `${place}.role`);
        if (item.role === 'system' || item.role === 'developer') {
          system.push(...readContent(item, place).map((part) => ('text' in part ? part.text : '?')));
        } else add(role, ...readContent(item, place));
        break;
      case 'reasoning':
        must(/^rs_/.test(filled(item.id, `${place}.id`)), `${place}.id: ${shown(item.id)} must begin with rs_`);
        add('assistant', readReasoning(item, place));
        reasoned = place;
        break;
      case 'function_call': {
        const id = filled(item.call_id, `${place}.call_id`);
        must(id.length <= 64, `${place}.call_id: longer than 64 characters`);
        waiting.add(id);
        const name = filled(item.name, `${place}.name`);
        add('assistant', { kind: 'call', id, name, input: parsed(item.arguments, `${place}.arguments`) });
        break;
      }
      case 'function_call_output': {
        const id = filled(item.call_id, `${place}.call_id`);
        must(waiting.delete(id), `${place}: no tool call found for function call output with call_id ${id}`);
        add('user', { kind: 'result', id, text: readOutput(item.output, `${place}.output`) });
        break;
      }
      default:
        must(false, `${place}.type: ${shown(item.type)} is not supported`);
    }
  }
  must(waiting.size === 0, `no tool output found for function call ${[...waiting].join(', ')}`);
  must(reasoned === undefined, `${reasoned}: reasoning was provided without its required following item`);
  return { system, turns };
}

function readReasoning(item: Json, place: string): SeenItem {
  const summary = list(item.summary, `${place}.summary`).map((part) => text(object(part, place).text, `${place}.text`));
  const seal = item.encrypted_content;
  must(seal === undefined || seal === null || typeof seal === 'string', `${place}.encrypted_content`);
  return { kind: 'thinking', text: summary.join('\n\n'), seal: (seal ?? undefined) as string | undefined };
}

function readContent(item: Json, place: string): SeenItem[] {
  const { content, role } = item;
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return list(content, `${place}.content`).map((entry, index): SeenItem => {
    const part = object(entry, place);
    const path = `${place}.content[${index}]`;
    const allowed = role === 'assistant' ? ['output_text', 'refusal'] : ['input_text', 'input_image'];
    oneOf(part.type, allowed, `${path}.type`);
    if (part.type === 'input_image') return imageAt(text(part.image_url, `${path}.image_url`));
    return { kind: 'text', text: text(part.text ?? part.refusal, `${path}.text`) };
  });
}

function readOutput(output: unknown, place: string): string {
  if (typeof output === 'string') return output;
  return list(output, place)
    .map((part) => String(object(part, place).text ?? ''))
    .join('');
}

function readTool(entry: unknown): SeenTool {
  const tool = object(entry, 'tool');
  must(tool.type === 'function', `tool.type: ${shown(tool.type)}`);
  knownFields(tool, ['type', 'name', 'description', 'parameters', 'strict'], 'tool');
  const schema = object(tool.parameters, 'tool.parameters');
  // Left out, it would be on; then every object must be closed and every property required.
  if (tool.strict !== false) must(schema.additionalProperties === false, 'tool.parameters: additionalProperties');
  return { name: filled(tool.name, 'tool.name'), description: tool.description, schema };
}

function readChoice(choice: unknown): Seen['choice'] {
  if (choice === undefined) return 'auto';
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice;
  const named = object(choice, 'tool_choice');
  must(named.type === 'function', `tool_choice: ${shown(choice)}`);
  return { name: filled(named.name, 'tool_choice.name') };
}

function readSchema(value: unknown): Json | undefined {
  if (value === undefined) return undefined;
  const { format } = object(value, 'text');
  if (format === undefined) return undefined;
  const asked = object(format, 'text.format');
  oneOf(asked.type, ['text', 'json_object', 'json_schema'], 'text.format.type');
  if (asked.type !== 'json_schema') return undefined;
  must(/^[\w-]{1,64}$/.test(filled(asked.name, 'text.format.name')), `text.format.name: ${shown(asked.name)}`);
  return object(asked.schema, 'text.format.schema');
}
