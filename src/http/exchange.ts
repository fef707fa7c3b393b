/** One request as the rest of Weir sees it: the raw request plus what the listener already knows about it. */

export interface Exchange {
  readonly request: Request;
  readonly requestId: string;
  readonly path: string;
  /** Without the question mark; may hold a credential, so it is never logged. */
  readonly query: string;
  readonly params: Readonly<Record<string, string>>;
  readonly startedAtMs: number;
  /** Set by a handler whose reply already carries the request id: adding a header to a finished reply costs more. */
  stamped: boolean;
  /** The caller's address; asked for only where a token restricts addresses. */
  address(): string;
  /** The body has arrived: from now on the connection may stay silent as long as the reply needs. */
  keepOpen(): void;
}
