/** Who may call which route of the admin interface, as data: a route without a row here cannot be made. */

import type { Role } from '../access/account.ts';

/** `public`: callable without a session. */
type Admitted = 'public' | readonly Role[];

const everyone = ['owner', 'admin', 'member', 'viewer'] as const;
const administrators = ['owner', 'admin'] as const;
/** May use models through the console; a viewer only looks, and must not cost anything. */
const users = ['owner', 'admin', 'member'] as const;
const overseers = ['owner', 'admin', 'viewer'] as const;

/**
 * A member sees their own tokens, usage and tasks, and those of teams whose admin or viewer they are. What a member may
 * change of a team is decided by their role in it (`organization/team-access.ts`).
 */
export const roleTable = {
  'GET /console/api/set-up': 'public',
  'POST /console/api/set-up': 'public',
  'POST /console/api/session': 'public',
  'POST /console/api/session/second-factor': 'public',
  'POST /console/api/session/passkey/options': 'public',
  'POST /console/api/session/passkey': 'public',
  'POST /console/api/invitation/read': 'public',
  'POST /console/api/invitation': 'public',
  'GET /console/api/sign-in/issuers': 'public',
  'GET /console/api/sign-in/settings': administrators,
  'POST /console/api/sign-in/issuers/{name}/test': administrators,
  'GET /console/api/jwt/revocations': administrators,
  'POST /console/api/jwt/revocations': administrators,
  'GET /console/api/session': everyone,
  'DELETE /console/api/session': everyone,
  'POST /console/api/session/password': everyone,
  'GET /console/api/sessions': everyone,
  'DELETE /console/api/sessions': everyone,
  'DELETE /console/api/sessions/{id}': everyone,
  'GET /console/api/factors': everyone,
  'POST /console/api/factors/totp': everyone,
  'POST /console/api/factors/totp/confirm': everyone,
  'POST /console/api/factors/totp/disable': everyone,
  'POST /console/api/factors/passkeys/options': everyone,
  'POST /console/api/factors/passkeys': everyone,
  'POST /console/api/factors/passkeys/{id}/remove': everyone,
  'POST /console/api/factors/recovery-codes': everyone,
  // A member sees and gives those of the teams whose admin they are (`factors/may-invite.ts`).
  'GET /console/api/invitations': users,
  'POST /console/api/invitations': users,
  'DELETE /console/api/invitations/{id}': users,
  'POST /console/api/device': users,
  'POST /console/api/device/answer': users,
  'GET /console/api/programs': everyone,
  'DELETE /console/api/programs/{id}': everyone,
  'GET /console/api/accounts': administrators,
  'POST /console/api/accounts': administrators,
  'PATCH /console/api/accounts/{id}': administrators,
  'POST /console/api/accounts/{id}/password': administrators,
  'GET /console/api/accounts/{id}/sessions': administrators,
  'DELETE /console/api/accounts/{id}/sessions': administrators,
  'GET /console/api/accounts/{id}/terms': everyone,
  'PATCH /console/api/accounts/{id}/terms': administrators,
  'GET /console/api/organization': everyone,
  'PATCH /console/api/organization': administrators,
  'POST /console/api/teams': administrators,
  'PATCH /console/api/teams/{id}': users,
  'DELETE /console/api/teams/{id}': administrators,
  'GET /console/api/teams/{id}/members': everyone,
  'PUT /console/api/teams/{id}/members/{accountId}': users,
  'DELETE /console/api/teams/{id}/members/{accountId}': users,
  'POST /console/api/teams/{id}/projects': users,
  'PATCH /console/api/projects/{id}': users,
  'DELETE /console/api/projects/{id}': users,
  'GET /console/api/end-users': everyone,
  'GET /console/api/end-users/{id}': everyone,
  'PATCH /console/api/end-users/{id}': users,
  'DELETE /console/api/end-users/{id}': users,
  'DELETE /console/api/accounts/{id}/factors': administrators,
  'GET /console/api/tokens': everyone,
  'POST /console/api/tokens': users,
  'GET /console/api/tokens/{id}': everyone,
  'PATCH /console/api/tokens/{id}': users,
  'POST /console/api/tokens/{id}/rotate': users,
  'DELETE /console/api/tokens/{id}': users,
  'POST /console/api/playground-token': users,
  'GET /console/api/usage/requests': everyone,
  'GET /console/api/usage/requests/{id}': everyone,
  'GET /console/api/usage/requests/{id}/content': everyone,
  'GET /console/api/usage/overview': everyone,
  'GET /console/api/usage/breakdown': everyone,
  'GET /console/api/usage/count': everyone,
  'GET /console/api/usage/export': everyone,
  'GET /console/api/usage/export/sums': everyone,
  'GET /console/api/usage/budgets': everyone,
  'GET /console/api/usage/unpriced': everyone,
  'GET /console/api/usage/ending': everyone,
  'GET /console/api/models': everyone,
  'GET /console/api/model': everyone,
  'GET /console/api/tasks': everyone,
  'GET /console/api/tasks/{id}/videos/{index}': everyone,
  'GET /console/api/presets': administrators,
  'GET /console/api/providers': overseers,
  'POST /console/api/providers': administrators,
  'POST /console/api/providers/trial': administrators,
  'PATCH /console/api/providers/{name}': administrators,
  'DELETE /console/api/providers/{name}': administrators,
  'POST /console/api/providers/{name}/trial': administrators,
  'POST /console/api/providers/{name}/pause': administrators,
  'GET /console/api/routes': overseers,
  'POST /console/api/routes': administrators,
  'DELETE /console/api/routes': administrators,
  'GET /console/api/prices': overseers,
  'POST /console/api/prices': administrators,
  'DELETE /console/api/prices': administrators,
  'GET /console/api/price-tables': overseers,
  'POST /console/api/price-tables/confirm': administrators,
  'POST /console/api/explain': administrators,
  'GET /console/api/export': administrators,
  'GET /console/api/health': overseers,
  'GET /console/api/settings': overseers,
  'PATCH /console/api/settings': administrators,
  'GET /console/api/home': overseers,
  'PATCH /console/api/home': administrators,
  'GET /console/api/audit': administrators,
  'GET /console/api/admin-keys': users,
  'POST /console/api/admin-keys': users,
  'PATCH /console/api/admin-keys/{id}': users,
  'DELETE /console/api/admin-keys/{id}': users,
  'GET /console/api/alerts': overseers,
  'GET /console/api/alert-channels': overseers,
  'POST /console/api/alert-channels': administrators,
  'PATCH /console/api/alert-channels/{id}': administrators,
  'DELETE /console/api/alert-channels/{id}': administrators,
  'POST /console/api/alert-channels/{id}/test': administrators,
  'GET /console/api/alert-rules': overseers,
  'POST /console/api/alert-rules': administrators,
  'PATCH /console/api/alert-rules/{id}': administrators,
  'DELETE /console/api/alert-rules/{id}': administrators,
} as const satisfies Record<string, Admitted>;

export type AdminRouteName = keyof typeof roleTable;
export type OpenRouteName = {
  [Name in AdminRouteName]: (typeof roleTable)[Name] extends 'public' ? Name : never;
}[AdminRouteName];
export type SignedInRouteName = Exclude<AdminRouteName, OpenRouteName>;

export const admittedTo = (name: AdminRouteName): Admitted => roleTable[name];

/** Everything that a role may call. */
export function routesOf(role: Role): readonly AdminRouteName[] {
  const names = Object.keys(roleTable) as AdminRouteName[];
  return names.filter((name) => {
    const admitted = admittedTo(name);
    return admitted === 'public' || admitted.includes(role);
  });
}
