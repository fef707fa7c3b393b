/** The tasks of the speech thread and their results. */

import type { WrittenFormat } from '../../audio/encoders.ts';
import type { AudioFacts } from './containers/audio-facts.ts';
import type { EngineVoice } from './voices.ts';

export interface SayTask {
  readonly task: 'say';
  /** The pieces of one job become one file. */
  readonly job: number;
  readonly format: WrittenFormat;
  readonly comment: string;
  readonly text: string;
  readonly voice: EngineVoice;
  readonly speed: number;
  readonly last: boolean;
}

export type SpeechTask =
  | SayTask
  /** Loads what a format needs, so that a missing package is reported before a reply has begun. */
  | { readonly task: 'prepare'; readonly format: WrittenFormat }
  | { readonly task: 'drop'; readonly job: number }
  | { readonly task: 'read'; readonly bytes: Uint8Array };

export interface SpeechResult {
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly seconds?: number;
  readonly facts?: AudioFacts;
}
