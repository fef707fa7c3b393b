/** The event loop's end of the film thread: one film is drawn at a time, the others wait here where they can still be withdrawn. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { FilmPlan, SmallPicture } from './film.ts';
import type { FilmAnswer, FilmTask } from './film-messages.ts';

export interface FilmThread {
  /** May one more film be ordered? */
  hasRoom(): boolean;
  /** Order only where there is room. Rejects with the signal's reason when it is aborted. */
  render(plan: FilmPlan, onPercent: (percent: number) => void, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** Is done between two frames of a film: nobody waits for a whole one. */
  shrink(address: string, param: string): Promise<SmallPicture>;
  stop(): void;
}

export interface FilmThreadOptions {
  readonly idleMs?: number;
  /** A thread that says nothing for so long is stuck. */
  readonly silenceMsMax?: number;
  readonly waitingMax?: number;
  /** Where the thread's code lies; absent means beside this file. */
  readonly workerUrl?: string;
}

type Outcome = Extract<FilmAnswer, { kind: 'film' | 'picture' }> | Error;

interface Job {
  readonly task: Exclude<FilmTask, { task: 'stop' }>;
  readonly onPercent?: (percent: number) => void;
  readonly settle: (outcome: Outcome) => void;
}

/** Pictures wait in the thread itself, each with its whole file. */
const shrinkingMax = 16;

/** A worker's file is found beside this one, and in the executable below its root. */
function ownWorkerUrl(): string {
  const path = Bun.isStandaloneExecutable ? './sandbox/video/film-worker.ts' : './film-worker.ts';
  return new URL(path, import.meta.url).href;
}

class RunningFilmThread implements FilmThread {
  readonly #options: Required<FilmThreadOptions>;
  readonly #waiting: Job[] = [];
  /** What the thread has been told to do and has not answered. */
  readonly #away = new Map<number, Job>();
  #rendering: Job | undefined;
  #worker: Worker | undefined;
  #timer: Timer | undefined;
  #lastJob = 0;

  constructor(options: Required<FilmThreadOptions>) {
    this.#options = options;
  }

  hasRoom(): boolean {
    return this.#rendering === undefined || this.#waiting.length < this.#options.waitingMax;
  }

  render(plan: FilmPlan, onPercent: (percent: number) => void, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (!this.hasRoom()) return Promise.reject(crowded('Too many videos wait to be drawn.'));
    return new Promise((resolve, reject) => {
      const job: Job = {
        task: { task: 'render', job: this.#nextJob(), plan },
        onPercent,
        settle(outcome) {
          signal.removeEventListener('abort', withdraw);
          if (outcome instanceof Error) reject(outcome);
          else if (outcome.kind === 'film') resolve(outcome.file);
        },
      };
      const withdraw = (): void => {
        const at = this.#waiting.indexOf(job);
        if (at !== -1) this.#waiting.splice(at, 1);
        // The thread stops at the next frame, and only then takes up another film.
        else this.#worker?.postMessage({ task: 'stop', job: job.task.job } satisfies FilmTask);
        reject(signal.reason);
      };
      signal.addEventListener('abort', withdraw, { once: true });
      this.#waiting.push(job);
      this.#renderNext();
    });
  }

  shrink(address: string, param: string): Promise<SmallPicture> {
    if (this.#away.size > shrinkingMax) return Promise.reject(crowded('Too many pictures wait to be read.'));
    return new Promise((resolve, reject) => {
      this.#send({
        task: { task: 'shrink', job: this.#nextJob(), address, param },
        settle(outcome) {
          if (outcome instanceof Error) reject(outcome);
          else if (outcome.kind === 'picture') resolve(outcome.picture);
        },
      });
    });
  }

  stop(): void {
    const stopped = new GatewayError('shutting_down', 'The sandbox is stopping.');
    for (const job of this.#waiting.splice(0)) job.settle(stopped);
    this.#fail(stopped);
    clearTimeout(this.#timer);
  }

  #nextJob(): number {
    this.#lastJob += 1;
    return this.#lastJob;
  }

  #renderNext(): void {
    if (this.#rendering !== undefined) return;
    this.#rendering = this.#waiting.shift();
    if (this.#rendering !== undefined) this.#send(this.#rendering);
  }

  #send(job: Job): void {
    this.#away.set(job.task.job, job);
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage(job.task);
      this.#rest();
    } catch (error) {
      this.#fail(unusable(error instanceof Error ? error.message : String(error)));
    }
  }

  #start(): Worker {
    // Nobody waits for a film at the end of a process: whoever asks for it later has it drawn again.
    const started = new Worker(this.#options.workerUrl, { ref: false });
    started.onmessage = ({ data }: MessageEvent<FilmAnswer>) => {
      if (started === this.#worker) this.#answered(data);
    };
    started.onerror = (event: ErrorEvent) => {
      if (started === this.#worker) this.#fail(unusable(event.message));
    };
    return started;
  }

  #answered(answer: FilmAnswer): void {
    const job = this.#away.get(answer.job);
    if (answer.kind === 'progress') {
      job?.onPercent?.(answer.percent);
      this.#rest();
      return;
    }
    if (answer.kind === 'failure' && answer.error.code === 'internal_error' && job === this.#rendering) {
      // The encoder may be left in any state, so the next film gets a new one.
      this.#fail(new GatewayError('upstream_failed', `The video could not be drawn: ${answer.error.message}`));
      return;
    }
    this.#away.delete(answer.job);
    if (job === this.#rendering) this.#rendering = undefined;
    const { code, message, param } =
      answer.kind === 'failure' ? answer.error : { code: undefined, message: '', param: '' };
    if (code !== undefined) job?.settle(new GatewayError(code, message, { param }));
    else if (answer.kind !== 'failure') job?.settle(answer);
    this.#renderNext();
    this.#rest();
  }

  /** The thread goes with everything that it has not finished; the next job gets a new one. */
  #fail(error: Error): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    const lost = [...this.#away.values()];
    this.#away.clear();
    this.#rendering = undefined;
    for (const job of lost) job.settle(error);
    this.#renderNext();
    this.#rest();
  }

  /** Waits for its next word, or ends a thread that has nothing to do. */
  #rest(): void {
    clearTimeout(this.#timer);
    if (this.#worker === undefined) return;
    const { idleMs, silenceMsMax } = this.#options;
    const late = new GatewayError('upstream_timeout', 'The video took too long to draw.');
    this.#timer = setTimeout(() => this.#fail(late), this.#away.size === 0 ? idleMs : silenceMsMax);
    this.#timer.unref();
  }
}

function crowded(message: string): GatewayError {
  return new GatewayError('rate_limited', message, { headers: { 'retry-after': '5' } });
}

function unusable(why: string): GatewayError {
  return new GatewayError('provider_unavailable', "The sandbox's film thread cannot be used.", { cause: why });
}

export function createFilmThread(options: FilmThreadOptions = {}): FilmThread {
  const { idleMs = 30_000, silenceMsMax = 30_000, waitingMax = 32, workerUrl = ownWorkerUrl() } = options;
  return new RunningFilmThread({ idleMs, silenceMsMax, waitingMax, workerUrl });
}
