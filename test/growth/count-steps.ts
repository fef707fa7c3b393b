/**
 * Counts the steps that work takes, in a process of its own: what the built-in functions walk over, and each read of an
 * input. No clock is involved, so that the count is the same on every machine.
 */

let steps = 0;
let isCounting = false;

type AnyFunction = (this: unknown, ...given: unknown[]) => unknown;
type Cost = (self: unknown, given: readonly unknown[], result: unknown) => number;

const { apply } = Reflect;
/** Characters that a native search or copy handles in the time of one step. */
const charactersPerStep = 16;

/** Of the function; what it calls in turn counts beside it. */
export function stepsOf(work: () => unknown): number {
  steps = 0;
  isCounting = true;
  try {
    work();
  } finally {
    isCounting = false;
  }
  return steps;
}

function count(holder: object, name: PropertyKey, cost: Cost): void {
  const described = Object.getOwnPropertyDescriptor(holder, name);
  const original = described?.value as AnyFunction | undefined;
  if (described === undefined || typeof original !== 'function') return;
  function counted(this: unknown, ...given: unknown[]): unknown {
    if (!isCounting) return apply(original as AnyFunction, this, given);
    // What the built-in calls by itself is part of it.
    const result = apply(original as AnyFunction, this, given);
    steps += cost(this, given, result);
    return result;
  }
  Object.defineProperty(holder, name, { ...described, value: counted });
}

const lengthOf = (value: unknown): number => {
  if (typeof value === 'string') return 1 + value.length / charactersPerStep;
  return Array.isArray(value) ? value.length : 1;
};
const self: Cost = (own) => lengthOf(own);
const result: Cost = (_own, _given, made) => lengthOf(made);
const first: Cost = (_own, [given]) => lengthOf(given);
const one: Cost = () => 1;
const found: Cost = (own, _given, at) => (typeof at === 'number' && at >= 0 ? at + 1 : lengthOf(own));
const bytes: Cost = (own) => 1 + (own as Uint8Array).length / charactersPerStep;
const bytesFound: Cost = (own, [, from = 0], at) => {
  const end = typeof at === 'number' && at >= 0 ? at : (own as Uint8Array).length;
  return 1 + Math.max(0, end - Number(from)) / charactersPerStep;
};

/** Each function of a type, by what it costs. */
function countAll(holder: object, costs: Readonly<Record<string, Cost>>): void {
  for (const [name, cost] of Object.entries(costs)) count(holder, name, cost);
}

/** Functions that call back for each element, also where they end early. */
function countCallbacks(holder: object, names: readonly string[]): void {
  for (const name of names) {
    const described = Object.getOwnPropertyDescriptor(holder, name);
    const original = described?.value as AnyFunction;
    Object.defineProperty(holder, name, {
      ...described,
      value(this: unknown, callback: unknown, ...others: unknown[]): unknown {
        if (!isCounting || typeof callback !== 'function') return apply(original, this, [callback, ...others]);
        const each = (...given: unknown[]): unknown => {
          steps += 1;
          return apply(callback as AnyFunction, others[0], given);
        };
        return apply(original, this, [each, ...others]);
      },
    });
  }
}

const iteratorOf = (value: Iterable<unknown>): object => Object.getPrototypeOf(value[Symbol.iterator]());

/** From here on every step is counted; the process is good for nothing else. */
export function install(): void {
  for (const iterable of [[], new Map(), new Set(), '']) count(iteratorOf(iterable), 'next', one);
  const array = Array.prototype;
  countCallbacks(
    array,
    'every filter find findIndex findLast findLastIndex flatMap forEach map reduce some'.split(' '),
  );
  countAll(array, { concat: result, flat: result, join: self, slice: result, reverse: self, sort: self });
  countAll(array, {
    toReversed: self,
    toSorted: self,
    with: self,
    splice: self,
    shift: self,
    unshift: self,
    fill: self,
  });
  countAll(array, { indexOf: found, lastIndexOf: self, includes: self, push: (_own, given) => given.length });
  countAll(Object, { keys: result, values: result, entries: result, assign: (_own, given) => sizeOf(given) });
  countAll(Object, { fromEntries: (_own, _given, made) => Object.getOwnPropertyNames(made).length });
  countAll(JSON, { parse: first, stringify: result });
  for (const { prototype } of [Map, Set, WeakMap]) countAll(prototype, { get: one, has: one, set: one, add: one });
  const text = String.prototype;
  countAll(text, {
    split: self,
    replace: self,
    replaceAll: self,
    trim: one,
    trimEnd: one,
    match: self,
    includes: self,
  });
  countAll(text, { indexOf: one, charCodeAt: one, codePointAt: one, toLowerCase: self, slice: result, at: one });
  countAll(RegExp.prototype, { exec: first, test: first });
  const typed = Object.getPrototypeOf(Uint8Array.prototype) as object;
  countAll(typed, { set: (_own, [given]) => lengthOf(given), slice: bytes, subarray: one, indexOf: bytesFound });
  countAll(DataView.prototype, { getUint32: one, getBigUint64: one, getUint16: one });
}

function sizeOf(objects: readonly unknown[]): number {
  let size = 0;
  for (const each of objects) if (typeof each === 'object' && each !== null) size += Reflect.ownKeys(each).length;
  return size;
}

const watched = new WeakMap<object, object>();

/** The same tree, each read of which is a step. */
export function watch<Tree>(tree: Tree): Tree {
  if (typeof tree !== 'object' || tree === null) return tree;
  const known = watched.get(tree);
  if (known !== undefined) return known as Tree;
  const proxy = new Proxy(tree as object, {
    get(target, name, receiver) {
      if (isCounting) steps += 1;
      return watch(Reflect.get(target, name, receiver));
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target);
      if (isCounting) steps += keys.length;
      return keys;
    },
    has(target, name) {
      if (isCounting) steps += 1;
      return Reflect.has(target, name);
    },
    // What is spread must be the same as what is read.
    getOwnPropertyDescriptor(target, name) {
      const described = Reflect.getOwnPropertyDescriptor(target, name);
      return described;
    },
  });
  watched.set(tree, proxy);
  watched.set(proxy, proxy);
  return proxy as Tree;
}
