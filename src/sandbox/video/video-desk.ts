/** Takes orders for videos, says how far they are and hands them out; all that it must know of a task stands in the task's id. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import { openaiChat } from '../../formats/openai-chat/format.ts';
import { checkedModel, checkedTree } from '../../operations/field-checks.ts';
import { findModel } from '../models.ts';
import { readBody } from '../operations-handler.ts';
import type { SandboxOptions, SandboxRequest } from '../transport.ts';
import { filmKey } from './film.ts';
import { createFilmStudio, type FilmStudio } from './film-studio.ts';
import type { FilmThread } from './film-thread.ts';
import { planOf, readFilmWishes } from './film-wishes.ts';
import { readTaskId, type SandboxTask, type TaskEnding, writeTaskId } from './task-id.ts';

/** A task is seen waiting for so long, however quickly it is drawn: programs must know that state too. */
const queuedMs = 200;
const failsAfterMs = 1_000;
const lateFilmMs = 20_000;
const endedMax = 10_000;

/** The numbers that Weir's own tasks fail with. */
const failedCode = 1001;
const cancelledCode = 1003;

interface Failure {
  readonly code: number;
  readonly message: string;
}

type TaskState =
  | { readonly status: 'queued' | 'completed' }
  | { readonly status: 'in_progress'; readonly progress: number }
  | { readonly status: 'failed'; readonly error: Failure };

const onPurpose: Failure = { code: failedCode, message: 'sandbox-video-fail fails every video, on purpose.' };
const cancelled: Failure = { code: cancelledCode, message: 'The video was cancelled.' };

export interface VideoDesk {
  create(request: SandboxRequest): Promise<Response>;
  look(id: string): Promise<Response>;
  content(id: string, signal: AbortSignal): Promise<Response>;
  cancel(id: string): Promise<Response>;
}

export interface DeskOptions extends Pick<SandboxOptions, 'nowMs' | 'newId'> {
  readonly thread: FilmThread;
  /** Where its tasks lie. */
  readonly address: string;
}

export function createVideoDesk(options: DeskOptions): VideoDesk {
  const desk = new Desk(options);
  return {
    create: (request) => answered(() => desk.create(request)),
    look: (id) => answered(() => desk.shown(desk.find(id), id)),
    content: (id, signal) => answered(() => desk.content(desk.find(id), signal)),
    cancel: (id) => answered(() => desk.cancel(desk.find(id), id)),
  };
}

async function answered(work: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const headers = { 'content-type': 'application/json', ...error.headers };
    return new Response(openaiChat.errorBody(error, { requestId: '', ownLibrary: false }), {
      status: error.status,
      headers,
    });
  }
}

class Desk {
  readonly #options: DeskOptions;
  readonly #studio: FilmStudio;
  /** Ends that no id can tell, by the tasks' names; the oldest are forgotten first. */
  readonly #ended = new Map<string, Failure>();

  constructor(options: DeskOptions) {
    this.#options = options;
    this.#studio = createFilmStudio(options.thread);
  }

  find(id: string): SandboxTask {
    const task = readTaskId(id);
    if (task === undefined) throw new GatewayError('not_found', 'The sandbox has no such video task.');
    return task;
  }

