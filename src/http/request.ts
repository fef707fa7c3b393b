/** A request as the rest of Weir sees it; the runtime's `Request` is one too. */

import type { RequestHeaders } from './request-headers.ts';

export interface HttpRequest {
  readonly method: string;
  readonly headers: RequestHeaders;
  /** The body piece by piece as it arrives, once; null if there is none. Pieces are read only as fast as they are taken. */
  readonly body: AsyncIterable<Uint8Array<ArrayBuffer>> | null;
  /** The whole body. It is already there where it came together with the head. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  /** Aborted when the client closes the connection. */
  readonly signal: AbortSignal;
}
