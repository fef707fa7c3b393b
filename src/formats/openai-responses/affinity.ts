/** What identifies the turns of one conversation in the responses format: the client's own key, or how it opens. */

import { type Affinity, affinityFrom, sessionIn } from '../../conversation/caching/affinity.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { openingText } from '../opening.ts';
import { text } from './wire.ts';

export function affinityOf(tree: Tree): Affinity | undefined {
  const { input, instructions, tools, prompt, conversation } = tree;
  const named = isObject(conversation) ? conversation.id : conversation;
  // A conversation id names one conversation; a cache key may be shared by many.
  const session = sessionIn(named, tree.session_id, tree.prompt_cache_key);
  const turns = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const prefix = showsOpening(tree) ? openingText({ instructions: [instructions, prompt], tools, turns }) : '';
  return affinityFrom(session, prefix, [input, instructions, tools]);
}

/**
 * A request that continues something stored elsewhere carries its newest turn only, which looks like the first one of
 * another.
 */
function showsOpening(tree: Tree): boolean {
  return (text(tree.previous_response_id) ?? '') === '';
}
