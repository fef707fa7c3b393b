/** Writes a generation of the journal to the tables: many entries in one commit, an attempt's opening and closing as one insert. */

import { checkpointAttempts, closeAttempt, openAdmittedAttempt, openAttempt } from '../attempts/attempt-queries.ts';
import { addSettledAttempts, type WholeAttempt } from '../attempts/settled-attempts.ts';
import type { Cell, Cells } from '../sql/packed.ts';
import { asNumber, type Money, type Steps, statement, step } from '../sql/statement.ts';
import { type Entry, entryKinds } from './entries.ts';

/** What folding needs of the connection. */
interface Connection {
  drive<Result>(steps: Steps<Result>): Result;
  inTransaction<Result>(work: () => Result): Result;
  /** May this failure be temporary, so that the same work can succeed later? */
  passes(error: unknown): boolean;
}

const readState = statement('SELECT generation, in_use FROM journal WHERE id = $1');
const readInUse = statement('SELECT id FROM journal WHERE in_use = 1');
const writeInUse = statement(
  'INSERT INTO journal (id, generation, in_use) VALUES ($1, 0, $2) ON CONFLICT (id) DO UPDATE SET in_use = $2',
);
const writeGeneration = statement('UPDATE journal SET generation = $2 WHERE id = $1');

export interface JournalState {
  /** The last generation that was folded. */
  readonly generation: number;
  /** Did the last process that had the journal open end without folding all of it? Undefined where an older Weir was the last. */
  readonly inUse: boolean | undefined;
}

export function* journalState(journal: number): Steps<JournalState> {
  const [generation, inUse] = (yield step(readState, journal))[0] ?? [0];
  return { generation: asNumber(generation), inUse: (inUse ?? null) === null ? undefined : asNumber(inUse) === 1 };
}

export function* journalsInUse(): Steps<readonly number[]> {
  return (yield step(readInUse)).map(([id]) => asNumber(id));
}

export function* setJournalInUse(journal: number, inUse: boolean): Steps<void> {
  yield step(writeInUse, journal, inUse ? 1 : 0);
}

/** Of one of the journals. */
export interface Generation {
  readonly journal: number;
  readonly generation: number;
}

/** One that is in the tables already is left: the half of its file may be in use again. */
export function fold(connection: Connection, of: Generation, entries: readonly Entry[]): void {
  if (connection.drive(journalState(of.journal)).generation >= of.generation) return;
  try {
    connection.inTransaction(() => {
      const { whole, rest } = fused(entries);
      if (whole.length > 0) connection.drive(addSettledAttempts.steps(whole));
      for (const entry of rest) run(connection, entry);
      connection.drive(remember(of));
    });
  } catch (error) {
    if (connection.passes(error)) throw error;
    foldOneByOne(connection, of, entries);
  }
}

/** An entry that can never be written (it violates a constraint) must not block all that come after it. */
function foldOneByOne(connection: Connection, of: Generation, entries: readonly Entry[]): void {
  for (const entry of entries) {
    try {
      connection.inTransaction(() => run(connection, entry));
    } catch (error) {
      if (connection.passes(error)) throw error;
    }
  }
  connection.drive(remember(of));
}

function* remember({ journal, generation }: Generation): Steps<void> {
  yield step(writeGeneration, journal, generation);
}

type Checkpoints = readonly (readonly [id: string, costNano: Money])[];

function run(connection: Connection, [kind, ...cells]: Entry): void {
  if (kind === entryKinds.open) connection.drive(openAttempt.steps(cells));
  else if (kind === entryKinds.openWithin) connection.drive(openAdmittedAttempt(cells.slice(0, -1), scopesIn(cells)));
  else if (kind === entryKinds.close) connection.drive(closeAttempt.steps(cells));
  else if (kind === entryKinds.checkpoint)
    connection.drive(checkpointAttempts.steps(cells[0] as unknown as Checkpoints));
}

interface Fused {
  readonly whole: readonly WholeAttempt[];
  readonly rest: readonly Entry[];
}

/** Puts an opening and its closing together; attempts are independent of each other, so all of them can go first. */
export function fused(entries: readonly Entry[]): Fused {
  const openings = new Map<Cell | undefined, Entry>();
  for (const entry of entries) if (isOpening(entry)) openings.set(entry[1], entry);
  const whole: WholeAttempt[] = [];
  const rest: Entry[] = [];
  const ended = new Set<Entry>();
  for (const entry of entries) {
    const opening = entry[0] === entryKinds.close ? openings.get(entry[1]) : undefined;
    if (opening === undefined || ended.has(opening)) {
      rest.push(entry);
      continue;
    }
    ended.add(opening);
    const cells = cellsOf(opening);
    const isWithin = opening[0] === entryKinds.openWithin;
    whole.push([isWithin ? cells.slice(0, -1) : cells, cellsOf(entry), isWithin ? scopesIn(cells) : '']);
  }
  return { whole, rest: ended.size === 0 ? rest : rest.filter((entry) => !ended.has(entry)) };
}

const isOpening = ([kind]: Entry): boolean => kind === entryKinds.open || kind === entryKinds.openWithin;
/** They come last. */
const scopesIn = (cells: Cells): string => String(cells.at(-1));
const cellsOf = (entry: Entry): Cells => entry.slice(1) as unknown as Cells;
