/** Reads a whole legacy completion into the neutral reply. */

import { defined, isFilled, isObject, type Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Converted, Part } from '../../conversation/parts.ts';
import type { Candidate, TextReply } from '../../conversation/text-reply.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import type { ReadContext } from '../codec.ts';
import { extrasOf, readHead, unknownFields } from '../openai-chat/read/reply.ts';
import { readUsage } from '../openai-chat/usage.ts';
import { readFinish } from '../openai-chat/wire.ts';
import { formatName, readLogprobs, replyIdPrefix } from './wire.ts';

const choiceFields: ReadonlySet<string> = new Set(['index', 'text', 'logprobs', 'finish_reason']);

export function readReply(tree: unknown, context: ReadContext): Converted<TextReply> {
  if (!isObject(tree) || !Array.isArray(tree.choices)) throw new SyntaxError('A completion has `choices`.');
  if (isFilled(tree['error'])) throw new SyntaxError('A completion has no `error`.');
  const losses = new LossList();
  const value: TextReply = {
    ...readStart(tree, context),
    candidates: tree.choices.filter(isObject).map((choice, index) => readChoice(choice, index, losses)),
    usage: readUsage(tree.usage, { tier: tree.service_tier, model: tree.model }) ?? unknownUsage,
  };
  return { value, losses: losses.all };
}

/** What a whole completion and a chunk begin with. */
export function readStart(
  tree: Tree,
  context: ReadContext,
): Pick<TextReply, 'id' | 'model' | 'createdAtMs' | 'serviceTier' | 'extras'> {
  const extras = extrasOf(formatName, unknownFields(tree));
  const { origin, nowMs } = context;
  const newId = (): string => context.newId(replyIdPrefix);
  return { ...readHead(tree, { origin, nowMs, newId }), ...defined('extras', extras) };
}

function readChoice(choice: Tree, index: number, losses: LossList): Candidate {
  for (const name in choice) {
    if (choiceFields.has(name) || choice[name] === null || choice[name] === undefined) continue;
    losses.add(`choices[${index}].${name}`, 'has no neutral field');
  }
  const parts: Part[] = [];
  const logprobs = readLogprobs(choice.logprobs);
  if (typeof choice.text === 'string' && (choice.text !== '' || logprobs !== undefined)) {
    parts.push({ type: 'text', text: choice.text, ...defined('logprobs', logprobs) });
  }
  return { parts, finish: readFinish(choice.finish_reason, { calls: false, refusal: false }) };
}
