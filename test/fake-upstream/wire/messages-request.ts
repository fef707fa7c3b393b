/** Reads a messages-format request as strictly as the original service does. */

import {
  base64,
  filled,
  type Json,
  knownFields,
  list,
  must,
  object,
  oneOf,
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
  'max_tokens',
  'system',
  'stream',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'tools',
  'tool_choice',
  'thinking',
  'metadata',
  'service_tier',
  'output_config',
  'cache_control',
];

export function readMessages(body: Json): Seen {
  knownFields(body, fields, 'body');
  const limit = body.max_tokens;
  must(typeof limit === 'number' && Number.isInteger(limit) && limit > 0, `max_tokens: ${shown(limit)}`);
  const turns = readTurns(list(body.messages, 'messages'));
  const thinking = readThinking(body, limit);
  const choice = readChoice(body.tool_choice);
  if (thinking !== undefined) {
    must(choice === 'auto' || choice === 'none', 'thinking: may not be enabled when tool_choice forces tool use');
    must(
      body.temperature === undefined || body.temperature === 1,
      'temperature: may only be 1 when thinking is enabled',
    );
    if (thinking.type === 'enabled') demandThoughts(turns);
  }
  return {
    system: readSystem(body.system),
    turns,
    tools: body.tools === undefined ? [] : list(body.tools, 'tools').map(readTool),
    choice,
    schema: readSchema(body.output_config),
    thinks: thinking !== undefined,
    showsThoughts: thinking?.display !== 'omitted',
    wantsSeals: true,
    maxTokens: limit,
    temperature: body.temperature,
    stop: body.stop_sequences === undefined ? [] : (list(body.stop_sequences, 'stop_sequences') as string[]),
    wantsUsage: true,
  };
}

function readSystem(system: unknown): string[] {
  if (system === undefined) return [];
  if (typeof system === 'string') return [filled(system, 'system')];
  return list(system, 'system').map((block, index) => filled(object(block, 'system').text, `system[${index}].text`));
}

function readTurns(messages: readonly unknown[]): SeenTurn[] {
  must(messages.length > 0, 'messages: at least one message is required');
  let waiting: string[] = [];
  const turns = messages.map((entry, index): SeenTurn => {
    const place = `messages.${index}`;
    const { role, content } = object(entry, place);
    must(role === (index % 2 === 0 ? 'user' : 'assistant'), `${place}: roles must alternate, beginning with user`);
    const items = readContent(content, `${place}.content`);
    must(items.length > 0, `${place}: must have non-empty content`);
    const results = items.flatMap((item) => (item.kind === 'result' ? [item.id ?? ''] : []));
    must(
      [...results].sort().join() === [...waiting].sort().join(),
      `${place}: tool_use ids ${waiting.join(', ')} have the tool_result blocks ${results.join(', ')}`,
    );
    must(results.length === 0 || items[0]?.kind === 'result', `${place}: tool_result blocks must come first`);
    waiting = items.flatMap((item) => (item.kind === 'call' ? [item.id ?? ''] : []));
    return { role: role as 'user' | 'assistant', items };
  });
  must(waiting.length === 0, `messages: tool_use ids ${waiting.join(', ')} have no tool_result`);
  return turns;
}

function readContent(content: unknown, place: string): SeenItem[] {
  if (typeof content === 'string') return [{ kind: 'text', text: filled(content, place) }];
  return list(content, place).map((entry, index) => readBlock(object(entry, place), `${place}.${index}`));
}

