/** One request as the rest of Weir sees it: the raw request plus what the listener has found out about it. */

import type { HttpRequest } from './request.ts';

export interface Exchange {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly path: string;
  /** Without the question mark; may hold a credential, so it is never logged. */
  readonly query: string;
  readonly params: Readonly<Record<string, string>>;
  readonly startedAtMs: number;
  /** Set by a handler whose reply already carries the request id: adding a header to a finished reply costs more. */
  stamped: boolean;
  /** Who called and what, as far as it is known; for the record of a refusal. */
  tokenId: string;
  endpoint: string;
  /** Set by a handler whose work records its own outcome: a refusal then needs no record here. */
  recorded: boolean;
  /** Scheme and host of this request; the address that Weir listens on if its `Host` is absent or malformed. */
  origin(): string;
  /** Whether the caller is on this machine, without a proxy that adds forwarding headers. */
  isLocal(): boolean;
  /** The caller's address; read only if a token restricts addresses. */
  address(): string;
  /** Whether a trusted proxy reports that the caller reached it over TLS. */
  isSecure(): boolean;
  /** Whether the client closed the connection. */
  hasLeft(): boolean;
}
