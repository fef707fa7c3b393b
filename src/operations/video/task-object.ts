/** A task as the specification shows it: flat, and what does not apply yet is absent. */

import { defined } from '../../conversation/json-tree.ts';
import type { Consumption } from '../consumption.ts';
import type { VideoFacts } from '../video.ts';

/** The parts of a task that are shown. The record of a task has all of them. */
export interface ShownTask {
  readonly id: string;
  readonly state: 'queued' | 'in_progress' | 'completed' | 'failed';
  /** As the caller named it. */
  readonly model: string;
  /** 0 to 100. */
  readonly percent: number;
  readonly requested: VideoFacts & {
    readonly count: number;
    readonly size?: string;
    readonly metadata?: Readonly<Record<string, string>>;
  };
  readonly facts: VideoFacts;
  /** Empty again once they have expired. */
  readonly results: readonly { readonly mediaType: string }[];
  readonly error: { readonly code: number; readonly message: string } | undefined;
  readonly terms: { readonly most: Consumption };
  readonly createdAtMs: number;
  readonly endedAtMs: number | undefined;
  readonly expiresAtMs: number | undefined;
}

export interface TaskShowing {
  /** Where Weir serves one of the task's results. */
  urlOf(task: ShownTask, index: number): string;
}

/** On the wire, by the names of the specification. */
export interface TaskObject {
  readonly task_id: string;
  readonly status: ShownTask['state'];
  readonly url?: string;
  /** Where more than one video was made: all of them, the first too. */
  readonly urls?: readonly string[];
  readonly format?: string;
  readonly metadata?: TaskMetadata;
  readonly error?: { readonly code: number; readonly message: string };
}

interface TaskMetadata {
  readonly duration?: number;
  readonly fps?: number;
  readonly width?: number;
  readonly height?: number;
  readonly seed?: number;
}

const formats: ReadonlyMap<string, string> = new Map([
  ['video/mp4', 'mp4'],
  ['video/webm', 'webm'],
  ['video/quicktime', 'mov'],
]);
const internalFault = 500;

export function taskObject(task: ShownTask, { urlOf }: TaskShowing): TaskObject {
  const metadata = metadataOf(task);
  return {
    task_id: task.id,
    status: task.state,
    ...(task.state === 'completed' && resultFields(task, urlOf)),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(task.state === 'failed' && { error: errorOf(task) }),
  };
}

function resultFields(task: ShownTask, urlOf: TaskShowing['urlOf']): Pick<TaskObject, 'url' | 'urls' | 'format'> {
  const [first] = task.results;
  if (first === undefined) return {};
  const urls = task.results.map((_, index) => urlOf(task, index));
  return { ...defined('url', urls[0]), ...(urls.length > 1 && { urls }), format: formatOf(first.mediaType) };
}

/** Services that do not report what a file is make MP4. */
export function formatOf(mediaType: string): string {
  return formats.get((mediaType.split(';')[0] ?? '').trim().toLowerCase()) ?? 'mp4';
}

/** What was made, as the provider reports it, and where it reports nothing, as requested. */
export function factsOf({ requested, facts }: Pick<ShownTask, 'requested' | 'facts'>): VideoFacts {
  return {
    ...defined('seconds', facts.seconds ?? requested.seconds),
    ...defined('fps', facts.fps ?? requested.fps),
    ...defined('width', facts.width ?? requested.width),
    ...defined('height', facts.height ?? requested.height),
    ...defined('seed', facts.seed ?? requested.seed),
  };
}

function metadataOf(task: ShownTask): TaskMetadata {
  const { seconds, fps, width, height, seed } = factsOf(task);
  return {
    ...defined('duration', known(seconds)),
    ...defined('fps', whole(fps)),
    ...defined('width', whole(width)),
    ...defined('height', whole(height)),
    ...defined('seed', whole(seed)),
  };
}

/** What is no number would be written as null. */
function known(value: number | undefined): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

/** The specification wants integers, and some services count 29.97 frames. */
function whole(value: number | undefined): number | undefined {
  const number = known(value);
  return number === undefined ? undefined : Math.round(number);
}

export function errorOf({ error }: Pick<ShownTask, 'error'>): { readonly code: number; readonly message: string } {
  if (error === undefined) return { code: internalFault, message: 'The video could not be made.' };
  return { code: Math.trunc(error.code), message: error.message };
}
