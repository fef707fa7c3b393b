/** A worker thread for jobs that keep a processor busy: started on first use, one job at a time, ended when idle or stuck. */

import { type ErrorCode, errorTable } from '../conversation/error-table.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { WorkerReply } from './serve-tasks.ts';

export interface ThreadOptions {
  /** For error messages: "the sandbox's video thread". */
  readonly name: string;
  readonly workerUrl: string;
  readonly idleMs?: number;
  /** A job that gives neither a result nor progress for this long fails, and the thread ends. */
  readonly silentMsMax?: number;
  readonly waitingMax?: number;
  /** Aborting the job in flight ends the thread. Otherwise the job runs to its end and its result is dropped. */
  readonly endsOnAbort?: boolean;
}

interface JobOptions {
  readonly signal?: AbortSignal | undefined;
  readonly transfer?: ArrayBuffer[];
  readonly onProgress?: (percent: number) => void;
}

/** A hold on one running thread: its memory lasts until the hold is released. If the thread ends earlier, later jobs of the hold fail. */
interface ThreadHold<Task, Result> {
  run(task: Task, options?: JobOptions): Promise<Result>;
  release(): void;
}

interface Job<Task, Result> {
  readonly task: Task;
  readonly transfer: ArrayBuffer[];
  readonly onProgress: ((percent: number) => void) | undefined;
  /** The thread that the job belongs to; absent where any thread serves. */
  readonly worker: Worker | undefined;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export class WorkerThread<Task, Result> {
  readonly #options: Required<ThreadOptions>;
  readonly #waiting: Job<Task, Result>[] = [];
  #current: Job<Task, Result> | undefined;
  #worker: Worker | undefined;
  #timer: Timer | undefined;
  #holds = 0;

  constructor(options: ThreadOptions) {
    this.#options = { idleMs: 30_000, silentMsMax: 60_000, waitingMax: 200, endsOnAbort: false, ...options };
  }

  get hasRoom(): boolean {
    return this.#current === undefined || this.#waiting.length < this.#options.waitingMax;
  }

  /** Rejects with the signal's reason when it is aborted. */
  run(task: Task, options: JobOptions = {}): Promise<Result> {
    return this.#enqueue(task, options, undefined);
  }

  hold(): ThreadHold<Task, Result> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    let held = true;
    this.#holds++;
    this.#watch();
    return {
      run: (task, options = {}) => this.#enqueue(task, options, worker),
      release: () => {
        if (!held) return;
        held = false;
        this.#holds--;
        this.#watch();
      },
    };
  }

  stop(): void {
    const stopped = new GatewayError('shutting_down', `${capitalized(this.#options.name)} is stopping.`);
    for (const job of this.#waiting.splice(0)) job.reject(stopped);
    this.#fail(stopped);
  }

  #enqueue(task: Task, options: JobOptions, worker: Worker | undefined): Promise<Result> {
    const { signal, transfer = [], onProgress } = options;
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    if (!this.hasRoom) {
      return Promise.reject(new GatewayError('gateway_overloaded', `Too many jobs wait for ${this.#options.name}.`));
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => signal?.removeEventListener('abort', withdraw);
      const job: Job<Task, Result> = {
        task,
        transfer,
        onProgress,
        worker,
        resolve(result) {
          leave();
          resolve(result);
        },
        reject(error) {
          leave();
          reject(error);
        },
      };
      const withdraw = (): void => {
        this.#withdraw(job);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', withdraw, { once: true });
      this.#waiting.push(job);
      this.#next();
    });
  }

  #withdraw(job: Job<Task, Result>): void {
    const at = this.#waiting.indexOf(job);
    if (at !== -1) this.#waiting.splice(at, 1);
    else if (this.#current === job && this.#options.endsOnAbort) {
      this.#current = undefined;
      this.#end();
      this.#next();
    }
  }

  #next(): void {
    while (this.#current === undefined) {
      const job = this.#waiting.shift();
      if (job === undefined) break;
      try {
        if (job.worker !== undefined && job.worker !== this.#worker) throw new Error('it ended');
        this.#worker ??= this.#start();
        this.#worker.postMessage(job.task, job.transfer);
        this.#current = job;
      } catch (error) {
        job.reject(this.#unusable(error instanceof Error ? error.message : String(error)));
      }
    }
    this.#watch();
  }

  #start(): Worker {
    // The thread must not keep a process alive that is done.
    const started = new Worker(this.#options.workerUrl, { ref: false });
    started.onmessage = ({ data }: MessageEvent<WorkerReply<Result>>) => {
      if (started === this.#worker) this.#receive(data);
    };
    started.onerror = (event: ErrorEvent) => {
      if (started === this.#worker) this.#fail(this.#unusable(event.message));
    };
    return started;
  }

  #receive(reply: WorkerReply<Result>): void {
    const job = this.#current;
    if (reply.kind === 'progress') {
      job?.onProgress?.(reply.percent);
      this.#watch();
      return;
    }
    const error = reply.kind === 'error' ? errorOf(reply) : undefined;
    // After a fault of the program itself the state of the thread is unknown.
    if (error?.code === 'internal_error') {
      this.#fail(error);
      return;
    }
    this.#current = undefined;
    if (error !== undefined) job?.reject(error);
    else if (reply.kind === 'result') job?.resolve(reply.result);
    this.#next();
  }

  /** Ends the thread with its job in flight; the next job gets a new thread. */
  #fail(error: GatewayError): void {
    const job = this.#current;
    this.#current = undefined;
    this.#end();
    job?.reject(error);
    this.#next();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#worker === undefined) return;
    const { name, idleMs, silentMsMax } = this.#options;
    if (this.#current !== undefined) {
      const late = new GatewayError('upstream_timeout', `${capitalized(name)} took too long.`);
      this.#timer = setTimeout(() => this.#fail(late), silentMsMax);
    } else if (this.#holds === 0) this.#timer = setTimeout(() => this.#end(), idleMs);
    this.#timer?.unref();
  }

  #unusable(why: string): GatewayError {
    return new GatewayError('provider_unavailable', `${capitalized(this.#options.name)} cannot be used.`, {
      cause: why,
    });
  }
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function errorOf({ code, message, param }: Extract<WorkerReply<unknown>, { kind: 'error' }>): GatewayError {
  return new GatewayError(Object.hasOwn(errorTable, code) ? (code as ErrorCode) : 'internal_error', message, { param });
}
