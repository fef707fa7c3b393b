/** What the processes that serve say is wrong with them, and how this machine's clock compares with the database's. */

import { type ReplicaCondition, readConditions } from '../../observe/share-conditions.ts';
import type { Store } from '../../store/store.ts';
import { printable } from '../table.ts';
import type { Check } from './doctor-providers.ts';

/** Replicas live by the database's clock, so a machine's own matters only for its logs and certificates. */
const clockSkewMsMax = 5_000;

export async function checkReplicas({ fleetState, clock }: Pick<Store, 'fleetState' | 'clock'>, now: () => number) {
  const { readDatabase } = clock;
  const aheadMs = readDatabase === undefined ? undefined : -((await readDatabase()) - now());
  return [...databaseClock(aheadMs), ...(await readConditions(fleetState)).map(conditionCheck)];
}

function databaseClock(aheadMs: number | undefined): readonly Check[] {
  if (aheadMs === undefined) return [];
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const name = 'database clock';
  if (Math.abs(aheadMs) <= clockSkewMsMax)
    return [{ name, state: 'ok', detail: `within ${seconds} s of this machine's` }];
  const direction = aheadMs > 0 ? 'ahead of' : 'behind';
  const detail = `this machine's clock is ${seconds} s ${direction} the database's, by which replicas live. Set the machine's clock (NTP)`;
  return [{ name, state: 'warning', detail }];
}

function conditionCheck({ instanceId, text }: ReplicaCondition): Check {
  return { name: printable(`replica ${instanceId}`), state: 'broken', detail: printable(text) };
}
