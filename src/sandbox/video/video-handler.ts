/** Handles video tasks: create, retrieve, content, cancel. A task's id holds all that must be known of it. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import { openaiChat } from '../../formats/openai-chat/format.ts';
import { checkedModel, checkedTree } from '../../operations/field-checks.ts';
import { type ImageThread, imageThread } from '../images/image-thread.ts';
import { findModel } from '../models.ts';
import type { SandboxOptions, SandboxRequest } from '../options.ts';
import { readBody } from '../read-body.ts';
import { readTaskId, type SandboxTask, type TaskOutcome, writeTaskId } from './task-id.ts';
import { planOf, readVideoOptions } from './video-options.ts';
import { videoKey } from './video-plan.ts';
import { removeOldest, VideoRenderer } from './video-renderer.ts';
import { type VideoThread, videoThread } from './video-thread.ts';

/** A task is shown as queued for this long, however fast it renders, so that clients see that state. */
const queuedMs = 200;
const failsAfterMs = 1_000;
const lateMs = 20_000;
const endedMax = 10_000;

/** The codes of Weir's own task failures. */
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

export interface VideoHandler {
  create(request: SandboxRequest): Promise<Response>;
  retrieve(id: string): Promise<Response>;
  content(id: string, signal: AbortSignal): Promise<Response>;
  cancel(id: string): Promise<Response>;
}

export interface VideoHandlerOptions extends Pick<SandboxOptions, 'nowMs' | 'newId'> {
  readonly thread?: VideoThread;
  readonly images?: ImageThread;
  /** The URL of its tasks. */
  readonly url: string;
}

export function createVideoHandler(options: VideoHandlerOptions): VideoHandler {
  const tasks = new VideoTasks({ thread: videoThread, images: imageThread, ...options });
  return {
    create: (request) => answer(() => tasks.create(request)),
    retrieve: (id) => answer(() => tasks.show(tasks.find(id), id)),
    content: (id, signal) => answer(() => tasks.content(tasks.find(id), signal)),
    cancel: (id) => answer(() => tasks.cancel(tasks.find(id), id)),
  };
}

async function answer(work: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const headers = { 'content-type': 'application/json', ...error.headers };
    const body = openaiChat.errorBody(error, { requestId: '', ownLibrary: false });
    return new Response(body, { status: error.status, headers });
  }
}

class VideoTasks {
  readonly #options: Required<VideoHandlerOptions>;
  readonly #renderer: VideoRenderer;
  /** Failures that an id does not hold, by the tasks' names; the oldest are dropped first. */
  readonly #failures = new Map<string, Failure>();

  constructor(options: Required<VideoHandlerOptions>) {
    this.#options = options;
    this.#renderer = new VideoRenderer(options.thread);
  }

  find(id: string): SandboxTask {
    const task = readTaskId(id);
    if (task === undefined) throw new GatewayError('not_found', 'The sandbox has no such video task.');
    return task;
  }

