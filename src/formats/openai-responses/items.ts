/** A request's and a reply's turns in wire form, so that a reply can be gone on from by putting earlier items before new ones. */

import type { Tree } from '../../conversation/json-tree.ts';

/** What was said to the model, as items: a bare text is the user's message. */
export function inputItemsOf(request: Tree): readonly unknown[] {
  const { input } = request;
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  return Array.isArray(input) ? input : [];
}

/** What the model answered, as items that may stand in a later input. */
export function outputItemsOf(reply: Tree): readonly unknown[] {
  return Array.isArray(reply['output']) ? reply['output'] : [];
}
