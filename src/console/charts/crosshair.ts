/** The time that someone points at, shared by the charts of a page. */

import { useCallback, useState, useSyncExternalStore } from 'react';

const pointed = new Map<string, number>();
const watchers = new Set<() => void>();

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** Charts with the same name share it; one without a name has its own. */
export function useCrosshair(
  together: string | undefined,
): readonly [number | undefined, (atS: number | undefined) => void] {
  const shared = useSyncExternalStore(watch, () => (together === undefined ? undefined : pointed.get(together)));
  const [own, setOwn] = useState<number>();
  const point = useCallback(
    (atS: number | undefined) => {
      if (together === undefined) return setOwn(atS);
      if (pointed.get(together) === atS) return;
      if (atS === undefined) pointed.delete(together);
      else pointed.set(together, atS);
      for (const watcher of watchers) watcher();
    },
    [together],
  );
  return [together === undefined ? own : shared, point];
}