function readBlock(block: Json, place: string): SeenItem {
  switch (block.type) {
    case 'text':
      knownFields(block, ['type', 'text', 'cache_control', 'citations'], place);
      return { kind: 'text', text: filled(block.text, `${place}.text`) };
    case 'image':
      return readImage(object(block.source, `${place}.source`), place);
    case 'thinking':
      knownFields(block, ['type', 'thinking', 'signature'], place);
      return {
        kind: 'thinking',
        text: text(block.thinking, `${place}.thinking`),
        seal: filled(block.signature, `${place}.signature`),
      };
    case 'tool_use': {
      knownFields(block, ['type', 'id', 'name', 'input', 'cache_control', 'caller'], place);
      const id = filled(block.id, `${place}.id`);
      must(/^[a-zA-Z0-9_-]+$/.test(id), `${place}.id: ${id} does not match the pattern`);
      const input = object(block.input, `${place}.input`);
      return { kind: 'call', id, name: filled(block.name, `${place}.name`), input };
    }
    case 'tool_result': {
      knownFields(block, ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'], place);
      const parts = block.content === undefined ? [] : readContent(block.content, `${place}.content`);
      const said = parts.map((item) => ('text' in item ? item.text : '')).join('');
      return { kind: 'result', id: filled(block.tool_use_id, `${place}.tool_use_id`), text: said };
    }
    default:
      return must(false, `${place}.type: ${shown(block.type)} is unknown`) as never;
  }
}

function readImage(source: Json, place: string): SeenItem {
  oneOf(source.type, ['url', 'base64'], `${place}.source.type`);
  if (source.type === 'url') return { kind: 'image', url: filled(source.url, `${place}.source.url`) };
  oneOf(source.media_type, ['image/png', 'image/jpeg', 'image/gif', 'image/webp'], `${place}.source.media_type`);
  return {
    kind: 'image',
    mediaType: source.media_type as string,
    data: base64(source.data, `${place}.source.data`),
  };
}

function readThinking(body: Json, limit: number): Json | undefined {
  if (body.thinking === undefined) return undefined;
  const thinking = object(body.thinking, 'thinking');
  oneOf(thinking.type, ['enabled', 'adaptive', 'disabled'], 'thinking.type');
  if (thinking.type === 'enabled') {
    const budget = thinking.budget_tokens;
    must(typeof budget === 'number' && budget >= 1024, `thinking.budget_tokens: ${shown(budget)}`);
    must(limit > budget, 'max_tokens: must be greater than thinking.budget_tokens');
  } else must(thinking.budget_tokens === undefined, `thinking.budget_tokens: not with ${String(thinking.type)}`);
  return thinking.type === 'disabled' ? undefined : thinking;
}

function demandThoughts(turns: readonly SeenTurn[]): void {
  const last = turns.findLast(({ role }) => role === 'assistant');
  if (turns.at(-1)?.items[0]?.kind !== 'result' || last === undefined) return;
  must(last.items[0]?.kind === 'thinking', 'messages: the final assistant message must start with a thinking block');
}

function readTool(entry: unknown): SeenTool {
  const tool = object(entry, 'tool');
  const known = ['name', 'description', 'input_schema', 'type', 'cache_control', 'strict', 'eager_input_streaming'];
  knownFields(tool, known, 'tool');
  const schema = object(tool.input_schema, 'tool.input_schema');
  must(schema.type === 'object', 'tool.input_schema.type: must be object');
  return { name: filled(tool.name, 'tool.name'), description: tool.description, schema };
}

function readChoice(choice: unknown): Seen['choice'] {
  if (choice === undefined) return 'auto';
  const { type, name } = object(choice, 'tool_choice');
  oneOf(type, ['auto', 'any', 'tool', 'none'], 'tool_choice.type');
  if (type === 'tool') return { name: filled(name, 'tool_choice.name') };
  return type === 'any' ? 'required' : (type as 'auto' | 'none');
}

function readSchema(config: unknown): Json | undefined {
  if (config === undefined) return undefined;
  const output = object(config, 'output_config');
  knownFields(output, ['format', 'effort', 'task_budget'], 'output_config');
  if (output.format === undefined) return undefined;
  const format = object(output.format, 'output_config.format');
  must(format.type === 'json_schema', `output_config.format.type: ${shown(format.type)}`);
  const schema = object(format.schema, 'output_config.format.schema');
  must(schema.additionalProperties === false, 'output_config.format.schema: additionalProperties must be false');
  return schema;
}
