/** Reads a legacy completion request: the prompt becomes the one turn of a conversation. */

import { defined, type Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Converted, Message } from '../../conversation/parts.ts';
import type { TextRequest } from '../../conversation/text-request.ts';
import { readFields } from '../fields/carried-fields.ts';
import { reportUnread } from '../fields/unread-fields.ts';
import { readInteger, readSampling, readStop } from '../openai-chat/read/request.ts';
import { fields } from './fields.ts';
import { formatName } from './wire.ts';

const ownFields = readFields(fields.table);

const candidatesMax = 128;

export function readRequest(body: Tree): Converted<TextRequest> {
  const losses = new LossList();
  reportUnread(body, fields.table, losses);
  const unknown: Record<string, unknown> = {};
  for (const field in body) {
    if (!ownFields.has(field) && body[field] !== null && body[field] !== undefined) unknown[field] = body[field];
  }
  const { message, unsupported } = readPrompt(body.prompt, losses);
  const limit = readInteger(body, 'max_tokens', losses);
  const alternatives = readInteger(body, 'logprobs', losses);
  if (body.echo === true && alternatives !== undefined) {
    losses.add('echo', 'the prompt is repeated, but without the logprobs of its tokens');
  }
  const value: TextRequest = {
    model: typeof body.model === 'string' ? body.model : '',
    messages: [message],
    stream: body.stream === true,
    tools: [],
    toolChoice: { kind: 'auto' },
    output: { kind: 'text' },
    ...defined('maxOutputTokens', limit === undefined ? undefined : Math.max(0, limit)),
    candidates: Math.min(candidatesMax, Math.max(1, readInteger(body, 'n', losses) ?? 1)),
    stop: readStop(body.stop, losses),
    ...readSampling(body, losses),
    ...defined('logprobs', alternatives === undefined ? undefined : { top: Math.max(0, alternatives) }),
    ...defined('user', typeof body.user === 'string' ? body.user : undefined),
    ...defined('unsupported', unsupported),
    ...(Object.keys(unknown).length > 0 && { extras: { format: formatName, fields: unknown } }),
  };
  return { value, losses: losses.all };
}

/** Several prompts, or tokens instead of text, are kept for this format; no conversation can express them. */
function readPrompt(prompt: unknown, losses: LossList): { message: Message; unsupported?: string } {
  const [only] = Array.isArray(prompt) && prompt.length === 1 ? prompt : [prompt];
  if (typeof only === 'string') return { message: { role: 'user', parts: [{ type: 'text', text: only }] } };
  if (!Array.isArray(prompt)) {
    losses.add('prompt', 'is neither a text nor a list');
    return { message: { role: 'user', parts: [] }, unsupported: 'prompt' };
  }
  const parts = [{ type: 'native', format: formatName, value: { prompt } }] as const;
  return { message: { role: 'user', parts }, unsupported: 'prompt' };
}
