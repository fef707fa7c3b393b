/** What the scripted makers of videos share: how far their one task is, as the test says, and who asked for what. */

import type { Answer, Seen, Tree } from '../operations/scripted.ts';
import type { Files } from './files.ts';

export type Phase = 'waiting' | 'running' | 'done' | 'failed' | 'refused' | 'cancelled';

export interface Stage {
  phase: Phase;
  /** Turns the next order down, in the maker's own words. */
  refuses: boolean;
  readonly orders: { readonly path: string; readonly body: Tree }[];
  questions: number;
  cancels: number;
  readonly files: Files;
  /** Where the maker itself listens. */
  url: string;
}

export function stageOf(files: Files): Stage {
  return { phase: 'waiting', refuses: false, orders: [], questions: 0, cancels: 0, files, url: '' };
}

/** The order that every maker gets once. */
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

export interface MakerRow {
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
  /** Where an order of words goes, and what it says. */
  readonly path: string;
  readonly ordered: Tree;
  readonly losses: readonly string[];
  /** An address, where it takes no picture itself. */
  readonly image?: string;
  /** The part of an order that carries a picture. */
  pictureIn(body: Tree): unknown;
  readonly picture: unknown;
  /** Where words and pictures are given to different models. */
  readonly pictureModel?: string;
  /** Where an order with a picture goes, if elsewhere. */
  readonly picturePath?: string;
  /** Has its wire a word for waiting? */
  readonly queues: boolean;
  readonly metadata: Tree;
  /** In seconds of the price; of tokens where it is billed by them. */
  readonly billed: { readonly seconds: number } | { readonly tokens: number };
  /** Status of a refusal as callers see it. */
  readonly refusedStatus: number;
  readonly cancels: boolean;
  /** The field that carries the address to knock at; absent where it has none. */
  hookIn?(order: { readonly path: string; readonly body: Tree }, seen: Seen): unknown;
}

export const plainKey = 'provider-key-0123456789';
export const always = (): string => plainKey;
export const id = 'task-0123456789';
