/** Settings of signing in to the console, and the shape of the issuers that the file lists beside them. */

import { clock, optional, row } from './setting-row.ts';
import { choice, integer, jsonObject, names } from './values.ts';

export const signInRows = {
  'sign_in.second_factor': row(choice(['optional', 'required_for_admins', 'required']), 'optional', {
    live: true,
    meaning:
      'Who needs a second factor to use the console: `optional` no one, `required_for_admins` owners and administrators, `required` everyone.',
  }),
  'sign_in.passwords': row(choice(['all', 'owners']), 'all', {
    live: true,
    meaning: 'Who can sign in to the console with a password. With `owners`, everyone else signs in through an issuer.',
  }),
  'sign_in.clients': optional(names('a list of client ids, each with a name behind `=` where it should have one'), {
    live: true,
    example: ['my-agent=My agent'],
    meaning: 'Programs that may ask for a device code, besides `weir-cli` and `claude-code`.',
  }),
  'sign_in.access_lifetime_ms': clock(
    60 * 60 * 1_000,
    'Lifetime of the access token of a signed-in program; it is renewed with the refresh token.',
    { live: true, min: 60_000 },
  ),
  'sign_in.idle_days': row(integer(1, 365), 30, {
    unit: 'days',
    live: true,
    meaning: 'A signed-in program that does not renew its token for so long has to sign in again.',
  }),
  'sign_in.managed_settings': optional(jsonObject(32_768), {
    live: true,
    example: '{"env": {"CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY": "1"}}',
    meaning: 'JSON object that signed-in programs get from `GET /managed/settings`. Absent: 404.',
  }),
} as const;

/** What members of a group at the issuer become here. */
export interface SignInRule {
  readonly group: string;
  /** The name or id of a team. */
  readonly team?: string | undefined;
  readonly teamRole?: 'viewer' | 'member' | 'admin' | undefined;
  readonly role?: AccountRoleName | undefined;
}

type AccountRoleName = 'owner' | 'admin' | 'member' | 'viewer';

/** An OpenID Connect provider whose users may sign in to the console. */
export interface IssuerConfig {
  /** In the redirect URI and in the source of memberships. */
  readonly name: string;
  /** The issuer identifier: discovery is below it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client, which is protected by PKCE alone. */
  readonly clientSecret: string | undefined;
  readonly scopes: readonly string[];
  readonly groupsClaim: string;
  /** The first of these claims that the user has is the name of the account. */
  readonly nameClaims: readonly string[];
  readonly rules: readonly SignInRule[];
  readonly defaultRole: AccountRoleName;
  readonly createAccounts: boolean;
  /** Does a first sign-in take over an account that has the same name? */
  readonly linkAccounts: boolean;
  /** Domains of e-mail addresses; absent means all. */
  readonly allowedDomains: readonly string[] | undefined;
  /** An address counts although the issuer does not say whether it is verified. */
  readonly trustUnverifiedEmail: boolean;
  /** A user must be in one of these groups; absent means that no group is needed. */
  readonly allowedGroups: readonly string[] | undefined;
  readonly clockSkewS: number;
  /** On the button. */
  readonly label: string;
}
