/** Requests of the soak's crowds, each with a nonce and on its own connection, and what became of each. */

import { expect } from 'bun:test';
import type { Target } from '../harness/chat.ts';
import { type LedgerRows, settledLedger } from '../harness/ledger-rows.ts';
import { postTo } from '../harness/operation-calls.ts';
import { until } from '../harness/until.ts';
import { ownConnection } from '../harness/worker-processes.ts';
import { costNano, type InvoiceLine, type Kind } from './priced-provider.ts';

/**
 * `served`: the complete reply. `spent`: 402. `unavailable`: 503, the database cannot be reached and nothing was sent.
 * `unanswered`: the connection ended without a reply. `cut`: it ended within one.
 */
export type Outcome = 'served' | 'spent' | 'unavailable' | 'unanswered' | 'cut';

export interface Sent {
  readonly nonce: string;
  readonly outcome: Outcome;
  /** Weir's ID of the request, where a reply began. */
  readonly requestId: string;
}

const refusals: Readonly<Record<number, Outcome>> = { 402: 'spent', 503: 'unavailable' };

/** Throws where the reply is none of these. */
export async function send(target: Target, kind: Kind, nonce: string): Promise<Sent> {
  // A connection that is reused and broken would be retried by the client itself, unseen.
  const reply = await postTo(target, kind.path, kind.body(nonce), ownConnection).catch(() => undefined);
  if (reply === undefined) return { nonce, outcome: 'unanswered', requestId: '' };
  const requestId = reply.headers.get('x-request-id') ?? '';
  const text = await reply.text().catch(() => undefined);
  const refusal = refusals[reply.status];
  if (refusal !== undefined) return { nonce, outcome: refusal, requestId };
  if (reply.status !== 200) throw new Error(`${nonce}: ${reply.status} ${text}`);
  return { nonce, outcome: text?.includes(kind.end) === true ? 'served' : 'cut', requestId };
}

export const countOf = (sent: readonly Sent[], outcome: Outcome): number =>
  sent.filter((each) => each.outcome === outcome).length;

/** What no fault may change: refused requests were not sent, and served ones are in the ledger, exactly. */
export function expectRecorded(sent: readonly Sent[], invoice: readonly InvoiceLine[], ledger: LedgerRows): void {
  const arrived = Map.groupBy(invoice, ({ nonce }) => nonce);
  const charged = Map.groupBy(ledger.attempts, ({ requestId }) => requestId);
  for (const { nonce, outcome, requestId } of sent) {
    const times = arrived.get(nonce)?.length ?? 0;
    if (outcome === 'served') {
      expect([nonce, times, charged.get(requestId)]).toEqual([
        nonce,
        1,
        [expect.objectContaining({ state: 'settled', costNano, estimated: false })],
      ]);
    } else if (outcome === 'spent' || outcome === 'unavailable') {
      expect([nonce, outcome, times]).toEqual([nonce, outcome, 0]);
    } else {
      expect([nonce, times]).toEqual([nonce, Math.min(times, 1)]);
    }
  }
}

/** The attempts that cost something; an opening whose answer was lost is released and costs nothing. */
export function chargedAttempts({ attempts }: LedgerRows): {
  readonly exact: LedgerRows['attempts'];
  readonly estimated: LedgerRows['attempts'];
} {
  const charged = attempts.filter((attempt) => (attempt.costNano ?? 0n) > 0n);
  return { exact: charged.filter((one) => !one.estimated), estimated: charged.filter((one) => one.estimated) };
}

/** The token's ledger once no attempt is open: sweeps, repeated closings and releases come after the last reply. */
export async function ledgerOf(place: Parameters<typeof settledLedger>[0], tokenId: string): Promise<LedgerRows> {
  let ledger: LedgerRows | undefined;
  await until(
    async () => {
      // The connection that reads it may be one from before the fault.
      ledger = await settledLedger(place, tokenId).catch(() => undefined);
      return ledger !== undefined;
    },
    undefined,
    'the end of every attempt',
  );
  if (ledger === undefined) throw new Error('no ledger was read');
  return ledger;
}

export const budgetFor = (requests: number): readonly string[] => [
  ...['--budget-usd', ((requests * Number(costNano)) / 1e9).toFixed(2)],
  ...['--budget-period', 'total'],
];
