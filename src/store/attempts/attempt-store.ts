/** The store's methods for attempts and budgets. */

import type { AttemptRow, OpeningVerdict } from '../../ledger/ledger.ts';
import type { AttemptStore } from '../../ledger/ledger-store.ts';
import type { Driver } from '../sql/driver.ts';
import { moneyCell } from '../sql/statement.ts';
import {
  attemptHolders,
  checkpointAttempts,
  closeAttempt,
  closeLostAttempt,
  openAttempt,
  openAttemptsOf,
  openAttemptWithin,
} from './attempt-queries.ts';
import { closingTable, openingTable, scopeRows } from './attempt-table.ts';
import { attemptsOfRequest, type TrailRow } from './attempt-trail.ts';

/** How many lost attempts are read at a time. */
const sweepPageSize = 200;

const admitted = { admitted: true } as const;
const admit = (): typeof admitted => admitted;

export const verdictOf = (refusing: string | null): OpeningVerdict =>
  refusing === null ? admitted : { admitted: false, scope: refusing };

export function attemptStore(driver: Driver, instanceId: string): AttemptStore {
  return {
    openNow(opening) {
      if (opening.scopes.length > 0) return undefined;
      return driver.runNow(openAttempt, openingTable.pack(opening, instanceId)) === undefined ? undefined : admitted;
    },
    closeNow: (closing) => driver.runNow(closeAttempt, closingTable.pack(closing, undefined)) !== undefined,
    open(opening) {
      const cells = openingTable.pack(opening, instanceId);
      if (opening.scopes.length === 0) return driver.run(openAttempt, cells).then(admit);
      return driver.run(openAttemptWithin, scopeRows(opening), cells).then(verdictOf);
    },
    close: (closing) => driver.run(closeAttempt, closingTable.pack(closing, undefined)),
    async checkpointMany(costs) {
      const pairs = Array.from(costs, ([id, costNano]) => [id, moneyCell(costNano)] as const);
      if (pairs.length > 0) await driver.run(checkpointAttempts, pairs);
    },
    holders: () => driver.run(attemptHolders),
    async sweep(deadInstanceId, atMs) {
      let swept = 0;
      for (;;) {
        const ids = await driver.run(openAttemptsOf, deadInstanceId, sweepPageSize);
        if (ids.length === 0) return swept;
        const closed = await Promise.all(ids.map((id) => driver.run(closeLostAttempt, id, Math.round(atMs))));
        swept += closed.filter(Boolean).length;
      }
    },
    async ofRequest(requestId) {
      return (await driver.run(attemptsOfRequest, requestId)).map(attemptRecord);
    },
  };
}

function attemptRecord({ id, keyId, verdict, settledAtMs, costNano, ...row }: TrailRow): AttemptRow {
  return {
    ...row,
    attemptId: id,
    keyId,
    verdict,
    settledAtMs,
    costNano: costNano === undefined ? undefined : BigInt(costNano),
  };
}
