/** What the sandbox is given: its pace and clock, and the requests that it answers. */

import type { UpstreamRequest } from '../upstream/transport.ts';

export interface SandboxOptions {
  /** Between two deltas; 0 streams as fast as it is read. */
  readonly paceMs: number;
  nowMs(): number;
  newId(): string;
  /** In realtime sessions, how many times faster than real time speech is sent; 0 sends it as fast as it is read. */
  readonly speechTimesRealTime?: number;
  /** Rejects with the signal's reason when it is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** A request as it would go over the network, with a standard abort signal. */
export type SandboxRequest = Omit<UpstreamRequest, 'signal'> & { readonly signal: AbortSignal };
