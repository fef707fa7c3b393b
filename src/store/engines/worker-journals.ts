/** The journals of worker processes, as the process that holds the database sees them: it folds them, and recovers what a dead worker left. */

import { join } from 'node:path';
import type { Generation, JournalState } from '../journal/fold.ts';
import type { Span } from '../journal/journal-records.ts';
import { firstJournal, journalPath, recoverLeft } from '../journal/open-journal.ts';
import type { RecalledWindows } from '../journal/share-report.ts';
import { FolderInUseError } from '../sql/store-errors.ts';
import { lockFile } from './process-lock.ts';
import type { Control, ControlAnswer } from './sqlite-messages.ts';

interface WorkerJournalParts {
  readonly folder: string;
  nowMs(): number;
  control(control: Control): Promise<ControlAnswer & { readonly ok: true }>;
  /** A generation is in the tables. */
  folded(of: Generation): void;
  /** A journal has no process that records in it, and all of it is in the tables. */
  ended(journal: number): void;
}

/** Workers of a Weir that has ended notice it and end at once; one that is stopped or starved of CPU time takes longer. */
const endTimeoutMs = 15_000;
const lookEveryMs = 50;

/** A worker holds it while it has the journal open. */
export const journalLockPath = (folder: string, journal: number): string => join(folder, `journal-${journal}.lock`);

export class WorkerJournals {
  readonly #parts: WorkerJournalParts;
  readonly #recovering = new Map<number, Promise<Recovered>>();
  /** Makes the workers hand over what they have recorded. */
  flush: () => Promise<void> = () => Promise.resolve();
  /** Makes a worker give back its shares of these budgets, and report what it used of them. */
  recall: (journal: number, windows: RecalledWindows) => Promise<void> = () => Promise.resolve();

  constructor(parts: WorkerJournalParts) {
    this.#parts = parts;
  }

  /** Folds what is left in a journal whose process has ended, before another one takes it. */
  recover(journal: number): Promise<Recovered> {
    const before = this.#recovering.get(journal) ?? Promise.resolve();
    const recovered = before.then(
      () => this.#recover(journal),
      () => this.#recover(journal),
    );
    this.#recovering.set(journal, recovered);
    return recovered;
  }

  /** The journals of workers that ended with the process before this one. */
  async recoverAll(inUse: readonly number[]): Promise<readonly string[]> {
    const notices: string[] = [];
    for (const journal of inUse.filter((each) => each !== firstJournal)) {
      const { notice } = await this.recover(journal);
      if (notice !== undefined) notices.push(notice);
    }
    return notices;
  }

  async fold(of: Generation, span: Span): Promise<void> {
    await this.#parts.control({ do: 'fold', of, path: journalPath(this.#parts.folder, of.journal), span });
    this.#parts.folded(of);
  }

  async setInUse(journal: number, inUse: boolean): Promise<void> {
    await this.#parts.control({ do: 'set-journal-in-use', journal, inUse });
  }

  async #recover(journal: number): Promise<Recovered> {
    const { folder, control } = this.#parts;
    await untilReleased(folder, journal);
    const { state } = await control({ do: 'read-journal-state', journal });
    const recovered = await recoverLeft({
      folder,
      journal,
      nowMs: this.#parts.nowMs(),
      state: known(state),
      async foldTexts({ generation, version, texts }) {
        await control({ do: 'fold-texts', of: { journal, generation }, version, texts });
      },
      setInUse: (inUse) => this.setInUse(journal, inUse),
    });
    this.#parts.ended(journal);
    return recovered;
  }
}

interface Recovered {
  readonly generation: number;
  readonly notice: string | undefined;
}

/** A file whose journal this database does not know is of another database. */
const known = ({ generation = 0, inUse = false }: Partial<JournalState> = {}): JournalState => ({ generation, inUse });

async function untilReleased(folder: string, journal: number): Promise<void> {
  const path = journalLockPath(folder, journal);
  const deadlineMs = performance.now() + endTimeoutMs;
  for (;;) {
    const lock = lockFile(path);
    if (lock !== undefined) return lock.release();
    if (performance.now() > deadlineMs) break;
    await Bun.sleep(lookEveryMs);
  }
  throw new FolderInUseError(
    `A worker process of another Weir still serves from the data folder ${folder}: it holds ${path}. Stop that process first.`,
  );
}
