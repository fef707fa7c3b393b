/** What the fields of a tab are filled with and read from: examples that take turns, texts line by line, numbers that may be absent. */

import { useRef } from 'react';

interface Examples<Example> {
  readonly first: Example;
  readonly second: Example;
}

export function useNextExample<Example>(examples: Examples<Example>, use: (example: Example) => void): () => void {
  // The first stands in the fields from the start.
  const isFirst = useRef(true);
  return () => {
    isFirst.current = !isFirst.current;
    use(isFirst.current ? examples.first : examples.second);
  };
}

/** Texts of which each has a line of its own. */
export function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** A number that may be left out; what is none counts as left out. */
export function optionalNumber(text: string): number | undefined {
  const value = Number(text);
  return text.trim() === '' || !Number.isFinite(value) ? undefined : value;
}
