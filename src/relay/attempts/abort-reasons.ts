/** Why Weir aborts an attempt: a timeout, a client that disconnected, a token that may no longer call. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { ClocksConfig } from '../../settings/config.ts';
import type { Verdict } from '../../upstream/faults/verdict.ts';

/** Aborts caused by the client or its token: what was sent for it is charged. */
export const clientEnds: ReadonlySet<string> = new Set([
  'client_left',
  'token_disabled',
  'token_expired',
  'token_unknown',
]);

/** The outcome of a request in the ledger whose client disconnected. */
export const leftEnd = { status: 499, code: 'client_left' } as const;

export function clientLeft(): Verdict {
  return { kind: 'limit', error: new GatewayError('client_left', 'The client left.'), retryAfterMs: undefined };
}

export function timedOut(message: string): Verdict {
  return { kind: 'uncertain', error: new GatewayError('upstream_timeout', message), retryAfterMs: undefined };
}

interface Progress {
  readonly elapsedMs: number;
  readonly hasHead: boolean;
  readonly hasEvent: boolean;
  /** A body that is read whole stopped growing. */
  readonly isStuck: boolean;
}

/** The timeout that expired, if one has. */
export function overdue(
  clocks: Pick<ClocksConfig, 'headTimeoutMs' | 'totalTimeoutMs' | 'idleTimeoutMs'>,
  { provider, firstEventTimeoutMs }: Target,
  { elapsedMs, hasHead, hasEvent, isStuck }: Progress,
): Verdict | undefined {
  const { headTimeoutMs, totalTimeoutMs, idleTimeoutMs } = clocks;
  if (!hasHead && elapsedMs > headTimeoutMs) {
    return timedOut(`The provider ${provider.name} did not answer within ${headTimeoutMs} ms.`);
  }
  if (!hasEvent && firstEventTimeoutMs !== undefined && elapsedMs > firstEventTimeoutMs) {
    return timedOut(`The provider ${provider.name} sent nothing within ${firstEventTimeoutMs} ms.`);
  }
  if (elapsedMs > totalTimeoutMs) return timedOut(`The reply took longer than ${totalTimeoutMs} ms.`);
  if (isStuck) return timedOut(`The provider ${provider.name} sent nothing for ${idleTimeoutMs} ms.`);
  return undefined;
}
