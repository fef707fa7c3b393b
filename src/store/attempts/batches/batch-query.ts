/** One call of the ledger's function: openings and closings in, verdicts out. */

import { single } from '../../sql/query.ts';
import { asText, type Steps, statement } from '../../sql/statement.ts';
import { reservedAmounts, reserveOf } from '../amounts.ts';
import { type ClosingCells, closingTable, isRecordedByRow, type OpeningCells } from '../attempt-table.ts';
import { type ScopeRow, scopesText } from '../scope-rows.ts';
import { ArrayLiteral } from './array-literals.ts';
import { callLedgerFunction, parameters } from './ledger-function.ts';

export interface BatchedOpening {
  readonly cells: OpeningCells;
  /** Sorted. */
  readonly scopes: readonly ScopeRow[];
}

/** What became of a batch. */
export interface BatchVerdicts {
  /** The places of the closings that ended an attempt, from 0. */
  readonly ended: ReadonlySet<number>;
  /** The scope that refused, by the place of the opening. */
  readonly refused: ReadonlyMap<number, string>;
}

const call = statement(callLedgerFunction);

export interface BatchReply {
  /** As the function writes them. */
  readonly verdicts: string;
  /** Of tokens, configuration and prices. */
  readonly revisions: string;
}

/** `newWindows`: how many openings may count against budgets that have no row yet. */
export const runLedgerBatch = single(function* (
  mostMs: number,
  newWindows: number,
  arrays: readonly string[],
): Steps<BatchReply> {
  const [verdicts, revisions] = (yield { statement: call, values: [mostMs, newWindows, ...arrays] })[0] ?? [];
  return { verdicts: asText(verdicts), revisions: asText(revisions) };
});

export function readVerdicts({ verdicts }: BatchReply): BatchVerdicts {
  const [ended, refused, refusing] = JSON.parse(verdicts) as [number[], number[], string[]];
  return {
    ended: new Set(ended.map((place) => place - 1)),
    refused: new Map(refused.map((place, at) => [place - 1, refusing[at] ?? ''])),
  };
}

const literals = (count: number): ArrayLiteral[] => Array.from({ length: count }, () => new ArrayLiteral());

/** In the order of the function's parameters. */
export function batchArrays(openings: readonly BatchedOpening[], closings: readonly ClosingCells[]): string[] {
  const ended = literals(parameters.closings.length);
  const opened = literals(parameters.openings.length);
  const scoped = literals(parameters.scopes.length);
  const rows = literals(parameters.rows.length);
  for (const [at, closing] of closings.entries()) addClosing(ended, rows, closing, at + 1);
  for (const [at, opening] of openings.entries()) addOpening(opened, scoped, opening, at + 1);
  return [...ended, ...opened, ...scoped, ...rows].map(String);
}

type AddedCell = Parameters<ArrayLiteral['add']>[0];

function addAll(columns: readonly ArrayLiteral[], cells: readonly unknown[], first = 0): void {
  for (let at = 0; at < cells.length; at += 1) columns[first + at]?.add((cells[at] ?? null) as AddedCell);
}

function addClosing(ended: ArrayLiteral[], rows: ArrayLiteral[], closing: ClosingCells, number: number): void {
  const row = closingTable.get(closing, 'row');
  addAll(ended, [
    closingTable.get(closing, 'id'),
    closingTable.get(closing, 'costNano'),
    closingTable.get(closing, 'estimated'),
    closingTable.get(closing, 'atMs'),
    closingTable.get(closing, 'verdict'),
    isRecordedByRow(closing),
    closingTable.get(closing, 'tokens'),
    number,
  ]);
  if (row === null) return;
  rows[0]?.add(number);
  addAll(rows, row, 1);
}

function addOpening(
  opened: ArrayLiteral[],
  scoped: ArrayLiteral[],
  { cells, scopes }: BatchedOpening,
  number: number,
): void {
  addAll(opened, cells);
  opened[cells.length]?.add(scopes.length === 0 ? '' : scopesText(scopes));
  if (scopes.length === 0) return;
  const reserved = reservedAmounts(reserveOf(cells));
  for (const { scope, windowStartMs, limit, unit, place } of scopes)
    addAll(scoped, [number, scope, windowStartMs, limit, reserved[unit], place]);
}
