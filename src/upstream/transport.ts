/** How bytes reach a provider: one function. The network is one implementation, the sandbox another, a test a third. */

export interface UpstreamRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | string;
  readonly signal: AbortSignal;
}

/** Resolves with the reply's head; the body follows as it is read. Rejects where no head came. */
export type Transport = (request: UpstreamRequest) => Promise<Response>;
