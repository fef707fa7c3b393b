/** The event loop's end of a database thread: collects calls while a batch is away and sends them as one message. */

import type { AnyQuery, Json } from '../sql/query.ts';
import { revealError, StoreUnavailableError } from '../sql/store-errors.ts';
import { numberOf } from './queries.ts';
import type { Answers } from './sqlite-connection.ts';
import type { Control, ControlAnswer } from './sqlite-messages.ts';
import { startSqliteThread } from './sqlite-thread.ts';

/** A batch is one commit; a larger one would make its first callers wait for its last. */
const batchCallsMax = 512;
/** Calls that may wait before new ones are refused: a stalled disk must not fill the memory. */
const waitingCallsMax = 100_000;

interface Waiting {
  readonly message: readonly (number | Json)[];
  readonly resolve: (result: Json) => void;
  readonly reject: (error: Error) => void;
}

type Obeyed = ControlAnswer & { readonly ok: true };

export interface SqliteLane {
  call(query: AnyQuery, values: readonly Json[]): Promise<Json>;
  control(message: Control): Promise<Obeyed>;
  /** Waits for every call, closes the connection and ends the thread. */
  close(): Promise<void>;
}

function settle(batch: readonly Waiting[], [results, failures]: Answers, onFault: () => void): void {
  for (const [index, carried] of failures) {
    const error = revealError(carried);
    if (error instanceof StoreUnavailableError) onFault();
    batch[index]?.reject(error);
  }
  // A promise settles once, so resolving a failed call changes nothing.
  for (let index = 0; index < batch.length; index += 1) batch[index]?.resolve(results[index] ?? null);
}

/** Control messages are answered in the order in which they were sent. */
function makeControls(worker: Worker) {
  const sent: { resolve: (answer: Obeyed) => void; reject: (error: Error) => void }[] = [];
  return {
    send: (message: Control): Promise<Obeyed> =>
      new Promise((resolve, reject) => {
        sent.push({ resolve, reject });
        worker.postMessage(message);
      }),
    answered(answer: ControlAnswer): void {
      const first = sent.shift();
      if (answer.ok) first?.resolve(answer);
      else first?.reject(revealError(answer.error));
    },
    failed(error: Error): void {
      for (const each of sent.splice(0)) each.reject(error);
    },
  };
}

/** `onFault` is called for every call that failed because the database could not do it now. */
export function startSqliteLane(
  onFault: () => void = () => undefined,
  worker: Worker = startSqliteThread(),
): SqliteLane {
  let waiting: Waiting[] = [];
  let away: Waiting[] | undefined;
  let scheduled = false;
  let dead: Error | undefined;
  const controls = makeControls(worker);
  let drained: (() => void) | undefined;

  function send(): void {
    scheduled = false;
    if (away !== undefined || waiting.length === 0) return;
    away = waiting.length > batchCallsMax ? waiting.splice(0, batchCallsMax) : waiting;
    if (away === waiting) waiting = [];
    worker.postMessage(JSON.stringify(away.map((call) => call.message)));
  }

  /** After the pending events were handled: callers that were just answered put their next calls into the same batch. */
  function schedule(): void {
    if (scheduled || away !== undefined) return;
    scheduled = true;
    setImmediate(send);
  }

  worker.onmessage = (event: MessageEvent<string | ControlAnswer>) => {
    const message = event.data;
    if (typeof message !== 'string') {
      controls.answered(message);
      return;
    }
    const batch = away ?? [];
    away = undefined;
    settle(batch, JSON.parse(message) as Answers, onFault);
    if (waiting.length > 0) schedule();
    else drained?.();
  };

  worker.onerror = (event: ErrorEvent) => {
    dead = new StoreUnavailableError(`The database's thread ended: ${event.message}`);
    onFault();
    for (const call of [...(away ?? []), ...waiting]) call.reject(dead);
    controls.failed(dead);
    away = undefined;
    waiting = [];
    drained?.();
  };

  return {
    control: (message) => (dead === undefined ? controls.send(message) : Promise.reject(dead)),
    call(query, values) {
      if (dead !== undefined) return Promise.reject(dead);
      if (waiting.length >= waitingCallsMax) {
        return Promise.reject(new StoreUnavailableError('Too many calls wait for the database.'));
      }
      return new Promise((resolve, reject) => {
        waiting.push({ message: [numberOf(query), ...values], resolve, reject });
        schedule();
      });
    },
    async close() {
      if (away !== undefined || waiting.length > 0) {
        await new Promise<void>((resolve) => {
          drained = resolve;
        });
      }
      if (dead === undefined) await controls.send({ do: 'close' });
      dead ??= new StoreUnavailableError('The store is closed.');
      worker.terminate();
    },
  };
}
