/** What readers of JSON replies share: checks of a reply, and the units that usage is reported in. */

import { countOf, isObject, type Tree } from '../conversation/json-tree.ts';
import { LossList } from '../conversation/loss-list.ts';
import type { Loss } from '../conversation/parts.ts';
import type { Consumption } from './consumption.ts';
import type { WireReply, WrittenReply } from './wire.ts';

/** Throws where the reply is no JSON object. */
export function replyTree(reply: WireReply): Tree {
  if (!isObject(reply.tree)) throw new SyntaxError('the reply is not a JSON object');
  return reply.tree;
}

/** A list that a reply of the wire must have, with one entry for each input. */
export function entriesOf(value: unknown, count: number, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new SyntaxError(`the reply has no list \`${name}\``);
  if (value.length !== count) throw new SyntaxError(`\`${name}\` has ${value.length} entries for ${count} inputs`);
  return value;
}

export function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

/** The fields of a reply that the wire does not know. */
export function unknownFields(tree: Tree, known: ReadonlySet<string>): readonly Loss[] {
  const losses = new LossList();
  for (const [name, value] of Object.entries(tree)) {
    if (!known.has(name) && value !== null) losses.add(name, 'is known to its own wire only');
  }
  return losses.all;
}

/** These operations write nothing, so what they read is all they use. */
export function inputTokens(count: number | undefined): Consumption {
  return count === undefined ? {} : { tokens: { input: { total: count }, output: {} } };
}

/** The usage object of the chat family and its relatives; some give only the sum, which is the input here. */
export function usageTokens(usage: unknown): number | undefined {
  if (!isObject(usage)) return undefined;
  return countOf(usage['prompt_tokens']) ?? countOf(usage['total_tokens']);
}

/** A request's body bounds its tokens, since none is shorter than a byte. */
export function tokensAtMost(count: number): Consumption {
  return { tokens: { input: { total: Math.max(1, count) }, output: { total: 0 } } };
}

export function jsonReply(value: unknown): WrittenReply {
  return { contentType: 'application/json', body: JSON.stringify(value) };
}
