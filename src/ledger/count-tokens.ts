/** Counts the tokens of a text, only where a provider reported no usage. The thread that counts ends when unused. */

import { threadUrl } from '../program/places.ts';

const idleMs = 30_000;
const waitingMax = 2_000;
const textCharactersMax = 1_000_000;
const charactersPerToken = 4;

export interface TokenCounter {
  count(text: string): Promise<number>;
  stop(): void;
}

interface Waiting {
  readonly resolve: (tokens: number) => void;
  readonly roughly: number;
  readonly timer: Timer;
}

/** After `answerMs` without a count the estimate is used. */
export function createTokenCounter({ answerMs = 10_000 } = {}): TokenCounter {
  let worker: Worker | undefined;
  let idle: Timer | undefined;
  let nextId = 0;
  const waiting = new Map<number, Waiting>();

  const answer = (id: number, tokens: number | undefined): void => {
    const asked = waiting.get(id);
    if (asked === undefined) return;
    waiting.delete(id);
    clearTimeout(asked.timer);
    asked.resolve(tokens ?? asked.roughly);
    if (waiting.size === 0) idle = setTimeout(stop, idleMs);
  };

  function stop(): void {
    clearTimeout(idle);
    worker?.terminate();
    worker = undefined;
    for (const id of [...waiting.keys()]) answer(id, undefined);
    clearTimeout(idle);
  }

  function start(): Worker {
    const started = new Worker(threadUrl('ledger/count-tokens-worker.ts'));
    started.onmessage = ({ data }: MessageEvent<{ id: number; tokens: number }>) => answer(data.id, data.tokens);
    // Without its tables the count is rough; the row says `estimated` either way.
    started.onerror = () => stop();
    return started;
  }

  return {
    stop,
    count(text) {
      if (text === '') return Promise.resolve(0);
      const roughly = Math.ceil(text.length / charactersPerToken);
      if (waiting.size >= waitingMax || text.length > textCharactersMax) return Promise.resolve(roughly);
      clearTimeout(idle);
      worker ??= start();
      const id = nextId++;
      const { promise, resolve } = Promise.withResolvers<number>();
      waiting.set(id, { resolve, roughly, timer: setTimeout(() => answer(id, undefined), answerMs) });
      worker.postMessage({ id, text });
      return promise;
    },
  };
}
