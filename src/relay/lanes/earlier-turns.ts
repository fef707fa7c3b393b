/** Turns of an earlier reply, put into the request that continues from it. */

import type { Tree } from '../../formats/format.ts';

/** Top-level fields that put earlier turns into the request; `undefined` removes a field. */
export type EarlierTurns = ReadonlyMap<string, unknown>;

export function withEarlier(tree: Tree, earlier: EarlierTurns): Tree {
  const whole: Record<string, unknown> = { ...tree };
  for (const [name, value] of earlier) {
    if (value === undefined) delete whole[name];
    else whole[name] = value;
  }
  return whole;
}
