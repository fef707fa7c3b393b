/** What the journal records, and how records of earlier versions are read. */

import { closingTable, openingTable } from '../attempts/attempt-table.ts';
import type { Cell, Cells } from '../sql/packed.ts';
import { usageTable } from '../usage/usage-table.ts';

/** The numbers are in files that exist already. */
export const entryKinds = { open: 0, close: 2, checkpoint: 4, openWithin: 6 } as const;

/**
 * A record: its kind, then the cells of an opening or a closing, or one list of checkpoints. An opening within budgets has
 * them behind its cells, as `attempt_rows` has them.
 */
export type Entry = readonly [kind: number, ...cells: Cell[]];

/**
 * Grows when cells change their places or a kind is added. A cell that is added at the end needs no new version: it is NULL where an entry does not
 * have it.
 */
export const entryVersion = 3;
/** What files hold that name no version. */
export const unnamedVersion = 1;

/** The order of cells in version 1. A version that was released is never changed. */
const firstVersion = {
  opening: [
    ...['id', 'requestId', 'tokenId', 'reserveNano', 'estimateNano', 'instanceId'],
    ...['provider', 'model', 'atMs', 'keyId'],
  ],
  closing: ['id', 'costNano', 'estimated', 'atMs', 'row', 'verdict'],
  usage: [
    ...['requestId', 'atMs', 'tokenId', 'endpoint', 'model', 'provider', 'upstreamModel', 'stream', 'attempts'],
    ...['status', 'code', 'inputTotal', 'inputFresh', 'inputCacheRead', 'inputCacheWrite', 'inputAudio', 'inputImage'],
    ...['outputTotal', 'outputText', 'outputThinking', 'outputAudio', 'outputImage', 'costNano', 'estimated'],
    ...['priceVersion', 'firstEventMs', 'totalMs', 'bytesIn', 'bytesOut', 'priceName', 'units', 'way'],
  ],
} as const;

/** Cells that the earliest entries of version 1 lack. */
const absentInFirst: Readonly<Record<string, Cell>> = { keyId: '', verdict: '' };

function reordered(cells: Cells, from: readonly string[], to: readonly string[]): Cells {
  return to.map((name) => cells[from.indexOf(name)] ?? absentInFirst[name] ?? null);
}

/** Reads what a recovery found, as the present version has it. */
export function readEntries(version: number, texts: readonly string[]): readonly Entry[] {
  return upgraded(
    version,
    texts.map((text) => JSON.parse(text) as Entry),
  );
}

/** The entries of a version as the present one has them. */
function upgraded(version: number, entries: readonly Entry[]): readonly Entry[] {
  return version === unnamedVersion ? entries.map(upgradedFirst) : entries;
}

function upgradedFirst(entry: Entry): Entry {
  const [kind, ...cells] = entry;
  const { opening, closing, usage } = firstVersion;
  if (kind === entryKinds.open) return [kind, ...reordered(cells, opening, openingTable.names)];
  if (kind !== entryKinds.close) return entry;
  const row = cells[closing.indexOf('row')] as Cells | null;
  const withRow = cells.with(closing.indexOf('row'), row === null ? null : reordered(row, usage, usageTable.names));
  return [kind, ...reordered(withRow, closing, closingTable.names)];
}
