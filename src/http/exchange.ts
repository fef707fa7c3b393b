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
  /** Scheme and host of this request; the address that Weir listens on where its `Host` is absent or odd. */
  origin(): string;
  /** Whether the caller is on this machine, with nothing between that says it forwards. */
  isLocal(): boolean;
  /** The caller's address; asked for only where a token restricts addresses. */
  address(): string;
  /** Did a proxy that is trusted say that the caller reached it under TLS? */
  isSecure(): boolean;
  /** The body has arrived: from now on the connection may stay silent as long as the reply needs. */
  keepOpen(): void;
}
