/**
 * The Weir that the adversary suites attack: one process on SQLite, or several replicas on one PostgreSQL
 * (`WEIR_TEST_REPLICAS`, as `npm run soak` sets it), whose URLs take turns.
 */

import { startReplicas } from '../harness/replicas.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

export interface AttackedWeir extends RunningWeir {
  /** The URL for the next request. */
  turn(): string;
}

interface AttackOptions {
  readonly yaml: object;
  readonly unchecked?: string;
}

export async function startAttacked(options: AttackOptions): Promise<AttackedWeir> {
  const count = Number(process.env['WEIR_TEST_REPLICAS'] ?? '1');
  if (count === 1) {
    const weir = await startWeir(options);
    return { ...weir, turn: () => weir.url };
  }
  const replicas = await startReplicas(count, options);
  let turns = 0;
  return {
    ...replicas.at(0),
    databaseUrl: replicas.place.databaseUrl,
    turn: () => replicas.at(turns++ % count).url,
    remove: () => replicas.remove(),
  };
}
