/** Which routes of the admin interface an admin key may call: everything but what belongs to a person at a browser. */

import { type AdminRouteName, roleTable } from '../role-table.ts';

/** The first word of a route's path: what scopes of keys are about. */
export const areaOf = (name: AdminRouteName): string => name.split('/')[3] ?? '';

const sessionAreas: ReadonlySet<string> = new Set([
  'set-up',
  'session',
  'sessions',
  'factors',
  'invitation',
  'device',
  'programs',
  'playground-token',
  'admin-keys',
]);

export const isOpenToKeys = (name: AdminRouteName): boolean =>
  roleTable[name] !== 'public' && !sessionAreas.has(areaOf(name));

export const keyRoutes: readonly AdminRouteName[] = (Object.keys(roleTable) as AdminRouteName[]).filter(isOpenToKeys);
