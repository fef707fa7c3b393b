/** The store's methods for attempts and budgets. */

import type { AttemptRow, OpeningVerdict } from '../../ledger/ledger.ts';
import type { AttemptStore } from '../../ledger/ledger-store.ts';
import { createBatchQueue } from '../batching/batch-queue.ts';
import type { Driver } from '../sql/driver.ts';
import { moneyCell } from '../sql/statement.ts';
import { StoreUnavailableError } from '../sql/store-errors.ts';
import { isLate } from '../usage/usage-marks.ts';
import { usageTable } from '../usage/usage-table.ts';
import {
  checkpointAttempts,
  closeAttempt,
  closeLostAttempt,
  openAttempt,
  openAttemptsOf,
  openAttemptWithin,
} from './attempt-queries.ts';
import { type ClosingCells, closingTable, openingTable } from './attempt-table.ts';
import { attemptsOfRequest, type TrailRow } from './attempt-trail.ts';
import {
  type BatchedOpening,
  type BatchVerdicts,
  batchArrays,
  readVerdicts,
  runLedgerBatch,
} from './batches/batch-query.ts';
import { recoverAttempt } from './recovered-attempts.ts';
import { type ScopeRow, scopeRows, scopesText } from './scope-rows.ts';

/** How many lost attempts are read at a time. */
const sweepPageSize = 200;

const admitted = { admitted: true } as const;

export const verdictOf = (refusing: string | null): OpeningVerdict =>
  refusing === null ? admitted : { admitted: false, scope: refusing };

interface Writes {
  /** The scope that refused, or null. */
  open(opening: BatchedOpening): Promise<string | null>;
  close(closing: ClosingCells): Promise<boolean>;
  finish(): Promise<void>;
}

/** Each by itself: the embedded engine folds them itself. */
function singleWrites(driver: Driver): Writes {
  return {
    open: ({ cells, scopes }) =>
      scopes.length === 0 ? driver.run(openAttempt, cells) : driver.run(openAttemptWithin, scopes, cells),
    close: (closing) => driver.run(closeAttempt, closing),
    finish: () => Promise.resolve(),
  };
}

type Write = { readonly opening: BatchedOpening } | { readonly closing: ClosingCells };

/** All of a replica together: a round trip costs more than what a request writes. */
function batchedWrites(driver: Driver): Writes {
  const alone = singleWrites(driver);
  /** Budgets whose rows are there: those of one caller are one list for as long as their window lasts. */
  let known = new WeakSet<readonly ScopeRow[]>();
  const writeAlone = (write: Write) => ('opening' in write ? alone.open(write.opening) : alone.close(write.closing));
  const queue = createBatchQueue<Write, string | boolean | null>({
    async send(writes) {
      const openings = writes.flatMap((write) => ('opening' in write ? [write.opening] : []));
      const closings = writes.flatMap((write) => ('closing' in write ? [write.closing] : []));
      const unknown = openings.filter(({ scopes }) => scopes.length > 0 && !known.has(scopes));
      let verdicts: BatchVerdicts;
      try {
        verdicts = readVerdicts(
          await driver.run(runLedgerBatch, driver.serverTimeoutMs, unknown.length, batchArrays(openings, closings)),
        );
        for (const { scopes } of unknown) known.add(scopes);
      } catch (error) {
        if (error instanceof StoreUnavailableError) throw error;
        known = new WeakSet();
        // Nothing of it was written. One of them may be at fault, and the others are not.
        return writes.map(writeAlone);
      }
      return resultsOf(writes, verdicts, alone);
    },
  });
  return {
    open: (opening) => queue.add({ opening }) as Promise<string | null>,
    // A late row marks its hour, which one statement for many does not.
    close: (closing) => (isLateClosing(closing) ? alone.close(closing) : (queue.add({ closing }) as Promise<boolean>)),
    finish: queue.finish,
  };
}

function resultsOf(
  writes: readonly Write[],
  { refused, ended }: BatchVerdicts,
  alone: Writes,
): (string | null | boolean | Promise<boolean>)[] {
  let openings = 0;
  let closings = 0;
  return writes.map((write) => {
    if ('opening' in write) return refused.get(openings++) ?? null;
    // Not open: perhaps a sweeper was first, which only the statement for one of them corrects.
    return ended.has(closings++) || alone.close(write.closing);
  });
}

function isLateClosing(closing: ClosingCells): boolean {
  const row = closingTable.get(closing, 'row');
  return row !== null && isLate(usageTable.get(row, 'atMs'));
}

interface BatchedAttemptStore extends AttemptStore {
  /** Resolves when everything that was asked for has been sent and answered. */
  finish(): Promise<void>;
}

export function attemptStore(driver: Driver, instanceId: string): BatchedAttemptStore {
  const writes = driver.engine === 'postgres' ? batchedWrites(driver) : singleWrites(driver);
  return {
    openNow(opening) {
      const cells = openingTable.pack(opening, instanceId);
      const refusing =
        opening.scopes.length === 0
          ? driver.runNow(openAttempt, cells)
          : driver.runNow(openAttemptWithin, scopeRows(opening), cells);
      return refusing === undefined ? undefined : verdictOf(refusing);
    },
    closeNow: (closing) => driver.runNow(closeAttempt, closingTable.pack(closing, undefined)) !== undefined,
    open: (opening) =>
      writes.open({ cells: openingTable.pack(opening, instanceId), scopes: scopeRows(opening) }).then(verdictOf),
    close: (closing) => writes.close(closingTable.pack(closing, undefined)),
    finish: writes.finish,
    async checkpointMany(costs) {
      const pairs = Array.from(costs, ([id, costNano]) => [id, moneyCell(costNano)] as const);
      if (pairs.length > 0) await driver.run(checkpointAttempts, pairs);
    },
    async recover(closing, opening) {
      const scopes = opening === undefined ? [] : scopeRows(opening);
      return driver.run(
        recoverAttempt,
        closingTable.pack(closing, undefined),
        opening?.requestId ?? closing.row?.requestId ?? requestOf(closing.attemptId),
        opening === undefined ? null : openingTable.pack(opening, instanceId),
        scopes.length === 0 ? '' : scopesText(scopes),
      );
    },
    async sweep(sweptInstanceId, atMs, runs = () => false) {
      let swept = 0;
      for (let afterId = ''; ; ) {
        const ids = await driver.run(openAttemptsOf, sweptInstanceId, afterId, sweepPageSize);
        const last = ids.at(-1);
        if (last === undefined) return swept;
        afterId = last;
        // Asked after it was read: what ended meanwhile is settled already.
        const over = ids.filter((id) => !runs(id));
        const closed = await Promise.all(over.map((id) => driver.run(closeLostAttempt, id, Math.round(atMs))));
        swept += closed.filter(Boolean).length;
      }
    },
    async ofRequest(requestId) {
      return (await driver.run(attemptsOfRequest, requestId)).map(attemptRecord);
    },
  };
}

/** An attempt's id is that of its request with a number behind. */
const requestOf = (attemptId: string): string => attemptId.slice(0, Math.max(0, attemptId.lastIndexOf('.')));

function attemptRecord({ id, keyId, verdict, settledAtMs, costNano, recovered, ...row }: TrailRow): AttemptRow {
  return {
    ...row,
    attemptId: id,
    keyId,
    verdict,
    settledAtMs,
    costNano: costNano === undefined ? undefined : BigInt(costNano),
    ...(recovered && { recovered }),
  };
}
