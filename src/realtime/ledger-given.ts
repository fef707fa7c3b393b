/** What the ledger of a live conversation is given when it begins. */

import type { GatewayError } from '../conversation/gateway-error.ts';
import type { LiveCaller } from './live-parts.ts';

export interface LedgerGiven {
  readonly who: LiveCaller;
  /** As the caller named it. */
  readonly model: string;
  /** The handshake's; the first response goes by it. */
  readonly requestId: string;
  readonly startedAtMs: number;
  /** Its model makes transcripts and nothing else. */
  readonly transcribes?: boolean;
  /** The token may do no more: a limit, or a budget that has no room for a response of the provider's own accord. */
  onRefused(error: GatewayError): void;
  onAbandoned(error: GatewayError): void;
}
