/**
 * What a responses request refers to, and the ids that a reply creates.
 * https://platform.openai.com/docs/api-reference/responses (read 2026-11-15).
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { type ReferenceRules, referenceFinder } from '../../conversation/references/find-references.ts';
import { isOwnId, mayBeOlderOwnId } from '../../conversation/references/own-ids.ts';
import type { ReferenceKind } from '../../conversation/references/references.ts';
import { list, saysSomething, text } from './wire.ts';

/** `previous_response_id` is not among them: `memory` looks for it. */
const rules: ReferenceRules = {
  ids: new Map<string, ReferenceKind>([
    ['conversation', 'conversation'],
    ['prompt', 'prompt'],
    ['file_id', 'file'],
    ['file_ids', 'file'],
    ['vector_store_ids', 'vector store'],
    ['vector_store_id', 'vector store'],
    ['container', 'container'],
    ['container_id', 'container'],
    ['skill_id', 'skill'],
  ]),
  // Citations name what was read; no provider fetches it again.
  opaque: new Set(['metadata', 'parameters', 'schema', 'headers', 'annotations', 'results']),
  outbound: new Set(['server_url', 'connector_id']),
  refers(object, path) {
    const { type, id, role } = object;
    // Without their content, items of some types are only a reference to what the provider stored.
    if (type === 'reasoning') return isWhole(object) ? undefined : 'item';
    if (type === 'image_generation_call') return typeof object['result'] === 'string' ? undefined : 'item';
    if (type === 'item_reference') return 'item';
    const isBare = (type === undefined || type === null) && role === undefined && typeof id === 'string';
    return isBare && path[0] === 'input' ? 'item' : undefined;
  },
};

/** Beside what is sealed: what Weir wrote itself, which is the same as its text. Under these ids no provider has stored anything. */
export function isWhole(item: Tree): boolean {
  const { id, encrypted_content } = item;
  if (typeof encrypted_content === 'string' || isOwnId(id)) return true;
  return mayBeOlderOwnId(id) && saysSomething(item);
}

export const references = referenceFinder(rules);

/** The reply itself and its items; the containers that it opened and the files in them. */
export function madeIn(reply: Tree): readonly string[] {
  const made: string[] = [];
  add(made, reply['id']);
  const conversation = reply['conversation'];
  if (isObject(conversation)) add(made, conversation['id']);
  for (const item of list(reply['output'])) if (isObject(item)) addMade(made, item);
  return made;
}

export function madeInPart(item: Tree): readonly string[] {
  const made: string[] = [];
  addMade(made, item);
  return made;
}

export function addMade(made: string[], item: Tree): void {
  add(made, item['id']);
  add(made, item['container_id']);
  for (const part of list(item['content'])) {
    if (!isObject(part)) continue;
    for (const note of list(part['annotations'])) {
      if (!isObject(note) || note['type'] !== 'container_file_citation') continue;
      add(made, note['file_id']);
      add(made, note['container_id']);
    }
  }
}

function add(made: string[], id: unknown): void {
  const value = text(id);
  if (value !== undefined) made.push(value);
}
