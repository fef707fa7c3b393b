/** Reads a whole reply of the messages format. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted, Extras } from '../../../conversation/parts.ts';
import type { TextReply } from '../../../conversation/text-reply.ts';
import { unknownUsage } from '../../../conversation/usage.ts';
import type { ReadContext } from '../../codec.ts';
import { readFields } from '../../fields/carried-fields.ts';
import { reportUnread } from '../../fields/unread-fields.ts';
import { replyTable } from '../fields.ts';
import { readUsage, usageBeside } from '../usage.ts';
import { formatName, readFinish, readServedTier, replyIdPrefix, unknownFields } from '../wire.ts';
import { readContent } from './blocks.ts';

export function readReply(tree: unknown, context: ReadContext): Converted<TextReply> {
  if (!isObject(tree) || !Array.isArray(tree.content)) throw new SyntaxError('A reply of the format has `content`.');
  const losses = new LossList();
  reportUnread(tree, replyTable, losses);
  const { origin, nowMs } = context;
  const parts = readContent(tree.content, 'content', {
    losses,
    sealOf: (value) => ({ value, origin }),
    isReply: true,
  });
  const serviceTier = isObject(tree.usage) ? readServedTier(tree.usage.service_tier) : undefined;
  const extras = replyExtras(tree, tree.usage);
  const value: TextReply = {
    id: typeof tree.id === 'string' && tree.id !== '' ? tree.id : context.newId(replyIdPrefix),
    model: typeof tree.model === 'string' ? tree.model : origin.model,
    createdAtMs: nowMs,
    candidates: [{ parts, finish: readFinish(tree.stop_reason, tree.stop_sequence) }],
    usage: readUsage(tree.usage, tree.model) ?? unknownUsage,
    ...(serviceTier !== undefined && { serviceTier }),
    ...(extras !== undefined && { extras }),
  };
  return { value, losses: losses.all };
}

const replyFields = readFields(replyTable);

const partly: ReadonlySet<string> = new Set(['usage']);

/** What a reply says beside its content, for clients of this format. */
export function replyExtras(message: Tree, usage: unknown): Extras | undefined {
  const fields = unknownFields(message, replyFields);
  const beside = usageBeside(usage);
  if (beside === undefined) return fields === undefined ? undefined : { format: formatName, fields };
  return { format: formatName, fields: { ...fields, usage: beside }, partly };
}
