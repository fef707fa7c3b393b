/** What is read from an audio file of any container, and the comments that containers share. */

/** A spoken text has a few thousand characters at most; a longer comment is cut. */
const commentBytesMax = 64 * 1024;

export interface Interval {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export interface AudioFacts {
  readonly container: string;
  readonly durationSeconds: number;
  /** When the audio is not silent; absent where the samples are not decoded. */
  readonly intervals: readonly Interval[] | undefined;
  readonly comment: string | undefined;
}

/** Text up to its terminating zero. An empty text counts as absent. */
export function commentText(bytes: Uint8Array, encoding = 'utf-8'): string | undefined {
  const cut = bytes.subarray(0, commentBytesMax);
  const text = new TextDecoder(encoding).decode(cut).replace(/\0[\s\S]*$/, '');
  return text.trim() === '' ? undefined : text;
}

/** The first field called comment or description; a malformed list ends at its first malformed entry. */
export function readVorbisComment(block: Uint8Array): string | undefined {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const lengthAt = (at: number): number => (at + 4 <= block.length ? view.getUint32(at, true) : Number.NaN);
  let at = 4 + lengthAt(0);
  const fields = lengthAt(at);
  at += 4;
  for (let field = 0; field < fields && at < block.length; field++) {
    const length = lengthAt(at);
    if (Number.isNaN(length)) return undefined;
    const bytes = block.subarray(at + 4, at + 4 + length);
    const equals = bytes.indexOf('='.charCodeAt(0));
    const name = equals > 0 && equals < 32 ? String.fromCharCode(...bytes.subarray(0, equals)).toLowerCase() : '';
    if (name === 'comment' || name === 'description') return commentText(bytes.subarray(equals + 1));
    at += 4 + length;
  }
  return undefined;
}
