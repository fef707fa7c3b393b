/** What identifies the turns of one chat conversation: the client's own key, or how the conversation opens. */

import { type Affinity, affinityFrom, sessionIn } from '../../conversation/caching/affinity.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import { openingText } from '../opening.ts';

export function affinityOf(tree: Tree): Affinity | undefined {
  const { messages } = tree;
  const tools = tree.tools ?? tree.functions;
  const prefix = openingText({ instructions: undefined, tools, turns: messages });
  // Compatible services have a session field of their own; where both are given, it is the narrower one.
  return affinityFrom(sessionIn(tree.session_id, tree.prompt_cache_key), prefix, [messages, tools]);
}