  async create(request: SandboxRequest): Promise<Response> {
    const tree = checkedTree(await readBody(request));
    const outcome = outcomeOf(tree);
    const options = readVideoOptions(tree);
    const shrink = (url: string | undefined, param: string) =>
      url === undefined ? undefined : this.#options.images.thumbnail(url, param);
    const [first, last] = await Promise.all([shrink(options.image, 'image'), shrink(options.lastFrame, 'last_frame')]);
    const task: SandboxTask = {
      name: this.#options.newId(),
      outcome,
      createdAtMs: this.#options.nowMs(),
      plan: planOf(options, first, last),
    };
    if (outcome !== 'failure' && !this.#start(task)) throw overloaded();
    return this.show(task, writeTaskId(task));
  }

  show(task: SandboxTask, id: string): Response {
    const state = this.#stateOf(task);
    const { seed, width, height, fps, frames } = task.plan;
    const made = state.status === 'completed' && {
      url: `${this.#options.url}/${id}/content`,
      format: 'mp4',
      metadata: { duration: frames / fps, fps, width, height, seed },
    };
    return Response.json({ task_id: id, ...state, ...made });
  }

  /** Waits for a video that is still rendered: after a restart the client has seen it completed before. */
  async content(task: SandboxTask, signal: AbortSignal): Promise<Response> {
    const elapsedMs = this.#options.nowMs() - task.createdAtMs;
    const readyMs = task.outcome === 'late' ? lateMs : queuedMs;
    if (task.outcome === 'failure' || this.#failures.has(task.name) || elapsedMs < readyMs) {
      throw new GatewayError('not_found', 'There is no video yet, or there will be none.');
    }
    const key = videoKey(task.plan);
    if (!this.#renderer.hasRoom(key)) throw overloaded();
    const file = await unlessAborted(this.#renderer.render(key, task.plan, task.name), signal);
    return new Response(file, { headers: { 'content-type': 'video/mp4', 'content-length': String(file.length) } });
  }

  /** A completed task stays completed; only its file is dropped. */
  cancel(task: SandboxTask, id: string): Response {
    const key = videoKey(task.plan);
    const { status } = this.#stateOf(task);
    if (status === 'completed') this.#renderer.drop(key);
    else if (status !== 'failed') {
      this.#fail(task, cancelled);
      this.#renderer.withdraw(key, task.name);
    }
    return this.show(task, id);
  }

  #stateOf(task: SandboxTask): TaskState {
    const failure = this.#failures.get(task.name);
    if (failure !== undefined) return { status: 'failed', error: failure };
    const elapsedMs = this.#options.nowMs() - task.createdAtMs;
    if (task.outcome === 'failure') return failing(elapsedMs);
    const video = this.#renderer.stateOf(videoKey(task.plan));
    // Another process, or this one after a restart, renders the video for itself.
    if (video === undefined) this.#start(task);
    if (elapsedMs < queuedMs) return { status: 'queued' };
    const rendered = video?.finished === true ? 100 : (video?.percent ?? 0);
    const shown = task.outcome === 'late' ? Math.min(rendered, percentOf(elapsedMs, lateMs)) : rendered;
    return shown === 100 && video?.finished === true
      ? { status: 'completed' }
      : { status: 'in_progress', progress: Math.min(shown, 99) };
  }

  /** False where too many others wait. */
  #start(task: SandboxTask): boolean {
    const key = videoKey(task.plan);
    if (!this.#renderer.hasRoom(key)) return false;
    this.#renderer.render(key, task.plan, task.name).catch((error: unknown) => {
      const message = error instanceof GatewayError ? error.message : 'The video could not be rendered.';
      if (!this.#failures.has(task.name)) this.#fail(task, { code: failedCode, message });
    });
    return true;
  }

  #fail({ name }: SandboxTask, failure: Failure): void {
    this.#failures.set(name, failure);
    removeOldest(this.#failures, endedMax);
  }
}

function outcomeOf(tree: Tree): TaskOutcome {
  const name = checkedModel(tree);
  const model = findModel(name);
  if (model?.operations?.includes('make-video') !== true) {
    const message = `The sandbox has no model '${name.slice(0, 100)}' for this.`;
    throw new GatewayError('model_not_found', message, { param: 'model' });
  }
  return model.video ?? 'video';
}

function failing(elapsedMs: number): TaskState {
  if (elapsedMs < queuedMs) return { status: 'queued' };
  if (elapsedMs >= failsAfterMs) return { status: 'failed', error: onPurpose };
  return { status: 'in_progress', progress: percentOf(elapsedMs, failsAfterMs) };
}

function percentOf(elapsedMs: number, wholeMs: number): number {
  return Math.min(100, Math.floor((elapsedMs / wholeMs) * 100));
}

function overloaded(): GatewayError {
  const message = 'Too many videos wait to be rendered. Please retry after 5 seconds.';
  return new GatewayError('rate_limited', message, { headers: { 'retry-after': '5' } });
}

/** The rendering itself continues: other tasks may need it. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
