/** What callers can do with their tasks: read one, list them, fetch videos, delete. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import {
  type AskParts,
  askProvider,
  askTimeoutMs,
  cancelAtProvider,
  keyFor,
  type VideoHost,
} from '../provider/ask-provider.ts';
import { openVideo, piecesOf, type SourceParts, UnfetchableError } from '../provider/result-source.ts';
import { isOpen, type Task, type TaskResult } from '../task.ts';
import type { TaskStore } from '../task-store.ts';

/** A video that Weir keeps, whole or a range of it, or one that is streamed from the provider. */
export type Content =
  | {
      readonly kind: 'kept';
      readonly mediaType: string;
      readonly bytes: number;
      open(
        range: ByteSpan | undefined,
      ): Promise<{ readonly body: Blob | ReadableStream<Uint8Array<ArrayBuffer>> } | undefined>;
    }
  | {
      readonly kind: 'passing';
      readonly mediaType: string;
      readonly status: number;
      readonly length: string | undefined;
      readonly range: string | undefined;
      readonly body: ReadableStream<Uint8Array>;
    };

interface ByteSpan {
  readonly start: number;
  /** The last byte, as HTTP counts. */
  readonly end: number;
}

export interface KeptResults {
  /** Was it kept, and not removed since, as far as all replicas know? */
  isKnown(name: string): Promise<boolean>;
  size(name: string): Promise<number | undefined>;
  open(
    name: string,
    range: ByteSpan | undefined,
  ): Promise<{ readonly body: Blob | ReadableStream<Uint8Array<ArrayBuffer>> } | undefined>;
}

export interface TaskServiceParts extends AskParts, SourceParts {
  readonly store: TaskStore;
  readonly results: KeptResults;
  hostOf(task: Task): VideoHost | undefined;
}

export interface ListRequest {
  readonly limit: number;
  /** The id of the last task of the page before. */
  readonly after: string | undefined;
  readonly order: 'asc' | 'desc';
}

export class TaskService {
  readonly #parts: TaskServiceParts;

  constructor(parts: TaskServiceParts) {
    this.#parts = parts;
  }

  async get(tokenId: string, id: string): Promise<Task> {
    return this.#asOfNow((await this.#parts.store.get(tokenId, id)) ?? unknownTask());
  }

  /** Expired results are not shown, even before the next cleanup removes them. */
  #asOfNow(task: Task): Task {
    return task.expiresAtMs !== undefined && task.expiresAtMs <= this.#parts.wallMs() ? { ...task, results: [] } : task;
  }

  async list(tokenId: string, request: ListRequest): ReturnType<TaskStore['list']> {
    const { items, hasMore } = await this.#page(tokenId, request);
    return { items: items.map((task) => this.#asOfNow(task)), hasMore };
  }

  async #page(tokenId: string, { limit, after, order }: ListRequest): ReturnType<TaskStore['list']> {
    const { store } = this.#parts;
    if (after === undefined) return store.list(tokenId, { limit, order });
    const last = await store.get(tokenId, after);
    if (last === undefined) {
      throw new GatewayError('field_invalid', '`after` is not one of your tasks.', { param: 'after' });
    }
    return store.list(tokenId, { limit, order, after: { atMs: last.createdAtMs, id: last.id } });
  }

  /** Cancels at the provider where that is possible; the task costs what the provider then reports. */
  async remove(tokenId: string, id: string): Promise<void> {
    const { store, wallMs, hostOf } = this.#parts;
    const task = await this.get(tokenId, id);
    if (!(await store.remove(tokenId, id, wallMs()))) unknownTask();
    const host = hostOf(task);
    if (!isOpen(task) || host === undefined) return;
    if (await cancelAtProvider(this.#parts, task, host, AbortSignal.timeout(askTimeoutMs))) {
      await store.hasten(id, wallMs());
    }
  }

  /** The task's webhook was called: the provider is polled soon. */
  hasten(id: string): Promise<boolean> {
    return this.#parts.store.hasten(id, this.#parts.wallMs());
  }

  /** For a signed URL, of any token's task. */
  async find(id: string): Promise<Task> {
    const task = await this.#parts.store.find(id);
    return task === undefined || task.deletedAtMs !== undefined ? unknownTask() : this.#asOfNow(task);
  }

  /** `range` is the caller's header: a provider that serves the video itself gets it as it came. */
  async openContent(task: Task, index: number, range: string | null, signal: AbortSignal): Promise<Content> {
    const { results } = this.#parts;
    const result = task.results[index];
    if (result === undefined) throw noContent(task);
    if (result.kind === 'at-provider') return this.#openThere(task, result, index, range ?? undefined, signal);
    const { name, mediaType } = result;
    const bytes = await results.size(name);
    if (bytes === undefined) throw gone(await results.isKnown(name));
    return { kind: 'kept', mediaType, bytes, open: (span) => results.open(name, span) };
  }

  /** A provider's URL lasts an hour or a day: where it fails, the provider is polled for another one. */
  async #openThere(
    task: Task,
    result: Extract<TaskResult, { kind: 'at-provider' }>,
    index: number,
    range: string | undefined,
    signal: AbortSignal,
  ): Promise<Content> {
    const host = this.#parts.hostOf(task);
    const key = host && keyFor(host.provider, task);
    if (host === undefined || key === undefined) {
      throw new GatewayError('not_found', 'The video is at a provider that is no longer configured.');
    }
    const known = { kind: 'url', url: result.url, needsKey: result.needsKey } as const;
    const open = (video: typeof known) => openVideo(this.#parts, host, key, video, signal, range);
    const reply = await open(known)
      .catch(async () => open(await this.#pollAgain(task, host, index, signal)))
      .catch((cause: unknown) => {
        throw cause instanceof UnfetchableError ? goneThere(cause) : cause;
      });
    return {
      kind: 'passing',
      mediaType: result.mediaType,
      status: reply.status,
      length: reply.header('content-length'),
      range: reply.header('content-range'),
      body: streamOf(piecesOf(reply, () => undefined)),
    };
  }

  async #pollAgain(task: Task, host: VideoHost, index: number, signal: AbortSignal) {
    const { ticket } = task;
    const answer = ticket && (await askProvider(this.#parts, task, ticket, host, signal));
    const progress = answer?.kind === 'progress' ? answer.progress : undefined;
    const video = progress?.state === 'completed' ? progress.videos[index] : undefined;
    if (video?.kind === 'url') return { kind: 'url', url: video.url, needsKey: video.needsKey } as const;
    throw new GatewayError('not_found', 'The provider no longer serves the video.');
  }
}

function unknownTask(): never {
  throw new GatewayError('not_found', 'Task not found.');
}

function gone(isKnown: boolean): GatewayError {
  const message = isKnown
    ? 'The video is in the data folder of another replica, which this one cannot read. The operator can set `results.bucket`, or let all replicas share one data folder.'
    : 'The video was deleted early because the storage limit for videos was reached.';
  return new GatewayError('not_found', message);
}

function goneThere(cause: UnfetchableError): GatewayError {
  return new GatewayError('upstream_failed', `The provider does not serve the video: ${cause.message}.`, { cause });
}

function noContent({ state, endedAtMs }: Task): GatewayError {
  if (state === 'completed' && endedAtMs !== undefined) {
    return new GatewayError('not_found', 'Video not found, or it has expired.');
  }
  const message = `The task has no video: it is ${state}. Ask for its content when it is completed.`;
  return new GatewayError('not_found', message);
}

/** Pulled: what the caller does not read is not read from the provider. */
function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await pieces.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
