/**
 * The item that replaces a conversation: Weir's own holds its summary, which every model can read; a provider's is
 * opaque.
 */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { Message, Part } from '../../../conversation/parts.ts';
import { readSeal, writeSeal } from '../../../conversation/seals/seal.ts';
import { text } from '../wire.ts';

/** The origin of the seal: no provider. */
const origin = { format: 'weir-compaction', provider: '', model: '' } as const;
const introduction = 'Summary of the conversation before this point:\n\n';

/** Does the input end with the item that asks for a compaction instead of an answer? */
export function asksToCompact({ input }: Tree): boolean {
  const last: unknown = Array.isArray(input) ? input.at(-1) : undefined;
  return isObject(last) && last['type'] === 'compaction_trigger';
}

/** Throws a SyntaxError if the model wrote no summary. */
export function compactedItem(summary: string, newId: (prefix: string) => string): Tree {
  if (summary.trim() === '') throw new SyntaxError('the model wrote no summary');
  return { id: newId('cmp_'), type: 'compaction', encrypted_content: writeSeal({ value: summary, origin }) };
}

export function summaryIn(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The summary in an opaque text; undefined if the text is not Weir's, or holds something else. */
export function summaryOf(sealed: string): string | undefined {
  const seal = readSeal(sealed, '');
  return seal.origin.format === origin.format ? seal.value : undefined;
}

/** The turn that Weir's item replaces; undefined where a provider made it. */
export function readCompacted(item: Tree): Message | undefined {
  const summary = summaryOf(text(item['encrypted_content']) ?? '');
  return summary === undefined ? undefined : { role: 'user', parts: [{ type: 'text', text: introduction + summary }] };
}
