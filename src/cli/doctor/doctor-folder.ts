/** The doctor's checks of the data folder: damaged journals, and settlements that wait for a start. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { damagedJournalPrefix } from '../../store/journal/open-journal.ts';
import type { Check } from './doctor-providers.ts';

export async function checkLeftFiles(folder: string): Promise<readonly Check[]> {
  const names = (await readdir(folder).catch(() => [])).sort();
  const checks: Check[] = [];
  for (const name of names) {
    if (name.startsWith(damagedJournalPrefix) && name.endsWith('.txt')) {
      const notice = (await readFile(join(folder, name), 'utf8')).trim();
      checks.push({ name: 'journal', state: 'broken', detail: `${notice} Reported until ${name} is removed.` });
    } else if (/^closings-.*\.spill$/.test(name)) {
      const detail = `${name} holds settlements that the database could not take; the next start writes them`;
      checks.push({ name: 'settlements', state: 'broken', detail });
    } else if (name.endsWith('.spill.damaged')) {
      checks.push({ name: 'settlements', state: 'broken', detail: `${name} has lines that could not be read` });
    }
  }
  return checks;
}
