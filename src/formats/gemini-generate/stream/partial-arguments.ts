/** Puts a call's arguments together from the pieces in which newer streams send them, each at its JSON path. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';

type Holder = Record<string, unknown> | unknown[];

const stepsMax = 64;

export class PartialArguments {
  /** Without a prototype, so that a property of any name is only a property. */
  readonly #root: Record<string, unknown> = Object.create(null);

  add(piece: unknown): void {
    if (!isObject(piece) || typeof piece.jsonPath !== 'string') return;
    const value = pieceValue(piece);
    const steps = stepsOf(piece.jsonPath);
    if (value === undefined || steps.length === 0 || steps.length > stepsMax) return;
    let holder: Holder = this.#root;
    for (const [index, step] of steps.entries()) {
      const key = Array.isArray(holder) ? placeIn(holder, step) : step;
      if (index === steps.length - 1) put(holder, key, value);
      else holder = holderAt(holder, key, steps[index + 1]);
    }
  }

  toString(): string {
    return JSON.stringify(this.#root);
  }
}

function pieceValue(piece: Tree): unknown {
  if (typeof piece.stringValue === 'string') return piece.stringValue;
  if (typeof piece.numberValue === 'number') return piece.numberValue;
  if (typeof piece.boolValue === 'boolean') return piece.boolValue;
  return 'nullValue' in piece ? null : undefined;
}

/** `$.a.b[0]['c d']` is the steps a, b, 0 and "c d". */
function stepsOf(path: string): (string | number)[] {
  const steps: (string | number)[] = [];
  for (const [, name, index, single, double] of path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]/g)) {
    if (index !== undefined) steps.push(Number(index));
    else steps.push(name ?? single ?? double ?? '');
  }
  return steps;
}

/** A list grows by one at a time; an index far beyond its end is a mistake, not a reason to fill memory. */
function placeIn(list: readonly unknown[], step: string | number): number {
  return typeof step === 'number' ? Math.min(step, list.length) : list.length;
}

function at(holder: Holder, key: string | number): unknown {
  return (holder as Record<string | number, unknown>)[key];
}

/** A text comes in pieces; anything else comes whole. */
function put(holder: Holder, key: string | number, value: unknown): void {
  const before = at(holder, key);
  const isContinued = typeof before === 'string' && typeof value === 'string';
  (holder as Record<string | number, unknown>)[key] = isContinued ? before + value : value;
}

function holderAt(holder: Holder, key: string | number, next: string | number | undefined): Holder {
  const known = at(holder, key);
  if (typeof known === 'object' && known !== null) return known as Holder;
  const made: Holder = typeof next === 'number' ? [] : Object.create(null);
  (holder as Record<string | number, unknown>)[key] = made;
  return made;
}
