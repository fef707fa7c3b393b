/** Where finished videos are kept until they expire. Every kind of storage has this one contract. */

export interface ByteRange {
  readonly start: number;
  /** The last byte, as HTTP counts. */
  readonly end: number;
}

export interface OpenedResult {
  /** The range where one was asked for, otherwise everything. */
  readonly body: Blob | ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Of the whole result. */
  readonly bytes: number;
}

export interface ResultStore {
  /**
   * All or nothing: a name has all its bytes or none, and a source that breaks or is larger than `bytesMax`
   * (ResultTooLargeError) leaves nothing. What had the name before is replaced.
   */
  write(
    name: string,
    mediaType: string,
    pieces: AsyncIterable<Uint8Array>,
    bytesMax: number,
  ): Promise<{ readonly bytes: number }>;
  /** Nothing where there is no such result. The range must lie within it. */
  open(name: string, range?: ByteRange): Promise<OpenedResult | undefined>;
  size(name: string): Promise<number | undefined>;
  /** What is not there is removed already. */
  remove(name: string): Promise<void>;
  /** Removes everything that was written before then; how many there were. */
  expire(beforeMs: number): Promise<number>;
}

export class ResultTooLargeError extends Error {
  constructor(bytesMax: number) {
    super(`The result is larger than ${bytesMax} bytes.`);
    this.name = 'ResultTooLargeError';
  }
}

const nameShape = /^[a-z0-9_.-]{1,80}$/;
/** The suffix of a file that is still being written; no result may have it. */
export const unfinishedEnding = '.part';

/** Names are made by Weir: one that does not match is a bug, and must not lead out of the folder. */
export function checkedName(name: string): string {
  if (!nameShape.test(name) || /^\.+$/.test(name) || name.endsWith(unfinishedEnding)) {
    throw new TypeError('This is no name that a result can have.');
  }
  return name;
}
