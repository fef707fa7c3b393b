/**
 * What the scripted video vendors share: the state of their one task, as the test sets it, and the
 * orders and polls that came.
 */

import type { Answer, Seen, Tree } from '../operations/scripted.ts';
import type { Files } from './files.ts';

export type Phase = 'waiting' | 'running' | 'done' | 'failed' | 'refused' | 'cancelled';

export interface Stage {
  phase: Phase;
  /** Refuses the next order, in the vendor's own words. */
  refuses: boolean;
  readonly orders: { readonly path: string; readonly body: Tree }[];
  questions: number;
  cancels: number;
  readonly files: Files;
  /** The vendor's own URL. */
  url: string;
}

export function stageOf(files: Files): Stage {
  return { phase: 'waiting', refuses: false, orders: [], questions: 0, cancels: 0, files, url: '' };
}

/** The order that every vendor gets once. */
export const options = {
  prompt: 'a red boat',
  seconds: 6,
  size: '1280x720',
  aspect_ratio: '16:9',
  fps: 24,
  seed: 7,
  negative_prompt: 'rain',
} as const;

export const refusalWords = 'This prompt is against our policy.';
export const failureWords = 'The renderer broke.';

export interface VendorRow {
  /** Its name in `weir.yaml`. */
  readonly name: string;
  /** Its preset. */
  readonly kind: string;
  readonly model: string;
  /** Between the host and the paths of the preset. */
  readonly base: string;
  key(url: string): string;
  readonly settings?: Readonly<Record<string, string>>;
  answer(stage: Stage): Answer;
  /** The path and the body of an order by text. */
  readonly path: string;
  readonly ordered: Tree;
  readonly losses: readonly string[];
  /** A URL, where it takes no image bytes. */
  readonly image?: string;
  /** The part of an order that carries an image. */
  imageIn(body: Tree): unknown;
  readonly expectedImage: unknown;
  /** Where text and images go to different models. */
  readonly imageModel?: string;
  /** The path of an order with an image, if it is another one. */
  readonly imagePath?: string;
  /** Does its wire have a state for waiting? */
  readonly queues: boolean;
  readonly metadata: Tree;
  /** In seconds of the price; of tokens where it is billed by them. */
  readonly billed: { readonly seconds: number } | { readonly tokens: number };
  /** Status of a refusal as callers see it. */
  readonly refusedStatus: number;
  readonly cancels: boolean;
  /** The field that carries the webhook URL; absent where it has none. */
  hookIn?(order: { readonly path: string; readonly body: Tree }, seen: Seen): unknown;
}

export const plainKey = 'provider-key-0123456789';
export const always = (): string => plainKey;
export const id = 'task-0123456789';
