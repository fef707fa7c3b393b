/** The ledger for the attempts of a video order: opening an attempt writes the task too, in one transaction, and closing includes it. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type {
  AttemptClosing,
  AttemptOpening,
  Ledger,
  OpeningVerdict,
  RequestError,
  UsageRow,
} from '../../ledger/ledger.ts';
import type { Price } from '../../prices/price.ts';
import type { TaskTerms } from '../task.ts';
import type { NewTask, TaskStore } from '../task-store.ts';

/** What of a task depends on the candidate that is tried. */
export type TaskShare = Pick<NewTask, 'provider' | 'keyId' | 'upstreamModel' | 'attemptId'> & {
  readonly terms: TaskTerms;
};

interface TaskLedgerParts {
  readonly store: Pick<TaskStore, 'create' | 'move' | 'discard'>;
  readonly ledger: Pick<Ledger, 'record' | 'recordError' | 'nameOf'>;
  readonly openPerTokenMax: number;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** How soon a task is discarded whose creation may or may not have been written. */
const discardAfterMs = 5_000;

export class TaskLedger implements Ledger {
  readonly #parts: TaskLedgerParts;
  readonly #task: Omit<NewTask, keyof TaskShare>;
  readonly #shareOf: (opening: AttemptOpening) => TaskShare;
  #state: 'none' | 'open' | 'closed' = 'none';
  #closing: AttemptClosing | undefined;

  constructor(
    parts: TaskLedgerParts,
    task: Omit<NewTask, keyof TaskShare>,
    shareOf: (opening: AttemptOpening) => TaskShare,
  ) {
    this.#parts = parts;
    this.#task = task;
    this.#shareOf = shareOf;
  }

  openNow(): undefined {
    return undefined;
  }

  closeNow(): boolean {
    return false;
  }

  async open(opening: AttemptOpening): Promise<OpeningVerdict> {
    const verdict = await this.#open(opening).catch((cause: unknown) => {
      this.#discardLater(opening);
      throw cause;
    });
    if (verdict.admitted) this.#state = 'open';
    else if (this.#state !== 'none') this.#state = 'none';
    if (!verdict.admitted && verdict.scope === 'open-tasks') throw tooManyOpen(this.#parts.openPerTokenMax);
    // A worker took the task meanwhile: the order took longer than allowed.
    if (!verdict.admitted && verdict.scope === 'task') throw tookTooLong();
    return verdict;
  }

  #open(opening: AttemptOpening): Promise<OpeningVerdict> {
    const { store, openPerTokenMax } = this.#parts;
    const share = this.#shareOf(opening);
    const closing = this.#closing;
    if (closing === undefined) return store.create(opening, { ...this.#task, ...share }, openPerTokenMax);
    this.#closing = undefined;
    return store.move(this.#task.id, closing, opening, share);
  }

  /** Without a row it is kept until it is known whether another candidate follows. */
  async close(closing: AttemptClosing): Promise<void> {
    this.#closing = closing;
    this.#state = 'closed';
    // The request's row is the last word: nothing is left to follow.
    if (closing.row === undefined) return;
    await this.abandon();
    this.#parts.ledger.record(closing.row);
  }

  /** No provider accepted the order. */
  async abandon(): Promise<void> {
    const closing = this.#closing;
    if (this.#state !== 'closed' || closing === undefined) return;
    this.#state = 'none';
    await this.#parts.store.discard(this.#task.id, closing);
  }

  checkpoint(): void {
    // A video costs what was ordered, however much of it is done.
  }

  nameOf(price: Price): string {
    return this.#parts.ledger.nameOf(price);
  }

  record(row: UsageRow): void {
    this.#parts.ledger.record(row);
  }

  recordError(error: RequestError): void {
    this.#parts.ledger.recordError(error);
  }

  /** It may have been written and only the answer lost; then it would hold a reservation for work that was not ordered. */
  #discardLater({ attemptId }: AttemptOpening): void {
    const { store, warn } = this.#parts;
    const discard = (): void => {
      const closing = { attemptId, costNano: 0n, estimated: false, atMs: Date.now(), verdict: 'unused' };
      store
        .discard(this.#task.id, closing)
        .catch((cause: unknown) => warn('A task that was never ordered could not be discarded.', { cause }));
    };
    setTimeout(discard, discardAfterMs).unref();
  }
}

function tookTooLong(): GatewayError {
  return new GatewayError('upstream_timeout', 'No provider accepted the task in time.');
}

function tooManyOpen(most: number): GatewayError {
  const message = `The token reached its limit of ${most} running videos. Wait for one to finish.`;
  return new GatewayError('concurrency_limited', message, { retryAfterMs: 1_000 });
}
