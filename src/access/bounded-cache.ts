/** A map that never holds more than its maximum and evicts what was not used recently, at no cost on a hit. */

export interface BoundedCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  clear(): void;
  readonly size: number;
}

/**
 * Two generations: new and used entries live in the young one; when it holds half the maximum it becomes the old one
 * and the previous old one is dropped. Unlike re-inserting on each hit this writes nothing for a hot key.
 */
export function createBoundedCache<Value>(entriesMax: number): BoundedCache<Value> {
  const generationMax = Math.max(1, Math.floor(entriesMax / 2));
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();

  const set = (key: string, value: Value): void => {
    if (young.size >= generationMax && !young.has(key)) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
    old.delete(key);
  };

  return {
    get(key) {
      const recent = young.get(key);
      if (recent !== undefined) return recent;
      const earlier = old.get(key);
      if (earlier !== undefined) set(key, earlier);
      return earlier;
    },
    set,
    delete(key) {
      young.delete(key);
      old.delete(key);
    },
    clear() {
      young = new Map();
      old = new Map();
    },
    get size() {
      return young.size + old.size;
    },
  };
}
