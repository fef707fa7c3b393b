/** What identifies the turns of one conversation that continues as a growing prompt: how the prompt begins. */

import { type Affinity, affinityFrom, sessionIn } from '../../conversation/caching/affinity.ts';
import type { Tree } from '../../conversation/json-tree.ts';

/**
 * A prompt does not say where its first turn ends, so its beginning of fixed length is used. No provider caches shorter
 * prompts, and those would look different with every turn.
 */
const beginningCharacters = 1_024;
const beginningTokens = 256;

export function affinityOf(tree: Tree): Affinity | undefined {
  const { prompt } = tree;
  return affinityFrom(sessionIn(tree.session_id, tree.prompt_cache_key), beginningOf(prompt), [prompt]);
}

/** Of several prompts the first one; each is a text or its tokens. */
function beginningOf(prompt: unknown): string {
  if (typeof prompt === 'string')
    return prompt.length < beginningCharacters ? '' : prompt.slice(0, beginningCharacters);
  if (!Array.isArray(prompt)) return '';
  const first: unknown = prompt[0];
  if (typeof first === 'string') return beginningOf(first);
  const tokens: readonly unknown[] = Array.isArray(first) ? first : prompt;
  const isLong = typeof tokens[0] === 'number' && tokens.length >= beginningTokens;
  return isLong ? tokens.slice(0, beginningTokens).filter(Number.isInteger).join(' ') : '';
}
