/**
 * What a chat request refers to, and the ids that a reply creates. https://platform.openai.com/docs/api-reference/chat
 * (read 2026-11-15).
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { type ReferenceRules, referenceFinder } from '../../conversation/references/find-references.ts';
import { isOwnId } from '../../conversation/references/own-ids.ts';
import type { ReferenceKind } from '../../conversation/references/references.ts';

const rules: ReferenceRules = {
  ids: new Map<string, ReferenceKind>([
    ['file_id', 'file'],
    ['file_ids', 'file'],
    ['vector_store_ids', 'vector store'],
    ['container', 'container'],
    ['container_id', 'container'],
    // An audio turn of the assistant; the field of the same name at the top sets the voice and has no id.
    ['audio', 'audio'],
  ]),
  opaque: new Set([
    'metadata',
    'function',
    'tool_calls',
    'parameters',
    'schema',
    'headers',
    'annotations',
    'logit_bias',
  ]),
  outbound: new Set(['server_url', 'connector_id']),
  means: (field, value) => field !== 'audio' || !isOwnWhole(value),
};

/** A recording that Weir passed on under an id of its own: its transcript is all that a model reads of it. */
export function isOwnWhole(audio: unknown): audio is Tree & { readonly transcript: string } {
  return isObject(audio) && isOwnId(audio['id']) && typeof audio['transcript'] === 'string';
}

export const references = referenceFinder(rules);

/** An audio reply, which a later request may name instead of sending it. */
export function madeIn(reply: Tree): readonly string[] {
  const made: string[] = [];
  const { choices } = reply;
  if (!Array.isArray(choices)) return made;
  for (const choice of choices) {
    const message: unknown = isObject(choice) ? choice['message'] : undefined;
    const audio: unknown = isObject(message) ? message['audio'] : undefined;
    if (isObject(audio) && typeof audio['id'] === 'string') made.push(audio['id']);
  }
  return made;
}
