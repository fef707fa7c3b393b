/** Every query of the store, numbered: both ends of a database thread know a query by its number. */

import * as accounts from '../accounts/account-queries.ts';
import * as audit from '../accounts/audit-queries.ts';
import * as credentials from '../accounts/credential-queries.ts';
import * as sessions from '../accounts/session-queries.ts';
import * as adminKeys from '../admin-keys/admin-key-queries.ts';
import * as idempotentWrites from '../admin-keys/idempotent-write-queries.ts';
import * as alertFacts from '../alerts/alert-fact-queries.ts';
import * as alerts from '../alerts/alert-queries.ts';
import * as alertRules from '../alerts/alert-rule-queries.ts';
import * as periodSlices from '../analytics/summing/period-slices.ts';
import * as writtenCells from '../analytics/summing/write-cells.ts';
import * as usageGroups from '../analytics/usage-groups.ts';
import * as usagePages from '../analytics/usage-pages.ts';
import * as usageRollup from '../analytics/usage-rollup.ts';
import * as usageSeries from '../analytics/usage-series.ts';
import * as usageTop from '../analytics/usage-top.ts';
import * as attempts from '../attempts/attempt-queries.ts';
import * as trail from '../attempts/attempt-trail.ts';
import * as batches from '../attempts/batches/batch-query.ts';
import * as recoveries from '../attempts/recovered-attempts.ts';
import * as consoleEntries from '../configuration/console-entry-queries.ts';
import * as consoleSettings from '../configuration/console-setting-queries.ts';
import * as memory from '../configuration/server-state-queries.ts';
import * as signIns from '../device/sign-in-queries.ts';
import * as factors from '../factors/factor-queries.ts';
import * as invitations from '../factors/invitation-queries.ts';
import * as attemptHealth from '../health/attempt-health-queries.ts';
import * as fleetState from '../health/fleet-state-queries.ts';
import * as jwts from '../jwt/jwt-queries.ts';
import * as changeSets from '../organization/change-set-queries.ts';
import * as endUserLists from '../organization/end-user-list.ts';
import * as endUsers from '../organization/end-user-queries.ts';
import * as organization from '../organization/unit-queries.ts';
import * as prices from '../prices/price-queries.ts';
import * as priceTables from '../prices/price-table-queries.ts';
import * as clientSecrets from '../requests/client-secret-queries.ts';
import * as idempotency from '../requests/idempotency-queries.ts';
import * as keptReplies from '../requests/kept-reply-queries.ts';
import * as ownedIds from '../requests/owned-id-queries.ts';
import * as replicaContents from '../requests/replica-content-queries.ts';
import * as requestContents from '../requests/request-content-queries.ts';
import * as requestErrors from '../requests/request-error-queries.ts';
import * as requestExports from '../requests/request-export-queries.ts';
import * as results from '../results/result-queries.ts';
import * as scim from '../scim/scim-queries.ts';
import * as secretUses from '../secret-keys/secret-use-queries.ts';
import * as identities from '../sign-in/identity-queries.ts';
import * as clock from '../sql/clock-queries.ts';
import { type AnyQuery, isQuery } from '../sql/query.ts';
import * as callbacks from '../tasks/task-callbacks.ts';
import * as taskEnds from '../tasks/task-ends.ts';
import * as taskPages from '../tasks/task-page-queries.ts';
import * as tasks from '../tasks/task-queries.ts';
import * as taskWork from '../tasks/task-work.ts';
import * as tokenBudgets from '../tokens/token-budgets.ts';
import * as tokenFacts from '../tokens/token-facts.ts';
import * as tokens from '../tokens/token-queries.ts';
import * as tokenSearch from '../tokens/token-search.ts';
import * as unpriced from '../usage/unpriced-models.ts';
import * as usage from '../usage/usage-queries.ts';
import * as watched from './watched-state.ts';

const modules = [
  accounts,
  audit,
  credentials,
  sessions,
  identities,
  adminKeys,
  idempotentWrites,
  jwts,
  scim,
  alertFacts,
  alerts,
  alertRules,
  usageGroups,
  usageSeries,
  periodSlices,
  writtenCells,
  usagePages,
  usageRollup,
  usageTop,
  attempts,
  trail,
  batches,
  recoveries,
  consoleEntries,
  consoleSettings,
  memory,
  factors,
  invitations,
  attemptHealth,
  fleetState,
  clock,
  organization,
  changeSets,
  endUserLists,
  endUsers,
  signIns,
  prices,
  priceTables,
  clientSecrets,
  idempotency,
  keptReplies,
  ownedIds,
  replicaContents,
  requestContents,
  requestErrors,
  requestExports,
  results,
  secretUses,
  callbacks,
  taskEnds,
  taskPages,
  tasks,
  taskWork,
  tokenBudgets,
  tokenFacts,
  tokens,
  tokenSearch,
  unpriced,
  usage,
  watched,
];

export const queries: readonly AnyQuery[] = modules.flatMap((module) => Object.values<unknown>(module)).filter(isQuery);

const numbers = new Map(queries.map((query, number) => [query, number] as const));

export function numberOf(query: AnyQuery): number {
  const number = numbers.get(query);
  if (number === undefined) throw new Error('A query is in none of the modules that engines/queries.ts lists.');
  return number;
}
