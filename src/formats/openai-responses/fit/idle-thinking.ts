/** Reasoning items of an input that no server can use: those that say nothing, and those that Weir wrote, where ids are looked up. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { BodyChanges } from '../../body-changes.ts';
import { isWhole } from '../references.ts';
import { saysNothing } from '../wire.ts';

/** By their place, why each is left out. */
type IdleThinking = ReadonlyMap<number, string>;

/** Reads only. Undefined where there is none: in nearly every request. */
export function idleThinking({ input }: Tree, looksUpIds: boolean): IdleThinking | undefined {
  if (!Array.isArray(input)) return undefined;
  let idle: Map<number, string> | undefined;
  for (let index = 0; index < input.length; index++) {
    const item: unknown = input[index];
    if (!isObject(item) || item['type'] !== 'reasoning') continue;
    const why = whyIdle(item, looksUpIds);
    if (why === undefined) continue;
    idle ??= new Map();
    idle.set(index, why);
  }
  return idle;
}

function whyIdle(item: Tree, looksUpIds: boolean): string | undefined {
  const { id, encrypted_content } = item;
  if (typeof encrypted_content === 'string') return undefined;
  if (saysNothing(item)) return 'says nothing';
  // The same on the translating lane, which finds no seal in it.
  const isUnknownThere = looksUpIds && typeof id === 'string' && isWhole(item);
  return isUnknownThere ? 'is accepted back only with its seal' : undefined;
}

export function leaveOutThinking(idle: IdleThinking, changes: BodyChanges): void {
  const items = changes.exactly('input') as readonly unknown[];
  changes.set(
    'input',
    items.filter((_, index) => !idle.has(index)),
  );
  for (const [index, why] of idle) changes.losses.add(`input[${index}] reasoning`, why);
}
