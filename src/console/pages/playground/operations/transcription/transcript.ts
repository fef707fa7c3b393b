/** Reads a transcript, whichever of the formats it came in: plain, with segments, or with who spoke. */

import { type Fields, listOf, numberOf, textOf } from '../call.ts';

interface Segment {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly text: string;
  readonly speaker: string;
}

export interface Transcript {
  readonly text: string;
  readonly language: string;
  readonly durationSeconds: number | undefined;
  readonly segments: readonly Segment[];
}

export function transcriptOf(answer: Fields): Transcript {
  return {
    text: textOf(answer['text']).trim(),
    language: textOf(answer['language']),
    durationSeconds: numberOf(answer['duration']),
    segments: listOf(answer['segments']).map((segment) => ({
      startSeconds: numberOf(segment['start']) ?? 0,
      endSeconds: numberOf(segment['end']) ?? 0,
      text: textOf(segment['text']).trim(),
      speaker: textOf(segment['speaker']),
    })),
  };
}

/** `1:07.3`: as players show it, with a tenth, because words are short. */
export function clockText(seconds: number): string {
  const tenths = Math.round(Math.max(0, seconds) * 10);
  const minutes = Math.floor(tenths / 600);
  const rest = ((tenths % 600) / 10).toFixed(1).padStart(4, '0');
  return `${minutes}:${rest}`;
}

/** `1:07`, for a clock that runs. */
export function wholeClockText(seconds: number): string {
  return clockText(Math.floor(Math.max(0, seconds))).slice(0, -'.0'.length);
}

export function spanText({ startSeconds, endSeconds }: Segment): string {
  return `${clockText(startSeconds)}–${clockText(endSeconds)}`;
}
