/** The event loop's end of the drawing thread: one job is away at a time, the others wait here where they can still be withdrawn. */

import type { ErrorCode } from '../../conversation/error-table.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { MadePicture, PictureJob } from './picture-job.ts';
import type { PictureAnswer } from './picture-worker.ts';

export interface CarriedError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly param: string;
}

export interface PictureThread {
  /** Rejects with the signal's reason when it is aborted. */
  run(job: PictureJob, signal?: AbortSignal): Promise<MadePicture>;
  stop(): void;
}

export interface PictureThreadOptions {
  readonly idleMs?: number;
  readonly jobMs?: number;
  readonly waitingMax?: number;
  /** Where the thread's code lies; absent means beside this file. */
  readonly workerUrl?: string;
}

interface Waiting {
  readonly job: PictureJob;
  readonly settle: (outcome: MadePicture | Error) => void;
}

/** A worker's file is found beside this one, and in the executable below its root. */
function ownWorkerUrl(): string {
  const path = Bun.isStandaloneExecutable ? './sandbox/pictures/picture-worker.ts' : './picture-worker.ts';
  return new URL(path, import.meta.url).href;
}

export function createPictureThread(options: PictureThreadOptions = {}): PictureThread {
  const { idleMs = 30_000, jobMs = 30_000, waitingMax = 200, workerUrl = ownWorkerUrl() } = options;
  const waiting: Waiting[] = [];
  let worker: Worker | undefined;
  let away: Waiting | undefined;
  let timer: Timer | undefined;

  function end(): void {
    clearTimeout(timer);
    worker?.terminate();
    worker = undefined;
  }

  /** The thread goes with a job that it does not finish; the next job gets a new one. */
  function fail(error: Error): void {
    end();
    finish(error);
  }

  function finish(outcome: MadePicture | Error): void {
    clearTimeout(timer);
    const done = away;
    away = undefined;
    done?.settle(outcome);
    if (away === undefined) sendNext();
  }

  function sendNext(): void {
    away = waiting.shift();
    if (away === undefined) {
      timer = setTimeout(end, idleMs);
      timer.unref();
      return;
    }
    try {
      worker ??= start();
    } catch (error) {
      fail(unavailable(error instanceof Error ? error.message : String(error)));
      return;
    }
    timer = setTimeout(() => fail(new GatewayError('upstream_timeout', 'The picture took too long to draw.')), jobMs);
    worker.postMessage(away.job);
  }

  function start(): Worker {
    // An idle thread must not keep a process alive that is done; while a job is away its timer does.
    const started = new Worker(workerUrl, { ref: false });
    started.onmessage = ({ data }: MessageEvent<PictureAnswer>) => {
      if (started === worker) finish(data.ok ? data.made : revealed(data.error));
    };
    started.onerror = (event: ErrorEvent) => {
      if (started === worker) fail(unavailable(event.message));
    };
    return started;
  }

  return {
    run(job, signal) {
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      if (waiting.length >= waitingMax) {
        return Promise.reject(new GatewayError('gateway_overloaded', 'Too many pictures wait to be drawn.'));
      }
      return new Promise((resolve, reject) => {
        const entry: Waiting = {
          job,
          settle(outcome) {
            signal?.removeEventListener('abort', withdraw);
            if (outcome instanceof Error) reject(outcome);
            else resolve(outcome);
          },
        };
        // A job that is away ends by itself within a second or so, and its picture is thrown away.
        const withdraw = (): void => {
          const at = waiting.indexOf(entry);
          if (at !== -1) waiting.splice(at, 1);
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', withdraw, { once: true });
        waiting.push(entry);
        if (away === undefined) {
          clearTimeout(timer);
          sendNext();
        }
      });
    },
    stop() {
      const stopped = new GatewayError('shutting_down', 'The sandbox is stopping.');
      for (const entry of waiting.splice(0)) entry.settle(stopped);
      const last = away;
      away = undefined;
      end();
      last?.settle(stopped);
    },
  };
}

function unavailable(why: string): GatewayError {
  return new GatewayError('provider_unavailable', "The sandbox's drawing thread cannot be used.", { cause: why });
}

function revealed({ code, message, param }: CarriedError): GatewayError {
  return new GatewayError(code, message, { param });
}
