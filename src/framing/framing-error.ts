/** The bytes of a connection are not HTTP/1.1, or not such that every parser finds the same messages in them. */

export class FramingError extends Error {
  readonly code = 'ERR_HTTP_FRAMING';
  constructor(message: string) {
    super(message);
    this.name = 'FramingError';
  }
}

export class HeadTooLargeError extends FramingError {}

/** A head that was begun did not end in time. */
export class HeadTimeoutError extends FramingError {
  constructor() {
    super('The head of the request did not arrive in time.');
  }
}

/** Whose bytes are read; errors name it. */
export type Message = 'reply' | 'request';
