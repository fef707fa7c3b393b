/** Calls that found the session ended wait here until someone signed in again on the same page, and are then made once more. */

export interface Reentry {
  subscribe(listener: () => void): () => void;
  /** Is someone asked to sign in now? */
  isAsked(): boolean;
  /** Called for every call that found the session ended; resolves to whether it is worth making again. */
  ended(): Promise<boolean>;
  /** They signed in, or went elsewhere. */
  settle(isSignedIn: boolean): void;
}

export function createReentry(): Reentry {
  const listeners = new Set<() => void>();
  let waiting: PromiseWithResolvers<boolean> | undefined;
  const change = (next: PromiseWithResolvers<boolean> | undefined): void => {
    waiting = next;
    for (const listener of [...listeners]) listener();
  };
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    isAsked: () => waiting !== undefined,
    ended() {
      if (waiting === undefined) change(Promise.withResolvers<boolean>());
      return waiting?.promise ?? Promise.resolve(false);
    },
    settle(isSignedIn) {
      const settled = waiting;
      change(undefined);
      settled?.resolve(isSignedIn);
    },
  };
}
