/** What a live conversation needs of the rest of Weir, and its caller. */

import type { Caller } from '../access/caller.ts';
import type { RelayParts } from '../relay/relay-parts.ts';

export interface LiveParts
  extends Pick<
    RelayParts,
    | 'attempted'
    | 'authorizer'
    | 'budgetOf'
    | 'catalogue'
    | 'clocks'
    | 'contextTokensOf'
    | 'deadlines'
    | 'endUsers'
    | 'gateFor'
    | 'keys'
    | 'knowsModel'
    | 'retries'
    | 'routing'
    | 'ledger'
    | 'limiter'
    | 'limits'
    | 'moved'
    | 'naming'
    | 'newId'
    | 'nowMs'
    | 'observe'
    | 'ownedIds'
    | 'priceOf'
    | 'priceTables'
    | 'pricesReady'
    | 'random'
    | 'running'
    | 'slices'
    | 'tokens'
    | 'wallMs'
    | 'warn'
  > {
  newRequestId(): string;
  /** A session in which no frame passes for so long is closed. */
  readonly sessionIdleMs: number;
  readonly sessionTotalMs: number;
}

/** What a token's list of allowed endpoints calls it. */
export const liveEndpoint = 'realtime';

export interface LiveCaller {
  readonly caller: Caller;
  /** The end user whom the handshake names. */
  readonly endUser?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Asked before each further response: a token that was revoked meanwhile opens nothing more. */
  readmit(): Promise<Caller>;
  /** The only model that a short-lived credential is good for. */
  readonly pinnedModel: string | undefined;
}
