/** The bytes of a connection are not HTTP/1.1, or not such that every parser finds the same messages in them. */

export class FramingError extends Error {
  readonly code = 'ERR_HTTP_FRAMING';
  constructor(message: string) {
    super(message);
    this.name = 'FramingError';
  }
}

export class HeadTooLargeError extends FramingError {}

/** Whose bytes are read; errors name it. */
export type Message = 'reply' | 'request';
