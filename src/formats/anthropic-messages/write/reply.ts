/** Writes a whole neutral reply as the messages format's message object. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted, Extras } from '../../../conversation/parts.ts';
import { writeSeal } from '../../../conversation/seals/seal.ts';
import type { Candidate, TextReply } from '../../../conversation/text-reply.ts';
import { ArgumentTexts } from '../../../conversation/texts/argument-texts.ts';
import type { Usage } from '../../../conversation/usage.ts';
import type { ReplyContext } from '../../codec.ts';
import { writeUsage } from '../usage.ts';
import { formatName, replyId, writeFinish, writeServedTier } from '../wire.ts';
import { type BlockWriting, writeBlock } from './blocks.ts';

const noCandidate: Candidate = { parts: [], finish: { reason: 'other' } };

export function writeReply(reply: TextReply, context: ReplyContext): Converted<Tree> {
  const losses = new LossList();
  losses.addForeign(reply.extras, formatName);
  if (reply.candidates.length > 1) reportCandidates(losses);
  reportUnknownUsage(reply.usage, losses);
  const { parts, finish } = reply.candidates[0] ?? noCandidate;
  const writing: BlockWriting = { losses, texts: new ArgumentTexts(), reader: 'client', sealText: writeSeal };
  const content = parts.flatMap((part, index) => writeBlock(part, `content[${index}]`, writing) ?? []);
  const ending = {
    calls: parts.some((part) => part.type === 'tool-call'),
    refused: parts.some((part) => part.type === 'refusal'),
  };
  const { usage: usageBeside, ...fields } = ownFields(reply.extras);
  const tier = writeServedTier(reply.serviceTier, losses);
  const value = {
    id: replyId(reply.id, (prefix) => context.newId(prefix)),
    type: 'message',
    role: 'assistant',
    model: reply.model,
    content,
    ...writeFinish(finish, ending, losses),
    ...fields,
    usage: {
      ...(isObject(usageBeside) && usageBeside),
      ...writeUsage(reply.usage, usageBeside),
      ...(tier !== undefined && { service_tier: tier }),
    },
  };
  return { value, losses: losses.all };
}

/** What a provider of this format said beside the content. */
export function ownFields(extras: Extras | undefined): Tree {
  return extras?.format === formatName ? extras.fields : {};
}

export function reportCandidates(losses: LossList): void {
  losses.add('n', 'makes more than one reply, and the format holds one');
}

export function reportUnknownUsage({ input, output }: Usage, losses: LossList): void {
  for (const kind of ['audio', 'image'] as const) {
    const isCounted = (input[kind] ?? 0) + (output[kind] ?? 0) > 0;
    if (isCounted) losses.add(`usage of ${kind}`, 'is not counted by itself in the format');
  }
  if (input.total !== undefined && output.total !== undefined) return;
  losses.add('usage', 'is unknown, and the format demands numbers: zeros are written');
}
