/**
 * The provider's own records: what it was asked, what it served and when the caller hung up. Weir's
 * ledger is compared with these.
 */

import type { Usage } from './script.ts';

export interface InvoiceEntry {
  readonly id: string;
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  /** In the order and spelling of the wire. */
  readonly headers: readonly (readonly [string, string])[];
  readonly bodyBase64: string;
  nonce: string;
  model: string;
  stream: boolean;
  promptTokens: number;
  /** Tokens whose bytes were handed to the socket. */
  tokensSent: number;
  bytesSent: number;
  /** The usage that the reply stated; absent where it stated none. */
  reported?: Usage;
  status: number;
  /** `left`: the caller closed before the reply was complete. */
  outcome: 'open' | 'completed' | 'refused' | 'cut' | 'left';
  endedAtMs?: number;
}

export function bodyTextOf(entry: InvoiceEntry): string {
  return Buffer.from(entry.bodyBase64, 'base64').toString('utf8');
}

export function headerOf(entry: InvoiceEntry, name: string): string | undefined {
  return entry.headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

/** Nano-USD per token; these are the published prices of the model that the suites use. */
export const testPrice = { model: 'gpt-4.1', inputNano: 2_000n, outputNano: 8_000n };

export function costNanoOf(usage: Usage): bigint {
  return BigInt(usage.promptTokens) * testPrice.inputNano + BigInt(usage.completionTokens) * testPrice.outputNano;
}
