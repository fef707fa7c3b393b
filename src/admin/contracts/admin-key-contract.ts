/** What the console, the command line and the admin interface exchange about admin keys. */

import { z } from 'zod';
import { type Role, roles } from '../../access/account.ts';
import { termFields } from './usage-contract.ts';

export const adminKeyBounds = {
  /** That work at a time. */
  activeMax: 1_000,
  scopesMax: 100,
  /** How often the last use is written. */
  touchEveryMs: 60_000,
  /** Replies to writes with an `Idempotency-Key`: how long they are kept, how many of one key, and how large. */
  repliesKeptMs: 24 * 60 * 60 * 1_000,
  repliesMax: 20_000,
  replyBytesMax: 1_048_576,
  /** A write that takes longer was ended with its process. */
  writeMsMax: 5 * 60 * 1_000,
} as const;

/** What a key of a team can be in it. */
export type TeamKeyRole = 'admin' | 'viewer';

interface KeyRules {
  readonly scopes: ReadonlySet<string>;
  readonly nowMs: () => number;
}

const { name, list, network, expiry } = termFields;

function fieldsOf({ scopes, nowMs }: KeyRules) {
  const scope = z
    .string('must be a scope such as tokens:read')
    .refine((text) => scopes.has(text), { error: 'must be a scope such as tokens:read or usage:write' });
  return { scopes: list(scope, 'scopes'), networks: list(network, 'networks'), expiresAt: expiry(nowMs) };
}

export const newAdminKeySchema = (rules: KeyRules) =>
  z
    .strictObject({
      ...fieldsOf(rules),
      name,
      role: z.enum(roles, `must be one of ${roles.join(', ')}`),
      teamId: z.string('must be the id of a team').max(100, 'must be the id of a team').optional(),
    })
    .refine(({ role, teamId }) => teamId === undefined || role === 'admin' || role === 'viewer', {
      error: 'must be admin or viewer for a key of a team',
      path: ['role'],
    });

/** Absent leaves a field as it is. */
export const adminKeyChangesSchema = (rules: KeyRules) => z.strictObject({ ...fieldsOf(rules), name: name.optional() });

export type NewAdminKey = z.input<ReturnType<typeof newAdminKeySchema>>;
export type AdminKeyChangesInput = z.input<ReturnType<typeof adminKeyChangesSchema>>;

export interface AdminKeyView {
  readonly id: string;
  readonly name: string;
  /** `weir_admin_…` and the last four characters. */
  readonly hint: string;
  /** Of a key of a team: its role in the team. */
  readonly role: Role;
  /** Absent: everything that the role may do. */
  readonly scopes?: readonly string[];
  readonly teamId?: string;
  readonly teamName?: string;
  /** Absent: from everywhere. */
  readonly networks?: readonly string[];
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt?: string;
  readonly lastUsedAt?: string;
  /** `suspended`: the account that created it does not have these rights any more. */
  readonly state: 'active' | 'suspended' | 'expired' | 'revoked';
  /** May the viewer of the list change it? */
  readonly mayChange: boolean;
}

export interface AdminKeysView {
  readonly items: readonly AdminKeyView[];
  readonly next?: string;
  /** What scopes can be about. */
  readonly areas: readonly string[];
}

/** The secret is in this answer and nowhere else. */
export interface IssuedAdminKeyView extends AdminKeyView {
  readonly key: string;
}
