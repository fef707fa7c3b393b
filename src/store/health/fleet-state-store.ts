/** The state that replicas share, in the database that they share anyway. */

import { type FleetState, hasChanges } from '../../routing/fleet/fleet-state.ts';
import type { Driver } from '../sql/driver.ts';
import { changeFleetState, fleetStateRevision, readFleetState } from './fleet-state-queries.ts';

export function fleetStateStore(driver: Driver): FleetState {
  return {
    async exchange(changes, knownRevision) {
      if (hasChanges(changes)) return driver.run(changeFleetState, changes);
      // A poll, which the watched state answers: without a change there is no statement.
      const revision = String(await driver.run(fleetStateRevision));
      return revision === knownRevision ? { revision, claimed: [] } : driver.run(readFleetState);
    },
  };
}
