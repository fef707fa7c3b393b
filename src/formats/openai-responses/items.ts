/**
 * A request's and a reply's turns in wire form, so that a reply can be continued by putting earlier items before new
 * ones.
 */

import type { Tree } from '../../conversation/json-tree.ts';

/** The input of the model, as items: a bare text is the user's message. */
export function inputItemsOf(request: Tree): readonly unknown[] {
  const { input } = request;
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  return Array.isArray(input) ? input : [];
}

/** The output of the model, as items that are valid in a later input. */
export function outputItemsOf(reply: Tree): readonly unknown[] {
  return Array.isArray(reply['output']) ? reply['output'] : [];
}
