/** Seeded pseudo-random numbers: each purpose has its own sequence, so that one more thing moves no other. */

export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  between(from: number, to: number): number;
  below(count: number): number;
}

/** FNV-1a, 32 bits. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

export function randomFrom(text: string): Random {
  let state = hashText(text);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    between: (from, to) => from + (to - from) * next(),
    below: (count) => Math.floor(next() * count),
  };
}
