/** The record of a video task: its order, its progress and the terms of its cost. The same in every replica and after every restart. */

import type { FormatName } from '../formats/format.ts';
import type { Consumption } from '../operations/consumption.ts';
import type { VideoFacts, VideoTicket } from '../operations/video.ts';

export type TaskState = 'queued' | 'in_progress' | 'completed' | 'failed';

/** Where a finished video is: kept by Weir under this name, or at the provider's URL. */
export type TaskResult =
  | { readonly kind: 'kept'; readonly name: string; readonly mediaType: string; readonly bytes: number }
  | { readonly kind: 'at-provider'; readonly url: string; readonly needsKey: boolean; readonly mediaType: string };

export interface TaskError {
  readonly code: number;
  readonly message: string;
}

/** The requested options, without content: prompts and images are not kept. */
export interface RequestedVideo extends VideoFacts {
  readonly count: number;
  readonly size?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Everything that its settlement needs, fixed when it began: later changes of prices do not reach it. */
export interface TaskTerms {
  /** The endpoint's name in the usage row. */
  readonly endpoint: string;
  readonly bytesIn: number;
  readonly attempts: number;
  readonly priceVersion: string;
  /** The price as its ledger wrote it; absent where none is known. */
  readonly price?: string;
  /** Its name among the stored prices; absent in tasks from before there was one. */
  readonly priceName?: string;
  /** The most that it can use. */
  readonly most: Consumption;
  /** The length that its provider was asked for; absent where the choice was the provider's. */
  readonly seconds?: number;
  /** Its lane, as the usage row stores it; absent in tasks from before that was recorded. */
  readonly way?: string;
  /** The format of a reply that its provider finishes in the background; absent in tasks that make a video. */
  readonly reply?: FormatName;
  /** Of the request that ordered it. */
  readonly endUser?: string;
  readonly tags?: readonly string[];
}

export interface Task {
  readonly id: string;
  readonly tokenId: string;
  readonly requestId: string;
  /** The attempt that holds its reservation. */
  readonly attemptId: string;
  readonly state: TaskState;
  /** It ended because its deadline passed, not because the provider said so: its end may still be corrected. */
  readonly guessed: boolean;
  readonly provider: string;
  readonly keyId: string;
  /** As the caller named it. */
  readonly model: string;
  readonly upstreamModel: string;
  /** 0 to 100. */
  readonly percent: number;
  /** Absent until the provider has accepted the task. */
  readonly ticket: VideoTicket | undefined;
  readonly requested: RequestedVideo;
  readonly facts: VideoFacts;
  readonly results: readonly TaskResult[];
  readonly error: TaskError | undefined;
  readonly terms: TaskTerms;
  readonly createdAtMs: number;
  readonly endedAtMs: number | undefined;
  /** An open task that has no end by then gets one. */
  readonly deadlineAtMs: number;
  /** When its results expire. */
  readonly expiresAtMs: number | undefined;
  /** The caller deleted it; it is followed to its end to settle its cost. */
  readonly deletedAtMs: number | undefined;
  readonly callbackUrl: string | undefined;
  /** How often the provider was polled, and how many of the last polls failed in a row. */
  readonly asked: number;
  readonly faults: number;
  /** Grows with every change: a writer names the version it has read. */
  readonly version: number;
}

export const isOpen = ({ state }: Pick<Task, 'state'>): boolean => state === 'queued' || state === 'in_progress';
