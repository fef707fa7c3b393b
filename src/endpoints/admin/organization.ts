/** `/console/api/organization`, `/teams` and `/projects`: the tree, its members, and the limits of people. */

import { type AdminEndpoint, signedIn } from './admin-route.ts';

export const organizationEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/organization', ({ actor }, { admin }) => admin.units.tree(actor)),
  signedIn('PATCH /console/api/organization', ({ actor, body }, { admin }) =>
    admin.units.changeOrganization(actor, body),
  ),
  signedIn('POST /console/api/teams', ({ actor, body }, { admin }) => admin.units.createTeam(actor, body)),
  signedIn('PATCH /console/api/teams/{id}', ({ actor, body, params }, { admin }) =>
    admin.units.changeTeam(actor, params['id'] ?? '', body),
  ),
  signedIn('DELETE /console/api/teams/{id}', async ({ actor, params }, { admin }) => {
    await admin.units.removeTeam(actor, params['id'] ?? '');
    return undefined;
  }),
  signedIn('POST /console/api/teams/{id}/projects', ({ actor, body, params }, { admin }) =>
    admin.units.createProject(actor, params['id'] ?? '', body),
  ),
  signedIn('PATCH /console/api/projects/{id}', ({ actor, body, params }, { admin }) =>
    admin.units.changeProject(actor, params['id'] ?? '', body),
  ),
  signedIn('DELETE /console/api/projects/{id}', async ({ actor, params }, { admin }) => {
    await admin.units.removeProject(actor, params['id'] ?? '');
    return undefined;
  }),
  signedIn('GET /console/api/teams/{id}/members', async ({ actor, params }, { admin }) => ({
    items: await admin.members.list(actor, params['id'] ?? ''),
  })),
  signedIn('PUT /console/api/teams/{id}/members/{accountId}', ({ actor, body, params }, { admin }) =>
    admin.members.put(actor, params['id'] ?? '', params['accountId'] ?? '', body),
  ),
  signedIn('DELETE /console/api/teams/{id}/members/{accountId}', async ({ actor, params }, { admin }) => {
    await admin.members.remove(actor, params['id'] ?? '', params['accountId'] ?? '');
    return undefined;
  }),
  signedIn('GET /console/api/accounts/{id}/terms', ({ actor, params }, { admin }) =>
    admin.members.terms(actor, params['id'] ?? ''),
  ),
  signedIn('PATCH /console/api/accounts/{id}/terms', ({ actor, body, params }, { admin }) =>
    admin.members.changeTerms(actor, params['id'] ?? '', body),
  ),
];
