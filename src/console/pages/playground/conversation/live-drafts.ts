/** Replies while they stream, apart from the conversation: only the one view that shows a draft is drawn again, once a frame. */

import type { Draft } from '../formats/format-adapter.ts';

export interface LiveDrafts {
  set(key: string, draft: Draft): void;
  remove(key: string): void;
  get(key: string): Draft | undefined;
  subscribe(key: string, listener: () => void): () => void;
}

export function createLiveDrafts(soon: (run: () => void) => void): LiveDrafts {
  const latest = new Map<string, Draft>();
  const shown = new Map<string, Draft>();
  const listeners = new Map<string, Set<() => void>>();
  const waiting = new Set<string>();
  const tell = (key: string) => {
    for (const listener of listeners.get(key) ?? []) listener();
  };
  const show = (key: string) => {
    waiting.delete(key);
    const draft = latest.get(key);
    if (draft === undefined) return;
    shown.set(key, draft);
    tell(key);
  };
  return {
    set(key, draft) {
      latest.set(key, draft);
      if (waiting.has(key)) return;
      waiting.add(key);
      soon(() => show(key));
    },
    remove(key) {
      latest.delete(key);
      shown.delete(key);
      tell(key);
    },
    get: (key) => shown.get(key),
    subscribe(key, listener) {
      const set = listeners.get(key) ?? new Set();
      listeners.set(key, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0) listeners.delete(key);
      };
    },
  };
}
