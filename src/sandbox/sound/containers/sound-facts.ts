/** What reading a sound file tells, whatever its container, and the comments that containers share. */

/** A spoken text is at most a few thousand characters; a comment far beyond that is cut, not read for minutes. */
const commentBytesMax = 64 * 1024;

export interface Stretch {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export interface SoundFacts {
  readonly container: string;
  readonly durationSeconds: number;
  /** When there is sound; absent where the container's samples cannot be read. */
  readonly stretches: readonly Stretch[] | undefined;
  readonly comment: string | undefined;
}

/** Text up to its terminating zero; an empty one is none. */
export function commentText(bytes: Uint8Array, encoding = 'utf-8'): string | undefined {
  const cut = bytes.subarray(0, commentBytesMax);
  const text = new TextDecoder(encoding).decode(cut).replace(/\0[\s\S]*$/, '');
  return text.trim() === '' ? undefined : text;
}

/** The first field called comment or description; malformed lists end where they stop making sense. */
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
