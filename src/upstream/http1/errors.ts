/** Errors of an exchange after its connection was open; each carries a code that the relay classifies. */

/** The server's bytes are not a reply of HTTP/1.1, or not one that can be trusted. */
export class FramingError extends Error {
  readonly code = 'ERR_HTTP_FRAMING';
  constructor(message: string) {
    super(message);
    this.name = 'FramingError';
  }
}

/** The connection was lost during an exchange; whether the server acted on the request is unknown. */
export class ConnectionLostError extends Error {
  readonly code: string;
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ConnectionLostError';
    this.code = codeOf(cause) ?? 'ECONNRESET';
  }
}

/** The code of a runtime's error, where it has one. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' && error.code !== '' ? error.code : undefined;
}
