/** Reads a request of Cohere's chat format into the neutral one. */

import { defined, isObject, type Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Converted } from '../../conversation/parts.ts';
import type { OutputShape, TextRequest, Thinking, ToolChoice } from '../../conversation/text-request.ts';
import { readFields } from '../fields/carried-fields.ts';
import { reportUnread } from '../fields/unread-fields.ts';
import { readInteger, readNumber, readStop } from '../openai-chat/read/request.ts';
import { readTools } from '../openai-chat/read/tools.ts';
import { fields } from './fields.ts';
import { readMessages } from './read-messages.ts';
import { formatName } from './wire.ts';

const ownFields = readFields(fields.table);

export function readRequest(body: Tree): Converted<TextRequest> {
  const losses = new LossList();
  reportUnread(body, fields.table, losses);
  const unknown: Record<string, unknown> = {};
  for (const field in body) {
    if (!ownFields.has(field) && body[field] !== null && body[field] !== undefined) unknown[field] = body[field];
  }
  const { tools } = readTools({ tools: body.tools }, losses);
  const limit = readInteger(body, 'max_tokens', losses);
  const value: TextRequest = {
    model: typeof body.model === 'string' ? body.model : '',
    messages: readMessages(body.messages, body.documents, losses),
    stream: body.stream === true,
    tools: body.strict_tools === true ? tools.map((tool) => ({ ...tool, strict: true })) : tools,
    toolChoice: readToolChoice(body.tool_choice, losses),
    output: readOutput(body.response_format, losses),
    ...defined('maxOutputTokens', limit === undefined ? undefined : Math.max(0, limit)),
    candidates: 1,
    stop: readStop(body.stop_sequences, losses),
    ...defined('temperature', readNumber(body, 'temperature', losses)),
    ...defined('topP', readNumber(body, 'p', losses)),
    ...defined('topK', readTopK(body, losses)),
    ...defined('seed', readInteger(body, 'seed', losses)),
    ...defined('presencePenalty', readNumber(body, 'presence_penalty', losses)),
    ...defined('frequencyPenalty', readNumber(body, 'frequency_penalty', losses)),
    ...(body.logprobs === true && { logprobs: { top: 0 } }),
    ...defined('thinking', readThinking(body.thinking, losses)),
    ...(Object.keys(unknown).length > 0 && { extras: { format: formatName, fields: unknown } }),
  };
  return { value, losses: losses.all };
}

/** The format's value for no limit is 0. */
function readTopK(body: Tree, losses: LossList): number | undefined {
  const k = readInteger(body, 'k', losses);
  return k === 0 ? undefined : k;
}

function readToolChoice(value: unknown, losses: LossList): ToolChoice {
  if (value === undefined || value === null) return { kind: 'auto' };
  if (value === 'REQUIRED') return { kind: 'required' };
  if (value === 'NONE') return { kind: 'none' };
  losses.add('tool_choice', 'is neither REQUIRED nor NONE');
  return { kind: 'auto' };
}

function readOutput(value: unknown, losses: LossList): OutputShape {
  if (value === undefined || value === null) return { kind: 'text' };
  if (isObject(value)) {
    if (value.type === 'text') return { kind: 'text' };
    const schema = value.json_schema ?? value.schema;
    if (value.type === 'json_object') return isObject(schema) ? { kind: 'json-schema', schema } : { kind: 'json' };
  }
  losses.add('response_format', 'is an unknown shape');
  return { kind: 'text' };
}

function readThinking(value: unknown, losses: LossList): Thinking | undefined {
  if (!isObject(value)) return undefined;
  const budget = typeof value.token_budget === 'number' ? { budgetTokens: value.token_budget } : {};
  if (value.type === 'disabled') return { mode: 'off' };
  if (value.type === 'enabled') return { mode: 'on', ...budget };
  losses.add('thinking.type', 'is not known');
  return undefined;
}
