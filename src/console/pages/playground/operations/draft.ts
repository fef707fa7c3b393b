/** What a person has typed into a tab of the playground: it outlives a look at another tab and a reload, and ends with the browser's tab. */

import { useCallback, useState } from 'react';

const prefix = 'weir.playground.';

/** `first` stands there until something else is written. */
export function useDraft<Value>(name: string, first: Value): readonly [Value, (value: Value) => void] {
  const [value, setValue] = useState<Value>(() => kept<Value>(name) ?? first);
  const set = useCallback(
    (next: Value) => {
      setValue(next);
      keep(name, next);
    },
    [name],
  );
  return [value, set];
}

export function kept<Value>(name: string): Value | undefined {
  try {
    const text = sessionStorage.getItem(prefix + name);
    return text === null ? undefined : (JSON.parse(text) as Value);
  } catch {
    return undefined;
  }
}

export function keep(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing, or has no room left: the draft then lasts as long as the page.
  }
}
