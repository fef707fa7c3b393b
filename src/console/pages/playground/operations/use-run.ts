/** One request of a tab from the press of its button to its result; it goes on, and its result stays, while another tab is looked at. */

import { useSyncExternalStore } from 'react';
import type { CallFacts } from './call.ts';

interface RunState<Result> {
  readonly isGoing: boolean;
  /** The latest: a part of it while it is still coming, and what was there before until something new is. */
  readonly result: Result | undefined;
  readonly error: unknown;
  /** From the press to the end. */
  readonly tookMs: number | undefined;
  /** Of each call that it made. */
  readonly facts: readonly CallFacts[];
}

/** Goes into the options of every call that the run makes. */
interface RunCall {
  readonly signal: AbortSignal;
  note(facts: CallFacts): void;
}

export type Work<Result> = (call: RunCall, show: (part: Result) => void) => Promise<Result>;

export interface Run<Result> extends RunState<Result> {
  start(work: Work<Result>): void;
  stop(): void;
  clear(): void;
}

interface Store {
  state: RunState<unknown>;
  abort: AbortController | undefined;
  readonly listeners: Set<() => void>;
}

const nothing: RunState<never> = { isGoing: false, result: undefined, error: undefined, tookMs: undefined, facts: [] };
const stores = new Map<string, Store>();

function storeOf(name: string): Store {
  const known = stores.get(name);
  if (known !== undefined) return known;
  const store: Store = { state: nothing, abort: undefined, listeners: new Set() };
  stores.set(name, store);
  return store;
}

function change(store: Store, state: RunState<unknown>): void {
  store.state = state;
  for (const listener of store.listeners) listener();
}

/** `name` is the tab's: whoever asks with the same name sees the same run. */
export function useRun<Result>(name: string): Run<Result> {
  const store = storeOf(name);
  const state = useSyncExternalStore(
    (listener) => {
      store.listeners.add(listener);
      return () => store.listeners.delete(listener);
    },
    () => store.state,
  );
  return {
    ...(state as RunState<Result>),
    start: (work) => void begin(store, work as Work<unknown>),
    stop: () => store.abort?.abort(),
    clear: () => change(store, nothing),
  };
}

async function begin(store: Store, work: Work<unknown>): Promise<void> {
  store.abort?.abort();
  const abort = new AbortController();
  store.abort = abort;
  const startedAtMs = performance.now();
  change(store, { ...store.state, isGoing: true, error: undefined, tookMs: undefined, facts: [] });
  /** A run that was replaced has nothing more to say. */
  const isCurrent = () => store.abort === abort;
  const end = (state: Partial<RunState<unknown>>) => {
    if (!isCurrent()) return;
    store.abort = undefined;
    change(store, { ...store.state, isGoing: false, tookMs: performance.now() - startedAtMs, ...state });
  };
  try {
    const note = (known: CallFacts) => {
      const others = store.state.facts.filter(({ requestId }) => requestId !== known.requestId);
      if (isCurrent()) change(store, { ...store.state, facts: [...others, known] });
    };
    const result = await work({ signal: abort.signal, note }, (part) => {
      if (isCurrent() && !abort.signal.aborted) change(store, { ...store.state, result: part });
    });
    end({ result });
  } catch (error) {
    // Whoever pressed stop knows why it ended.
    if (abort.signal.aborted) end({});
    else end({ error, result: undefined });
  }
}
