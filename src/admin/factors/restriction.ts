/** What a session may do before its account is as the operator wants it: choose a password, or add a second factor. */

import type { AccountRecord, SessionRecord } from '../../access/account.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { type AdminRouteName, routesOf } from '../role-table.ts';

export type SecondFactorRule = 'optional' | 'required_for_admins' | 'required';

export type Restriction = 'password' | 'second-factor';

export function needsSecondFactor({ role }: Pick<AccountRecord, 'role'>, rule: SecondFactorRule): boolean {
  return rule === 'required' || (rule === 'required_for_admins' && (role === 'owner' || role === 'admin'));
}

interface Signed {
  readonly account: AccountRecord;
  readonly session: Pick<SessionRecord, 'isFederated'>;
}

/** Sessions that an issuer opened have nothing to do with the password and the factors here. */
export function restrictionOf({ account, session }: Signed, rule: SecondFactorRule): Restriction | undefined {
  if (session.isFederated === true) return undefined;
  if (account.mustChangePassword === true) return 'password';
  return account.secondFactorAtMs === undefined && needsSecondFactor(account, rule) ? 'second-factor' : undefined;
}

const always = [
  'GET /console/api/session',
  'DELETE /console/api/session',
  'POST /console/api/session/password',
] as const satisfies readonly AdminRouteName[];

const routesWithin: Readonly<Record<Restriction, ReadonlySet<AdminRouteName>>> = {
  password: new Set(always),
  'second-factor': new Set<AdminRouteName>([
    ...always,
    'GET /console/api/factors',
    'POST /console/api/factors/totp',
    'POST /console/api/factors/totp/confirm',
    'POST /console/api/factors/passkeys/options',
    'POST /console/api/factors/passkeys',
  ]),
};

/** What the account may call now. */
export function routesFor(account: AccountRecord, restriction: Restriction | undefined): readonly AdminRouteName[] {
  const all = routesOf(account.role);
  return restriction === undefined ? all : all.filter((name) => routesWithin[restriction].has(name));
}

export function requireUnrestricted(name: AdminRouteName, restriction: Restriction | undefined): void {
  if (restriction === undefined || routesWithin[restriction].has(name)) return;
  throw restriction === 'password'
    ? new GatewayError(
        'password_change_required',
        'Choose a new password first: yours was given out by an administrator.',
      )
    : new GatewayError('second_factor_required', 'Add a second factor first: this Weir requires one.');
}
