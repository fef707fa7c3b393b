/** A task as the official library's `Video`, so that its users find every field that its types promise. */

import { errorOf, factsOf, type ShownTask } from './task-object.ts';

interface VideoObject {
  readonly id: string;
  readonly object: 'video';
  readonly model: string;
  readonly status: ShownTask['state'];
  readonly progress: number;
  readonly created_at: number;
  readonly completed_at: number | null;
  readonly expires_at: number | null;
  readonly size: string;
  readonly seconds: string;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** Prompts are not kept. */
  readonly prompt: null;
  readonly remixed_from_video_id: null;
}

interface VideoList {
  readonly object: 'list';
  readonly data: readonly VideoObject[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

interface DeletedVideo {
  readonly id: string;
  readonly object: 'video.deleted';
  readonly deleted: true;
}

/** What the library documents as defaults of a request; its types have no value for unknown. */
const usualSize = '720x1280';
const usualSeconds = 4;

export function videoObject(task: ShownTask): VideoObject {
  const isCompleted = task.state === 'completed';
  return {
    id: task.id,
    object: 'video',
    model: task.model,
    status: task.state,
    progress: isCompleted ? 100 : Math.round(task.percent),
    created_at: secondsOf(task.createdAtMs),
    completed_at: isCompleted && task.endedAtMs !== undefined ? secondsOf(task.endedAtMs) : null,
    expires_at: task.expiresAtMs === undefined ? null : secondsOf(task.expiresAtMs),
    size: sizeOf(task),
    seconds: String(lengthOf(task)),
    error: task.state === 'failed' ? writtenError(task) : null,
    prompt: null,
    remixed_from_video_id: null,
  };
}

export function videoList(tasks: readonly ShownTask[], hasMore: boolean): VideoList {
  return {
    object: 'list',
    data: tasks.map(videoObject),
    first_id: tasks[0]?.id ?? null,
    last_id: tasks.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

export function deletedVideo(id: string): DeletedVideo {
  return { id, object: 'video.deleted', deleted: true };
}

function secondsOf(timeMs: number): number {
  return Math.floor(timeMs / 1_000);
}

function sizeOf(task: ShownTask): string {
  const { width, height } = factsOf(task);
  if (width !== undefined && height !== undefined) return `${width}x${height}`;
  return /^\d+x\d+$/.test(task.requested.size ?? '') ? (task.requested.size ?? usualSize) : usualSize;
}

/** The bound of its cost holds the length that the provider makes by itself. */
function lengthOf(task: ShownTask): number {
  const { videoSeconds } = task.terms.most;
  const bound = videoSeconds === undefined ? usualSeconds : videoSeconds / task.requested.count;
  return factsOf(task).seconds ?? bound;
}

/** The library's codes are texts. */
function writtenError(task: ShownTask): { readonly code: string; readonly message: string } {
  const { code, message } = errorOf(task);
  return { code: String(code), message };
}
