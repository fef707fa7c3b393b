/** Opens the journal at a start: writes what the process before left in it, reports and sets aside a damaged one, and begins a new one. */

import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalState } from './fold.ts';
import { type Deliver, Journal } from './journal.ts';
import { type JournalDamage, type RecoveredGeneration, recoverJournal } from './journal-recovery.ts';

/** The journal of the process that holds the database; workers have the numbers after it. */
export const firstJournal = 1;
const nameOf = (journal: number): string => (journal === firstJournal ? 'journal' : `journal-${journal}`);
export const journalPath = (folder: string, journal: number): string => join(folder, nameOf(journal));

/** The journals that lie in a folder, by their numbers. */
export function journalsIn(folder: string): readonly number[] {
  return readdirSync(folder)
    .map((name) => /^journal(?:-(\d+))?$/.exec(name))
    .flatMap((match) => (match === null ? [] : Number(match[1] ?? firstJournal)));
}

/** Followed by the time at which it was set aside; the message about it is in a file beside it. */
export const damagedJournalPrefix = 'journal.damaged-';

interface JournalWork {
  readonly folder: string;
  readonly journal: number;
  readonly nowMs: number;
  readonly state: JournalState;
  foldTexts(recovered: RecoveredGeneration): Promise<void>;
  setInUse(inUse: boolean): Promise<void>;
}

interface Recovery {
  /** The last generation that is in the tables. */
  readonly generation: number;
  /** What the operator should know about the journal that was found. */
  readonly notice: string | undefined;
}

/** Afterwards everything is in the tables, and the journal is not in use. */
export async function recoverLeft(work: JournalWork): Promise<Recovery> {
  const { generations, notice } = await foldLeft(work, journalPath(work.folder, work.journal));
  await work.setInUse(false);
  return { generation: Math.max(generations.at(-1)?.generation ?? 0, work.state.generation), notice };
}

interface OpenedJournal {
  /** Absent where hot writes go to the database's thread one by one. */
  readonly journal: Journal | undefined;
  /** What the operator should know about the journal that was found. */
  readonly notice: string | undefined;
}

/** `full` promises more than a mapped file can keep: a power cut may take its last records. */
export async function openJournal(
  work: JournalWork,
  synchronous: 'normal' | 'full',
  deliver: Deliver,
): Promise<OpenedJournal> {
  const { generation, notice } = await recoverLeft(work);
  // Should the process die before the new file is whole, nothing is missing.
  const path = journalPath(work.folder, work.journal);
  const journal = synchronous === 'normal' ? Journal.open(path, generation + 1, deliver) : undefined;
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

function setAside({ folder, journal, nowMs }: JournalWork, path: string, isThere: boolean, notice: string): string {
  const time = new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-');
  const name = `${damagedJournalPrefix}${time}${journal === firstJournal ? '' : `-${journal}`}`;
  const aside = join(folder, name);
  if (isThere) renameSync(path, aside);
  const full = isThere ? `${notice} It is kept as ${name}.` : notice;
  // For `weir doctor`, until the operator removes it.
  writeFileSync(`${aside}.txt`, `${full}\n`, { mode: 0o600 });
  return full;
}
