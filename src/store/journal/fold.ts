/** Does what a journal holds: many calls in one commit, with an attempt's opening and closing made one insert. */

import type { WholeAttempt } from '../attempts/attempt-queries.ts';
import { type Json, operationCodes, operationTable } from '../engines/operations.ts';
import { asNumber, type Operation, statement, step } from '../sql/statement.ts';

/** An operation's place in `operationTable`, then its values. */
export type Call = readonly [code: number, ...values: Json[]];

/** What folding needs of the connection. */
export interface Connection {
  drive<Result>(operation: Operation<Result>): Result;
  inTransaction<Result>(work: () => Result): Result;
  /** May this fault pass, so that the same work can succeed later? */
  passes(error: unknown): boolean;
}

const readState = statement('SELECT generation, in_use FROM journal WHERE id = 1');
const writeInUse = statement('UPDATE journal SET in_use = $1 WHERE id = 1');
const writeGeneration = statement('UPDATE journal SET generation = $1 WHERE id = 1');

const openCode = operationCodes.get('openAttempt');
const closeCode = operationCodes.get('closeAttempt');
const wholeCode = operationCodes.get('addSettledAttempts');

export interface JournalState {
  /** The last generation that was folded. */
  readonly generation: number;
  /** Did the last process that had the journal open end without folding all of it? Undefined where an older Weir was the last. */
  readonly inUse: boolean | undefined;
}

export function* journalState(): Operation<JournalState> {
  const [generation, inUse] = (yield step(readState))[0] ?? [];
  return { generation: asNumber(generation), inUse: (inUse ?? null) === null ? undefined : asNumber(inUse) === 1 };
}

export function* setJournalInUse(inUse: boolean): Operation<void> {
  yield step(writeInUse, inUse ? 1 : 0);
}

export function fold(connection: Connection, generation: number, calls: readonly Call[]): void {
  try {
    connection.inTransaction(() => {
      for (const call of fused(calls)) run(connection, call);
      connection.drive(remember(generation));
    });
  } catch (error) {
    if (connection.passes(error)) throw error;
    foldOneByOne(connection, generation, calls);
  }
}

/** A call that can never be done (it breaks a rule of a table) must not hold up all that come after it. */
function foldOneByOne(connection: Connection, generation: number, calls: readonly Call[]): void {
  for (const call of calls) {
    try {
      connection.inTransaction(() => run(connection, call));
    } catch (error) {
      if (connection.passes(error)) throw error;
    }
  }
  connection.drive(remember(generation));
}

function* remember(generation: number): Operation<void> {
  yield step(writeGeneration, generation);
}

function run(connection: Connection, [code, ...values]: Call): void {
  const entry = operationTable[code];
  if (entry !== undefined) connection.drive(entry.steps(...values));
}

/** Puts an opening and its closing together; attempts are independent of each other, so all of them can go first. */
export function fused(calls: readonly Call[]): readonly Call[] {
  const openings = new Map<Json | undefined, Call>();
  for (const call of calls) if (call[0] === openCode) openings.set(call[1], call);
  const whole: WholeAttempt[] = [];
  const rest: Call[] = [];
  const ended = new Set<Call>();
  for (const call of calls) {
    const opening = call[0] === closeCode ? openings.get(call[1]) : undefined;
    if (opening === undefined || ended.has(opening)) {
      rest.push(call);
      continue;
    }
    ended.add(opening);
    // Both were made by the typed facade; their types were erased only for the journey between threads.
    whole.push([opening.slice(1), call.slice(1)] as unknown as WholeAttempt);
  }
  if (whole.length === 0 || wholeCode === undefined) return calls;
  return [[wholeCode, whole as unknown as Json], ...rest.filter((call) => !ended.has(call))];
}
