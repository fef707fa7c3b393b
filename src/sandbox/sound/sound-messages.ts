/** What the event loop and the sound thread say to each other: one task at a time, one answer each. */

import type { SoundFacts } from './containers/sound-facts.ts';
import type { EngineVoice } from './voices.ts';

export const writtenFormats = ['mp3', 'wav', 'flac', 'pcm'] as const;
export type WrittenFormat = (typeof writtenFormats)[number];

export interface SayTask {
  readonly task: 'say';
  /** Pieces of one job become one file. */
  readonly job: number;
  readonly format: WrittenFormat;
  readonly comment: string;
  readonly text: string;
  readonly voice: EngineVoice;
  readonly speed: number;
  readonly last: boolean;
}

export type SoundTask =
  | SayTask
  /** Loads what a format needs, so that its absence shows before a reply has begun. */
  | { readonly task: 'prepare'; readonly format: WrittenFormat }
  | { readonly task: 'drop'; readonly job: number }
  | { readonly task: 'hear'; readonly bytes: Uint8Array }
  | EncodeTask;

/** Samples of 16 bits and one channel, which become one file. */
export interface EncodeTask {
  readonly task: 'encode';
  readonly format: WrittenFormat;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly samplesPerSecond: number;
}

export interface SoundResult {
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly seconds?: number;
  readonly facts?: SoundFacts;
}

export type SoundAnswer =
  | { readonly ok: true; readonly result: SoundResult }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly param: string };
