/** Writes a whole neutral reply as a legacy completion: its text, and a report of everything else. */

import type { Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Converted, Part } from '../../conversation/parts.ts';
import type { Candidate, TextReply } from '../../conversation/text-reply.ts';
import type { ReplyContext } from '../codec.ts';
import { prefixedId, writeUsage } from '../openai-chat/wire.ts';
import { echoedPrompt, finishWord, formatName, replyIdPrefix, writeLogprobs } from './wire.ts';

export function writeReply(reply: TextReply, context: ReplyContext): Converted<Tree> {
  const losses = new LossList();
  const usage = writeUsage(reply.usage);
  const echoed = echoedPrompt(context.request);
  const choices = reply.candidates.map((candidate, index) => writeChoice(candidate, index, echoed, losses));
  if (reply.serviceTier !== undefined) losses.add('service tier', 'the format has no field for it');
  losses.addForeign(reply.extras, formatName);
  const value = {
    id: prefixedId(reply.id, replyIdPrefix, (prefix) => context.newId(prefix)),
    object: 'text_completion',
    created: Math.floor(reply.createdAtMs / 1000),
    model: reply.model,
    choices,
    ...(usage === undefined ? {} : { usage }),
    ...(reply.extras?.format === formatName ? reply.extras.fields : {}),
  };
  return { value, losses: losses.all };
}

function writeChoice(candidate: Candidate, index: number, echoed: string, losses: LossList): object {
  let text = echoed;
  for (const part of candidate.parts) {
    if (part.type === 'text' || part.type === 'refusal') text += part.text;
    reportDropped(part, losses);
  }
  const tokens = candidate.parts.flatMap((part) => (part.type === 'text' ? (part.logprobs ?? []) : []));
  if (candidate.finish.reason === 'tool-calls') losses.addOnce('finish reason tool-calls', 'is written as `stop`');
  return {
    text,
    index,
    logprobs: tokens.length === 0 ? null : writeLogprobs(tokens, echoed.length),
    finish_reason: finishWord(candidate.finish, losses),
  };
}

function reportDropped(part: Part, losses: LossList): void {
  if (part.type === 'text') {
    if (part.seal !== undefined) losses.addOnce('signature', 'the format has no field for it');
    if (part.citations !== undefined && part.citations.length > 0) losses.addOnce('citations', 'have no field');
  } else if (part.type === 'refusal') losses.addOnce('refusal', 'is written as text');
  else losses.addOnce(part.type === 'media' ? part.media : part.type, 'the format supports text only');
}
