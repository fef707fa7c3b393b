/** Settings of signing in to the console, and the shape of the issuers that the file lists beside them. */

import { row } from './setting-row.ts';
import { choice } from './values.ts';

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
  /** A user must be in one of these groups; absent means that no group is needed. */
  readonly allowedGroups: readonly string[] | undefined;
  readonly clockSkewS: number;
  /** On the button. */
  readonly label: string;
}
