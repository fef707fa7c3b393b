/** Audio into text, in its own language or in English. */

import type { Extras } from '../conversation/parts.ts';
import type { Consumption } from './consumption.ts';
import type { FormFile } from './wire.ts';

export const transcriptFormats = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

export interface TranscribeRequest {
  readonly model: string;
  /** The audio. */
  readonly file: FormFile;
  /** Into English whatever was spoken. */
  readonly translate: boolean;
  readonly language?: string;
  readonly prompt?: string;
  readonly format: TranscriptFormat;
  readonly temperature?: number;
  readonly granularities: readonly ('segment' | 'word')[];
  /** Say who spoke, segment by segment. */
  readonly speakers?: boolean;
  readonly stream: boolean;
  /** The reply should state how long the audio was, also where the form that the caller wants does not. */
  readonly wantsLength?: boolean;
  /** What is reserved for the reply, by providers whose reply has another bound than its words. */
  readonly outputTokensMax?: number;
  readonly extras?: Extras;
}

export interface TranscriptSegment {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly text: string;
  readonly speaker?: string;
}

export interface TranscriptWord {
  readonly word: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export interface Transcript {
  readonly text: string;
  readonly language?: string;
  readonly durationSeconds?: number;
  readonly segments?: readonly TranscriptSegment[];
  readonly words?: readonly TranscriptWord[];
  readonly consumption: Consumption;
}
