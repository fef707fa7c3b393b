/** The model that a body names, for the record of a request that is refused: the body need not be valid. */

import type { Tree } from '../../conversation/json-tree.ts';

/** Longer texts are no names of models. */
const nameLengthMax = 256;

export function modelNamed(tree: Tree): string | undefined {
  const { model } = tree;
  return typeof model === 'string' ? model.slice(0, nameLengthMax) : undefined;
}
