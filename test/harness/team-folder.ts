/** A data folder whose database has teams before Weir starts: for tests of what gives people a place in them. */

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { organizationId } from '../../src/access/organization.ts';
import { openStore } from '../../src/store/open-store.ts';
import { askDatabase } from './kept-database.ts';
import type { RunningWeir } from './weir.ts';

export async function folderWithTeams(...names: readonly string[]): Promise<string> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'weir-teams-'));
  const store = await openStore({ dataFolder, synchronous: 'normal', nowMs: Date.now });
  for (const name of names) {
    const nameKey = name.toLowerCase();
    await store.organization.insert({
      ...{ id: `team_${nameKey}`, kind: 'team', parentId: organizationId, name, nameKey },
      ...{ terms: {}, createdAtMs: Date.now() },
    });
  }
  await store.close();
  return dataFolder;
}

/** As `person team role source`. */
export async function membershipsIn(weir: RunningWeir): Promise<readonly string[]> {
  const rows = await askDatabase(
    weir,
    `SELECT a.name || ' ' || m.team_id || ' ' || m.role || ' ' || m.source AS line
     FROM memberships m JOIN accounts a ON a.id = m.account_id ORDER BY line`,
  );
  return rows.map(({ line }) => line ?? '');
}
