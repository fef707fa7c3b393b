/** Errors of an exchange after its connection was open; each carries a code that the relay classifies. */

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
