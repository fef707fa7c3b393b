/** The route table and the role table have the same routes. */

import { expect, test } from 'bun:test';
import { roles } from '../../access/account.ts';
import { keyRoutes } from '../../admin/keys/key-routes.ts';
import { type AdminRouteName, admittedTo, roleTable, routesOf } from '../../admin/role-table.ts';
import type { AdminParts } from './admin-route.ts';
import { adminKeyRoutes, adminRoutes, unknownPaths } from './admin-routes.ts';

const all = adminRoutes({} as AdminParts);
const routes = all.filter(({ path }) => !unknownPaths.includes(path));
const rows = Object.keys(roleTable) as AdminRouteName[];

test('every route has its row and every row its route, once', () => {
  expect(routes.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([...rows].toSorted());
});

test('every route is for our own pages only and below one prefix', () => {
  for (const { path, ownPagesOnly } of all) {
    expect(path).toMatch(/^\/console\/api(\/|$)/);
    expect(ownPagesOnly).toBe(true);
  }
});

test('admin keys have the same routes below a prefix of their own, without those of a person at a browser', () => {
  const named = adminKeyRoutes({} as AdminParts).map(({ method, path }) => `${method} ${path}`);
  expect(named.toSorted()).toEqual(keyRoutes.map((name) => name.replace('/console/api', '/admin/v1')).toSorted());
  expect(keyRoutes.filter((name) => /\/(sessions?|factors\/|admin-keys|playground-token)/.test(name))).toEqual([
    'GET /console/api/accounts/{id}/sessions',
    'DELETE /console/api/accounts/{id}/sessions',
  ]);
});

test('an owner may do everything, a viewer changes only what is their own, and every change needs a sign-in', () => {
  expect(routesOf('owner')).toEqual(rows);
  const isChange = (name: AdminRouteName): boolean => !name.startsWith('GET ');
  const ownSessions = /\/(set-up|session|sessions|factors|invitation|programs)(\/|$)/;
  expect(routesOf('viewer').filter((name) => isChange(name) && !ownSessions.test(name))).toEqual([]);
  const open = rows.filter((name) => admittedTo(name) === 'public');
  expect(open).toEqual([
    'GET /console/api/set-up',
    'POST /console/api/set-up',
    'POST /console/api/session',
    'POST /console/api/session/second-factor',
    'POST /console/api/session/passkey/options',
    'POST /console/api/session/passkey',
    'POST /console/api/invitation/read',
    'POST /console/api/invitation',
    'GET /console/api/sign-in/issuers',
  ]);
  for (const name of rows) {
    const admitted = admittedTo(name);
    if (admitted !== 'public') for (const role of admitted) expect(roles).toContain(role);
  }
});
