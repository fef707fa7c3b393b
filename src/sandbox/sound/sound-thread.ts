/** The event loop's end of the sound thread: starts it on first use, gives it one task at a time, and ends it when it is idle or stuck. */

import { type ErrorCode, errorTable } from '../../conversation/error-table.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { SoundAnswer, SoundResult, SoundTask } from './sound-messages.ts';

const idleMs = 30_000;
const taskMs = 60_000;
const waitingTasksMax = 256;

interface Waiting {
  readonly task: SoundTask;
  readonly transfer: ArrayBuffer[];
  readonly resolve: (result: SoundResult) => void;
  readonly reject: (error: GatewayError) => void;
}

/** A claim on one running thread: what it remembers of a job stays as long as the claim, or the claim fails. */
export interface ThreadClaim {
  ask(task: SoundTask, transfer?: ArrayBuffer[]): Promise<SoundResult>;
  /** Tells the thread something whose answer nobody awaits. */
  tell(task: SoundTask): void;
  release(): void;
}

export interface SoundThread {
  claim(): ThreadClaim;
  stop(): void;
}

/** A worker's file is found beside this one, and in the executable below its root. */
function workerUrl(): string {
  const path = Bun.isStandaloneExecutable ? './sandbox/sound/sound-worker.ts' : './sound-worker.ts';
  return new URL(path, import.meta.url).href;
}

const threadEnded = (message = 'it was stopped'): GatewayError =>
  new GatewayError('upstream_failed', `The sandbox's sound thread ended: ${message}.`);

/** One life of the thread, from its start to its end. */
class RunningThread {
  readonly #worker: Worker;
  readonly #onEnd: () => void;
  readonly #waiting: Waiting[] = [];
  #current: Waiting | undefined;
  #deadline: Timer | undefined;
  #idle: Timer | undefined;
  #claims = 0;
  #ended = false;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
    // A gateway that shuts down does not wait for a thread that has nothing to say.
    this.#worker = new Worker(workerUrl(), { ref: false });
    this.#worker.onmessage = ({ data }: MessageEvent<SoundAnswer>) => this.#answered(data);
    this.#worker.onerror = (event: ErrorEvent) => this.end(threadEnded(event.message));
  }

  claim(): ThreadClaim {
    this.#claims++;
    clearTimeout(this.#idle);
    let held = true;
    return {
      ask: (task, transfer = []) => this.#ask(task, transfer),
      tell: (task) => void this.#ask(task, []).catch(() => undefined),
      release: () => {
        if (!held) return;
        held = false;
        this.#claims--;
        this.#restIfIdle();
      },
    };
  }

  end(reason: GatewayError): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#deadline);
    clearTimeout(this.#idle);
    this.#worker.terminate();
    this.#current?.reject(reason);
    for (const waiting of this.#waiting.splice(0)) waiting.reject(reason);
    this.#current = undefined;
    this.#onEnd();
  }

  #ask(task: SoundTask, transfer: ArrayBuffer[]): Promise<SoundResult> {
    if (this.#ended) return Promise.reject(threadEnded());
    if (this.#waiting.length >= waitingTasksMax) {
      return Promise.reject(new GatewayError('gateway_overloaded', 'Too many sounds wait to be made or heard.'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, transfer, resolve, reject });
      this.#next();
    });
  }

  /** The time limit counts from here, so that waiting for others is nobody's fault. */
  #next(): void {
    if (this.#current !== undefined) return;
    this.#current = this.#waiting.shift();
    if (this.#current === undefined) return;
    this.#deadline = setTimeout(() => {
      this.end(
        new GatewayError('upstream_timeout', `The sandbox did not finish a sound in ${taskMs / 1_000} seconds.`),
      );
    }, taskMs);
    this.#worker.postMessage(this.#current.task, this.#current.transfer);
  }

  #answered(answer: SoundAnswer): void {
    clearTimeout(this.#deadline);
    const asked = this.#current;
    this.#current = undefined;
    if (answer.ok) asked?.resolve(answer.result);
    else asked?.reject(revealError(answer));
    this.#next();
    this.#restIfIdle();
  }

  #restIfIdle(): void {
    if (this.#ended || this.#claims > 0 || this.#current !== undefined) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.end(threadEnded('it was idle')), idleMs);
    this.#idle.unref();
  }
}

function revealError({ code, message, param }: SoundAnswer & { ok: false }): GatewayError {
  return new GatewayError(Object.hasOwn(errorTable, code) ? (code as ErrorCode) : 'internal_error', message, { param });
}

export function createSoundThread(): SoundThread {
  let running: RunningThread | undefined;
  return {
    claim() {
      if (running === undefined) {
        const started = new RunningThread(() => {
          if (running === started) running = undefined;
        });
        running = started;
      }
      return running.claim();
    },
    stop() {
      running?.end(threadEnded());
    },
  };
}