  async create(request: SandboxRequest): Promise<Response> {
    const tree = checkedTree(await readBody(request));
    const ending = endingOf(tree);
    const wishes = readFilmWishes(tree);
    const { thread } = this.#options;
    const shrunk = (address: string | undefined, param: string) =>
      address === undefined ? undefined : thread.shrink(address, param);
    const [first, last] = await Promise.all([shrunk(wishes.image, 'image'), shrunk(wishes.lastFrame, 'last_frame')]);
    const task: SandboxTask = {
      name: this.#options.newId(),
      ending,
      createdAtMs: this.#options.nowMs(),
      plan: planOf(wishes, first, last),
    };
    if (ending !== 'failure' && !this.#start(task)) throw crowded();
    return this.shown(task, writeTaskId(task));
  }

  shown(task: SandboxTask, id: string): Response {
    const state = this.#stateOf(task);
    const { seed, width, height, fps, frames } = task.plan;
    const made = state.status === 'completed' && {
      url: `${this.#options.address}/${id}/content`,
      format: 'mp4',
      metadata: { duration: frames / fps, fps, width, height, seed },
    };
    return Response.json({ task_id: id, ...state, ...made });
  }

  /** Waits for a film that is still drawn: whoever asks after a restart has seen it finished before. */
  async content(task: SandboxTask, signal: AbortSignal): Promise<Response> {
    const elapsedMs = this.#options.nowMs() - task.createdAtMs;
    const ripeMs = task.ending === 'late-film' ? lateFilmMs : queuedMs;
    if (task.ending === 'failure' || this.#ended.has(task.name) || elapsedMs < ripeMs) {
      throw new GatewayError('not_found', 'There is no video yet, or there will be none.');
    }
    const key = filmKey(task.plan);
    if (!this.#studio.hasRoom(key)) throw crowded();
    const file = await unlessAborted(this.#studio.order(key, task.plan, task.name), signal);
    return new Response(file, { headers: { 'content-type': 'video/mp4', 'content-length': String(file.length) } });
  }

  /** What is finished stays finished; its file alone goes. */
  cancel(task: SandboxTask, id: string): Response {
    const key = filmKey(task.plan);
    const { status } = this.#stateOf(task);
    if (status === 'completed') this.#studio.drop(key);
    else if (status !== 'failed') {
      this.#end(task, cancelled);
      this.#studio.withdraw(key, task.name);
    }
    return this.shown(task, id);
  }

  #stateOf(task: SandboxTask): TaskState {
    const failure = this.#ended.get(task.name);
    if (failure !== undefined) return { status: 'failed', error: failure };
    const elapsedMs = this.#options.nowMs() - task.createdAtMs;
    if (task.ending === 'failure') return failing(elapsedMs);
    const film = this.#studio.stateOf(filmKey(task.plan));
    // A process that did not take the order, or was started since, draws the film for itself.
    if (film === undefined) this.#start(task);
    if (elapsedMs < queuedMs) return { status: 'queued' };
    const drawn = film?.finished === true ? 100 : (film?.percent ?? 0);
    const shown = task.ending === 'film' ? drawn : Math.min(drawn, percentOf(elapsedMs, lateFilmMs));
    return shown === 100 && film?.finished === true
      ? { status: 'completed' }
      : { status: 'in_progress', progress: Math.min(shown, 99) };
  }

  /** False where too many others wait. */
  #start(task: SandboxTask): boolean {
    const key = filmKey(task.plan);
    if (!this.#studio.hasRoom(key)) return false;
    this.#studio.order(key, task.plan, task.name).catch((error: unknown) => {
      const message = error instanceof GatewayError ? error.message : 'The video could not be drawn.';
      if (!this.#ended.has(task.name)) this.#end(task, { code: failedCode, message });
    });
    return true;
  }

  #end({ name }: SandboxTask, failure: Failure): void {
    this.#ended.set(name, failure);
    for (const oldest of this.#ended.keys()) {
      if (this.#ended.size <= endedMax) break;
      this.#ended.delete(oldest);
    }
  }
}

function endingOf(tree: Tree): TaskEnding {
  const name = checkedModel(tree);
  const model = findModel(name);
  if (model?.operations?.includes('make-video') !== true) {
    const message = `The sandbox has no model '${name.slice(0, 100)}' for this.`;
    throw new GatewayError('model_not_found', message, { param: 'model' });
  }
  return model.video ?? 'film';
}

function failing(elapsedMs: number): TaskState {
  if (elapsedMs < queuedMs) return { status: 'queued' };
  if (elapsedMs >= failsAfterMs) return { status: 'failed', error: onPurpose };
  return { status: 'in_progress', progress: percentOf(elapsedMs, failsAfterMs) };
}

function percentOf(elapsedMs: number, wholeMs: number): number {
  return Math.min(100, Math.floor((elapsedMs / wholeMs) * 100));
}

function crowded(): GatewayError {
  const message = 'Too many videos wait to be drawn. Please retry after 5 seconds.';
  return new GatewayError('rate_limited', message, { headers: { 'retry-after': '5' } });
}

/** The film itself is drawn on: others may want it. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
