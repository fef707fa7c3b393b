/**
 * The embedded engine's command log. A hot write is answered as soon as its call is in the log, which is one small append;
 * what it asks for is done a moment later, many calls in one commit, with an attempt's opening and closing made one insert.
 * A process that dies leaves its log behind, and the next one that serves does what it says before anything else.
 */

import type { addSettledAttempts, WholeAttempt } from './operations/attempts.ts';
import { type Json, operationCodes, operationTable } from './operations.ts';
import { asNumber, asText, type Operation, statement, step } from './statement.ts';

/** An operation's place in `operationTable`, then its values. */
export type Call = readonly [code: number, ...values: Json[]];

/** What the log needs of the connection. */
export interface Connection {
  drive<Result>(operation: Operation<Result>): Result;
  inTransaction<Result>(work: () => Result): Result;
  /** May this fault pass, so that the same work can succeed later? */
  passes(error: unknown): boolean;
}

interface Logged {
  readonly seq: number;
  /** JSON; read only when the calls are done. */
  readonly calls: string;
}

const append = statement('INSERT INTO command_log (seq, calls) VALUES ($1, $2)');
const readAll = statement('SELECT seq, calls FROM command_log ORDER BY seq');
const forget = statement('DELETE FROM command_log WHERE seq <= $1');

const openCode = operationCodes.get('openAttempt');
const closeCode = operationCodes.get('closeAttempt');
const wholeCode = operationCodes.get('addSettledAttempts');
/** One fold is one commit; those who come meanwhile wait for it. */
const callsPerFold = 512;

export class CommandLog {
  readonly #connection: Connection;
  #logged: Logged[] = [];
  #nextSeq = 1;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Only the one process that serves from the folder keeps a log; it first does what a dead one left. */
  begin(): void {
    this.#logged = this.#connection.drive(readRows());
    this.#nextSeq = (this.#logged.at(-1)?.seq ?? 0) + 1;
    this.foldAll();
  }

  get isEmpty(): boolean {
    return this.#logged.length === 0;
  }

  mustFoldBefore(call: Call): boolean {
    return this.#logged.length > 0 && operationTable[call[0]]?.log === 'after';
  }

  /** Durable when it returns. */
  append(calls: string): void {
    const seq = this.#nextSeq;
    this.#connection.drive(appendRow(seq, calls));
    this.#nextSeq += 1;
    this.#logged.push({ seq, calls });
  }

  foldAll(): void {
    while (this.#logged.length > 0) this.fold();
  }

  /** Does the oldest calls of the log and takes them out of it, in one commit. */
  fold(): void {
    let batches = 0;
    let calls: Call[] = [];
    while (batches < this.#logged.length && calls.length < callsPerFold) {
      calls = calls.concat(JSON.parse(this.#logged[batches]?.calls ?? '[]') as Call[]);
      batches += 1;
    }
    const last = this.#logged[batches - 1];
    if (last === undefined) return;
    try {
      this.#connection.inTransaction(() => {
        for (const call of fused(calls)) this.#do(call);
        this.#connection.drive(forgetRows(last.seq));
      });
    } catch (error) {
      if (this.#connection.passes(error)) throw error;
      this.#foldOneByOne(calls, last.seq);
    }
    this.#logged = this.#logged.slice(batches);
  }

  /** A call that can never be done (it breaks a rule of a table) must not hold up all that come after it. */
  #foldOneByOne(calls: readonly Call[], seq: number): void {
    this.#connection.inTransaction(() => {
      for (const call of calls) {
        try {
          this.#do(call);
        } catch (error) {
          if (this.#connection.passes(error)) throw error;
        }
      }
      this.#connection.drive(forgetRows(seq));
    });
  }

  #do(call: Call): void {
    const [code, ...values] = call;
    const entry = operationTable[code];
    if (entry !== undefined) this.#connection.drive(entry.steps(...values));
  }
}

/** Puts an opening and its closing together; attempts are independent of each other, so all of them can go first. */
function fused(calls: readonly Call[]): readonly Call[] {
  const openings = new Map<string, Call>();
  for (const call of calls) if (call[0] === openCode) openings.set(String(call[1]), call);
  const whole: WholeAttempt[] = [];
  const rest: Call[] = [];
  const ended = new Set<Call>();
  for (const call of calls) {
    const opening = call[0] === closeCode ? openings.get(String(call[1])) : undefined;
    if (opening === undefined || ended.has(opening)) {
      rest.push(call);
      continue;
    }
    ended.add(opening);
    // Both were made by the typed facade; their types were erased only for the journey between threads.
    whole.push([opening.slice(1), call.slice(1)] as unknown as WholeAttempt);
  }
  if (whole.length === 0 || wholeCode === undefined) return calls;
  const wholeCall = [wholeCode, whole] satisfies [number, ...Parameters<typeof addSettledAttempts>];
  return [wholeCall as unknown as Call, ...rest.filter((call) => !ended.has(call))];
}

function* readRows(): Operation<Logged[]> {
  return (yield step(readAll)).map((row) => ({ seq: asNumber(row[0]), calls: asText(row[1]) }));
}

function* appendRow(seq: number, text: string): Operation<void> {
  yield step(append, seq, text);
}

function* forgetRows(seq: number): Operation<void> {
  yield step(forget, seq);
}
