/** Reads a whole reply of Cohere's chat format. */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Converted, Part, TokenLogprob } from '../../conversation/parts.ts';
import type { TextReply } from '../../conversation/text-reply.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import type { ReadContext } from '../codec.ts';
import { readAssistant } from './read-messages.ts';
import { formatName, readFinish, readUsage } from './wire.ts';

/** Of a whole reply and of the event that begins a stream. */
const replyFields: ReadonlySet<string> = new Set([
  'id',
  'finish_reason',
  'message',
  'usage',
  'logprobs',
  'type',
  'delta',
  'index',
]);

export function readReply(tree: unknown, context: ReadContext): Converted<TextReply> {
  if (!isObject(tree) || !isObject(tree.message)) throw new SyntaxError('A chat reply has a `message`.');
  const losses = new LossList();
  const parts = readAssistant(tree.message, 'message', losses).map(withOwnId(context));
  const value: TextReply = {
    ...readStart(tree, context),
    candidates: [{ parts: withLogprobs(parts, tree.logprobs, losses), finish: readFinish(tree.finish_reason) }],
    usage: readUsage(tree.usage) ?? unknownUsage,
    ...extrasOf(tree),
  };
  return { value, losses: losses.all };
}

/** A call without an id cannot be answered. */
function withOwnId(context: ReadContext): (part: Part) => Part {
  return (part) => (part.type === 'tool-call' && part.id === '' ? { ...part, id: context.newId('call_') } : part);
}

/** The format names neither the model nor the time. */
export function readStart(
  tree: Tree,
  { origin, nowMs, newId }: ReadContext,
): Pick<TextReply, 'id' | 'model' | 'createdAtMs'> {
  return { id: typeof tree.id === 'string' ? tree.id : newId(''), model: origin.model, createdAtMs: nowMs };
}

export function extrasOf(tree: Tree): Pick<TextReply, 'extras'> {
  const fields: Record<string, unknown> = {};
  for (const name in tree) if (!replyFields.has(name) && tree[name] !== null) fields[name] = tree[name];
  return Object.keys(fields).length === 0 ? {} : { extras: { format: formatName, fields } };
}

function withLogprobs(parts: readonly Part[], value: unknown, losses: LossList): readonly Part[] {
  const tokens = readLogprobs(value, losses);
  const place = parts.findIndex(({ type }) => type === 'text');
  const part = parts[place];
  if (tokens.length === 0 || part?.type !== 'text') return parts;
  return parts.with(place, { ...part, logprobs: tokens });
}

/** Logprobs come by pieces of text; only a piece that is one token is reported. */
export function readLogprobs(value: unknown, losses: LossList): TokenLogprob[] {
  const tokens: TokenLogprob[] = [];
  for (const piece of Array.isArray(value) ? value : isObject(value) ? [value] : []) {
    const { text, logprobs } = isObject(piece) ? piece : {};
    const [logprob, second] = Array.isArray(logprobs) ? logprobs : [];
    if (typeof text === 'string' && typeof logprob === 'number' && second === undefined)
      tokens.push({ token: text, logprob });
    else losses.addOnce('logprobs', 'of several tokens come as one');
  }
  return tokens;
}
