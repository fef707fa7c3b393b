/** Writes a whole neutral reply as the responses format's object. */

import type { Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { Finish, TextReply } from '../../../conversation/text-reply.ts';
import type { Usage } from '../../../conversation/usage.ts';
import type { ReplyContext } from '../../codec.ts';
import { type Ending, type Head, replyId, writeEcho, writeEnvelope, writeTier } from '../envelope.ts';
import { joinTexts } from '../join-texts.ts';
import { writeItem } from '../output-items.ts';
import { writeUsage } from '../usage.ts';
import { formatName, writeEnding } from '../wire.ts';

export function writeReply(reply: TextReply, context: ReplyContext): Converted<Tree> {
  const losses = new LossList();
  const [candidate] = reply.candidates;
  if (reply.candidates.length > 1) losses.add('candidates', 'the format supports one only');
  const output: object[] = [];
  const newId = (prefix: string): string => context.newId(prefix);
  for (const part of joinTexts(candidate?.parts ?? [])) {
    const item = writeItem(part, newId, context.tools, losses);
    if (item !== undefined) output.push(item);
  }
  const head = writeHead(reply, context, losses);
  const refused = candidate?.parts.some((part) => part.type === 'refusal') ?? false;
  const finish = { ...(candidate?.finish ?? { reason: 'stop' }), refused };
  const ending = writeEnd(finish, reply.usage, head, context, losses);
  return { value: writeEnvelope(head, writeEcho(context.request), ending, output), losses: losses.all };
}

export function writeHead(
  start: Pick<TextReply, 'id' | 'model' | 'createdAtMs' | 'serviceTier' | 'extras'>,
  context: ReplyContext,
  losses: LossList,
): Head {
  losses.addForeign(start.extras, formatName);
  return {
    ...(start.extras?.format === formatName && { fields: start.extras.fields }),
    id: replyId(start.id, context),
    createdAt: Math.floor(start.createdAtMs / 1000),
    model: start.model,
    tier: writeTier(start.serviceTier, context.request, losses),
  };
}

/** Only a completed reply has a time of completion, and never one before it began. */
export function writeEnd(
  finish: Finish & { readonly refused: boolean },
  usage: Usage,
  head: Head,
  context: ReplyContext,
  losses: LossList,
): Ending {
  const { status, reason, loss } = writeEnding(finish, finish.refused);
  if (loss !== undefined) losses.add('finish', loss);
  return {
    status,
    completedAt: status === 'completed' ? Math.max(head.createdAt, Math.floor(context.nowMs / 1000)) : null,
    error: null,
    incompleteReason: reason,
    usage: writeUsage(usage),
  };
}
