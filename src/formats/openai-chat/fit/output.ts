/** Asks in the prompt for the shape of a reply that a chat server does not support as a field. */

import { anyJson, reportWords, wordsFor } from '../../../conversation/fit/output.ts';
import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { ModelProfile } from '../../../conversation/model-profile.ts';
import type { BodyChanges } from '../../body-changes.ts';

/** What has to be put into the prompt; undefined where the server supports the shape. */
function wordsOf({ response_format: shape }: Tree, { refuses }: ModelProfile): string | undefined {
  if (refuses === undefined || !isObject(shape)) return undefined;
  if (shape.type === 'json_object') return refuses.includes('jsonOutput') ? anyJson : undefined;
  const { json_schema: named } = shape;
  if (shape.type !== 'json_schema' || !isObject(named) || !isObject(named.schema)) return undefined;
  if (!refuses.includes('schemaOutput')) return undefined;
  return wordsFor(named.schema, typeof named.description === 'string' ? named.description : undefined);
}

/** Reads only. */
export function holdsUnfitOutput(tree: Tree, profile: ModelProfile): boolean {
  return wordsOf(tree, profile) !== undefined;
}

/** After other changes of the messages. */
export function fitOutput(tree: Tree, profile: ModelProfile, changes: BodyChanges): void {
  const words = wordsOf(tree, profile);
  if (words === undefined) return;
  const takesJson = profile.refuses?.includes('jsonOutput') !== true;
  if (takesJson) changes.set('response_format', { type: 'json_object' });
  else changes.remove('response_format');
  reportWords(words === anyJson ? 'JSON mode' : 'output schema', changes.losses);
  const messages = changes.made.get('messages') ?? changes.exactly('messages');
  if (Array.isArray(messages)) changes.set('messages', instructed(messages, words));
}

/**
 * After the existing instructions: the same place in every turn, so that a provider's cache of the prefix stays valid.
 */
function instructed(messages: readonly unknown[], words: string): readonly unknown[] {
  const first = messages.findIndex((message) => !isInstruction(message));
  const leading = first === -1 ? messages.length : first;
  const last = messages[leading - 1];
  if (!isObject(last)) return [{ role: 'system', content: words }, ...messages];
  const { content } = last;
  const said = Array.isArray(content) ? [...content, { type: 'text', text: words }] : `${content}\n\n${words}`;
  return messages.with(leading - 1, { ...last, content: said });
}

function isInstruction(message: unknown): boolean {
  return isObject(message) && (message.role === 'system' || message.role === 'developer');
}
