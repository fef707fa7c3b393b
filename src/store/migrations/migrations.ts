/** Every step of the schema, in order. */

import type { Migration } from '../sql/migration.ts';
import { firstTables } from './0001-0009/0001-first-tables.ts';
import { soleAttempts } from './0001-0009/0002-sole-attempts.ts';
import { keptReplies } from './0001-0009/0003-kept-replies.ts';
import { tasks } from './0001-0009/0004-tasks.ts';
import { trail } from './0001-0009/0005-trail.ts';
import { accounts } from './0001-0009/0006-accounts.ts';
import { usageCells } from './0001-0009/0007-usage-cells.ts';
import { requestDetails } from './0001-0009/0008-request-details.ts';
import { consoleConfiguration } from './0001-0009/0009-console-configuration.ts';
import { contents } from './0010-0019/0010-contents.ts';
import { digestKeys } from './0010-0019/0011-digest-keys.ts';
import { keyOwners } from './0010-0019/0012-key-owners.ts';
import { journalInUse } from './0010-0019/0013-journal-in-use.ts';
import { ownedIds } from './0010-0019/0014-owned-ids.ts';
import { replicaContents } from './0010-0019/0015-replica-contents.ts';
import { storageCeilings } from './0010-0019/0016-storage-ceilings.ts';
import { priceTables } from './0010-0019/0017-price-tables.ts';
import { unpriced } from './0010-0019/0018-unpriced.ts';
import { requestErrors } from './0010-0019/0019-request-errors.ts';
import { dimensions } from './0020-0029/0020-dimensions.ts';
import { countedRefusals } from './0020-0029/0021-counted-refusals.ts';
import { attemptHealth } from './0020-0029/0022-attempt-health.ts';
import { fleetState } from './0020-0029/0023-fleet-state.ts';
import { requestExports } from './0020-0029/0024-request-exports.ts';
import { organization } from './0020-0029/0025-organization.ts';
import { budgetUnits } from './0020-0029/0026-budget-units.ts';
import { endUsers } from './0020-0029/0027-end-users.ts';
import { secondFactors } from './0020-0029/0028-second-factors.ts';
import { identities } from './0020-0029/0029-identities.ts';
import { alerts } from './0030-0039/0030-alerts.ts';
import { signIns } from './0030-0039/0031-sign-ins.ts';
import { adminKeys } from './0030-0039/0032-admin-keys.ts';
import { directory } from './0030-0039/0033-directory.ts';
import { notesAndTags } from './0030-0039/0034-notes-and-tags.ts';
import { recordedBudgets } from './0030-0039/0035-recorded-budgets.ts';
import { recoveredAttempts } from './0030-0039/0036-recovered-attempts.ts';

export const migrations: readonly Migration[] = [
  firstTables,
  soleAttempts,
  keptReplies,
  tasks,
  trail,
  accounts,
  usageCells,
  requestDetails,
  consoleConfiguration,
  contents,
  digestKeys,
  keyOwners,
  journalInUse,
  ownedIds,
  replicaContents,
  storageCeilings,
  priceTables,
  unpriced,
  requestErrors,
  dimensions,
  countedRefusals,
  attemptHealth,
  fleetState,
  requestExports,
  organization,
  budgetUnits,
  endUsers,
  secondFactors,
  identities,
  alerts,
  signIns,
  adminKeys,
  directory,
  notesAndTags,
  recordedBudgets,
  recoveredAttempts,
];
