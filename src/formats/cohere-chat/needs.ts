/** What a request of Cohere's chat format asks of a model; never throws, whatever the body holds. */

import type { Tree } from '../../conversation/json-tree.ts';
import type { Needs } from '../../conversation/needs.ts';
import { needsOf as chatNeedsOf } from '../openai-chat/needs.ts';

/** Messages, tools and the reply's shape are where the chat format has them; the choice is spelled in capitals. */
export function needsOf(tree: Tree): Needs {
  return chatNeedsOf(tree.tool_choice === 'NONE' ? { ...tree, tool_choice: 'none' } : tree);
}
