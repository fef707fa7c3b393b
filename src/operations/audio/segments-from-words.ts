/** Makes segments of words with times, for providers that give nothing longer than a word. */

import type { TranscriptSegment } from '../transcribe.ts';

/** A word with the space behind it, where its script has one. */
export interface TimedPiece {
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly speaker?: string;
}

/** What a subtitle can hold, and how long a speaker pauses between two sentences. */
const charactersMax = 160;
const pauseSeconds = 1;
const sentenceEnd = /[.!?。！？…]["'”’»)]*$/u;
/** A stop and what may close behind it. */
const endCharacters = 4;

export function segmentsFromWords(pieces: readonly TimedPiece[]): TranscriptSegment[] {
  const segments: TranscriptSegment[] = [];
  let open: TimedPiece | undefined;
  const close = (): void => {
    if (open !== undefined && open.text.trim() !== '') segments.push({ ...open, text: open.text.trim() });
    open = undefined;
  };
  for (const piece of pieces) {
    if (open !== undefined && begins(piece, open)) close();
    open =
      open === undefined
        ? piece
        : { ...open, text: open.text + piece.text, endSeconds: Math.max(open.endSeconds, piece.endSeconds) };
  }
  close();
  return segments;
}

function begins(piece: TimedPiece, open: TimedPiece): boolean {
  return (
    piece.speaker !== open.speaker ||
    piece.startSeconds - open.endSeconds >= pauseSeconds ||
    open.text.length + piece.text.length > charactersMax ||
    sentenceEnd.test(open.text.trimEnd().slice(-endCharacters))
  );
}
