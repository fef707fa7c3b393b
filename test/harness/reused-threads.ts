/** Threads of closed SQLite stores are used again in this process: starting one takes longer than most tests of a store. */

const threadFile = '/sqlite-worker.ts';
/** A thread that is not in use must not keep the process alive. */
type Thread = Worker & { ref(): void; unref(): void };

const idle: Thread[] = [];
const mark = Symbol.for('weir.test.reused-threads');

/** One store's use of a thread: after its end nothing that it does reaches the thread. A thread whose connection is closed is as a new one. */
class ThreadUse {
  onmessage: ((event: MessageEvent) => void) | undefined;
  onerror: ((event: ErrorEvent) => void) | undefined;
  #thread: Thread | undefined;
  #isClosed = false;
  #hasFailed = false;

  constructor(thread: Thread) {
    this.#thread = thread;
    thread.onmessage = (event) => this.onmessage?.(event);
    thread.onerror = (event) => {
      this.#hasFailed = true;
      this.onerror?.(event);
    };
  }

  postMessage(message: unknown): void {
    this.#isClosed = (message as { do?: unknown }).do === 'close';
    this.#thread?.postMessage(message);
  }

  terminate(): void {
    const thread = this.#thread;
    if (thread === undefined) return;
    this.#thread = undefined;
    thread.onmessage = null;
    thread.onerror = null;
    if (this.#isClosed && !this.#hasFailed) {
      thread.unref();
      idle.push(thread);
    } else {
      thread.terminate();
    }
  }
}

function useThread(start: () => Worker): ThreadUse {
  const found = idle.pop();
  found?.ref();
  return new ThreadUse(found ?? (start() as Thread));
}

/** From now on, for every store that this process opens. */
export function reuseStoreThreads(): void {
  const Started = globalThis.Worker;
  if (mark in Started) return;
  const Reusing = new Proxy(Started, {
    construct(target, given: ConstructorParameters<typeof Worker>) {
      const start = (): Worker => new target(...given);
      return String(given[0]).endsWith(threadFile) ? useThread(start) : start();
    },
    has: (target, key) => key === mark || key in target,
  });
  globalThis.Worker = Reusing;
}
