/** Scopes of admin keys: `tokens:read` for reading an area, `tokens:write` for reading and changing it. */

import type { AdminRouteName } from '../role-table.ts';
import { areaOf, keyRoutes } from './key-routes.ts';

/** Everything that a scope can be about. */
export const scopeAreas: readonly string[] = [...new Set(keyRoutes.map(areaOf))].toSorted();

const kinds = ['read', 'write'] as const;

export const allScopes: ReadonlySet<string> = new Set(
  scopeAreas.flatMap((area) => kinds.map((kind) => `${area}:${kind}`)),
);

export const scopeOf = (name: AdminRouteName): string =>
  `${areaOf(name)}:${name.startsWith('GET ') ? 'read' : 'write'}`;

/** Writing includes reading. Absent scopes are all of them. */
export function includesScope(scopes: readonly string[] | undefined, needed: string): boolean {
  if (scopes === undefined || scopes.includes(needed)) return true;
  return needed.endsWith(':read') && scopes.includes(`${needed.slice(0, -':read'.length)}:write`);
}
