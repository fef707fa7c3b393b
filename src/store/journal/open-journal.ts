/** Opens the journal at a start: writes what the process before left in it, reports and sets aside a damaged one, and begins a new one. */

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalState } from './fold.ts';
import { type Deliver, Journal } from './journal.ts';
import { type JournalDamage, type RecoveredGeneration, recoverJournal } from './journal-recovery.ts';

export const journalName = 'journal';
/** Followed by the time at which it was set aside; the message about it is in a file beside it. */
export const damagedJournalPrefix = 'journal.damaged-';

interface JournalWork {
  readonly folder: string;
  readonly nowMs: number;
  readonly state: JournalState;
  /** `full` promises more than a mapped file can keep: a power cut may take its last records. */
  readonly synchronous: 'normal' | 'full';
  foldTexts(recovered: RecoveredGeneration): Promise<void>;
  setInUse(inUse: boolean): Promise<void>;
  readonly deliver: Deliver;
}

interface OpenedJournal {
  /** Absent where hot writes go to the database's thread one by one. */
  readonly journal: Journal | undefined;
  /** What the operator should know about the journal that was found. */
  readonly notice: string | undefined;
}

export async function openJournal(work: JournalWork): Promise<OpenedJournal> {
  const path = join(work.folder, journalName);
  const { generations, notice } = await foldLeft(work, path);
  const last = generations.at(-1)?.generation ?? work.state.generation;
  // Everything is in the tables now; should the process die before the new file is whole, nothing is missing.
  await work.setInUse(false);
  const journal =
    work.synchronous === 'normal'
      ? Journal.open(path, Math.max(last, work.state.generation) + 1, work.deliver)
      : undefined;
  if (journal !== undefined) await work.setInUse(true);
  return { journal, notice };
}

async function foldLeft(
  work: JournalWork,
  path: string,
): Promise<{ generations: readonly RecoveredGeneration[]; notice: string | undefined }> {
  const bytes = existsSync(path) ? readFileSync(path) : undefined;
  const { inUse } = work.state;
  // After a clean end nothing in it matters any more; an older Weir did not record how it ended.
  if (inUse === false || (inUse === undefined && bytes === undefined)) return { generations: [], notice: undefined };
  const { generations, damage } = recoverJournal(bytes, work.state.generation);
  for (const recovered of generations) await work.foldTexts(recovered);
  if (damage === undefined) return { generations, notice: undefined };
  const count = generations.reduce((sum, { texts }) => sum + texts.length, 0);
  return { generations, notice: setAside(work, path, bytes !== undefined, noticeOf(path, damage, count)) };
}

function noticeOf(path: string, { what, lost }: JournalDamage, recovered: number): string {
  const left = lost === undefined ? 'an unknown number is lost' : `${lost} ${lost === 1 ? 'is' : 'are'} lost`;
  const kept = `${recovered} ${recovered === 1 ? 'record was' : 'records were'} recovered, ${left}`;
  return `The journal ${path} ${what} after a process that did not end cleanly: ${kept}. Records are attempts and usage of its last moments.`;
}

function setAside({ folder, nowMs }: JournalWork, path: string, isThere: boolean, notice: string): string {
  const name = `${damagedJournalPrefix}${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}`;
  const aside = join(folder, name);
  if (isThere) renameSync(path, aside);
  const full = isThere ? `${notice} It is kept as ${name}.` : notice;
  // For `weir doctor`, until the operator removes it.
  writeFileSync(`${aside}.txt`, `${full}\n`, { mode: 0o600 });
  return full;
}
