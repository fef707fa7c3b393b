/** What the console's pages and the admin interface exchange about people, sessions and the gateway's own state. */

import { z } from 'zod';
import { type Role, roles } from '../../access/account.ts';
import type { LevelBudgetView } from './budget-contract.ts';
import type { HealthStateName, ShownTargetHealth } from './health-contract.ts';
import type { PriceSourceName, TokenView, UsageRowView } from './usage-contract.ts';

export { type Role, roles } from '../../access/account.ts';

export const accountBounds = {
  nameLengthMax: 100,
  passwordLengthMin: 10,
  /** Long enough for any phrase; a bound because hashing costs by length too. */
  passwordLengthMax: 256,
  accountsListedMax: 1_000,
  sessionsListedMax: 200,
  pageItemsMax: 500,
  /** Bodies of the admin interface are small. */
  bodyBytesMax: 262_144,
  bodyDepthMax: 16,
} as const;

export const signInBounds = {
  /** Wrong passwords for one name from one address in a window; after them the two are locked until its end. */
  triesMax: 20,
  /**
   * Wrong passwords from one address for all names, and for one name from everywhere. Beyond them no account is locked
   * out, because all callers behind an untrusted proxy have one address: tries are only let through at a pace that
   * grows slower.
   */
  triesPerAddressMax: 200,
  triesPerNameMax: 100,
  windowMs: 15 * 60 * 1_000,
  /** The pace begins with the first and ends with the second: one try in so much time. */
  paceMsMin: 1_000,
  paceMsMax: 60_000,
  /** After so many further tries the pace is half as fast. */
  triesPerPace: 20,
} as const;

export const sessionBounds = {
  idleMs: 7 * 24 * 60 * 60 * 1_000,
  totalMs: 30 * 24 * 60 * 60 * 1_000,
  /** How often a session says that it is still used. */
  touchEveryMs: 60_000,
} as const;

export const setUpLinkLifetimeMs = 24 * 60 * 60 * 1_000;
export const playgroundTokenLifetimeMs = 60 * 60 * 1_000;
export const auditLifetimeMs = 400 * 24 * 60 * 60 * 1_000;

/**
 * Where the one-time link leads. The code is in the fragment, so that no proxy and no server sees it in a logged URL.
 */
export const setUpPath = '/console/set-up';
export const setUpAddress = (origin: string, code: string): string => `${origin}${setUpPath}#${code}`;

/** Control characters, broken surrogates, line separators, and marks that turn the direction of a line around. */
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const nameRule = `must have 1 to ${accountBounds.nameLengthMax} characters`;
export const accountName = z
  .string('must be text')
  .trim()
  .refine((text) => text.length > 0 && [...text].length <= accountBounds.nameLengthMax, { error: nameRule })
  .refine((text) => !unprintable.test(text), { error: 'must not contain control characters' });

const { passwordLengthMin, passwordLengthMax } = accountBounds;
const passwordRule = `must have ${passwordLengthMin} to ${passwordLengthMax} characters`;
export const newPassword = z
  .string(passwordRule)
  .refine((text) => text.length <= passwordLengthMax && [...text].length >= passwordLengthMin, { error: passwordRule })
  .refine((text) => new Set(text).size > 3, { error: 'must contain more than three different characters' });
export const givenPassword = z.string('must be text').min(1, 'must not be empty').max(passwordLengthMax, passwordRule);

const role = z.enum(roles, `must be one of ${roles.join(', ')}`);
const flag = z.boolean('must be true or false');

export const signInSchema = z.strictObject({
  name: z.string('must be text').min(1, nameRule).max(256, nameRule),
  password: givenPassword,
});
export const setUpSchema = z.strictObject({
  code: z.string('must be the code of the setup link').max(100, 'must be the code of the setup link'),
  name: accountName,
  password: newPassword,
});
export const passwordChangeSchema = z.strictObject({ current: givenPassword, next: newPassword });
/** Without a password one is made and shown once. */
export const newAccountSchema = z.strictObject({ name: accountName, role, password: newPassword.optional() });
export const accountChangesSchema = z.strictObject({
  name: accountName.optional(),
  role: role.optional(),
  disabled: flag.optional(),
  /** With `disabled`: the account's tokens end too. */
  revokeTokens: flag.optional(),
});
export const passwordResetSchema = z.strictObject({ password: newPassword.optional() });
/** Of a new token and of a change; null takes a token away from every account. Only administrators may give it. */
export const tokenOwnerSchema = z.strictObject({
  ownerId: z.string('must be the id of an account, or null').max(100, 'must be the id of an account').nullable(),
});
/** Of a new token and of a change: a team or project; null for none. */
export const tokenUnitSchema = z.strictObject({
  unitId: z
    .string('must be the id of a team or project, or null')
    .max(100, 'must be the id of a team or project')
    .nullable(),
});
export const rotateTokenSchema = z.strictObject({ overlapMs: z.number('must be a number').optional() });
export const emptySchema = z.strictObject({});

export type SignIn = z.input<typeof signInSchema>;
export type SetUp = z.input<typeof setUpSchema>;
export type PasswordChange = z.input<typeof passwordChangeSchema>;
export type NewAccount = z.input<typeof newAccountSchema>;
export type AccountChanges = z.input<typeof accountChangesSchema>;
export type PasswordReset = z.input<typeof passwordResetSchema>;
export type RotateToken = z.input<typeof rotateTokenSchema>;

/** The first request of a page: is there an account at all, and which one is signed in here, if any. */
export interface SetUpView {
  readonly done: boolean;
  readonly signedIn?: SignedInView;
}

export interface AccountView {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly state: 'active' | 'disabled';
  readonly createdAt: string;
  readonly passwordChangedAt: string;
  readonly lastSignInAt?: string;
  readonly disabledAt?: string;
  /** The password was given out by an administrator and is still in use. */
  readonly mustChangePassword?: true;
  /** Since when the account has a second factor. */
  readonly secondFactorAt?: string;
}

/** A new account, or one with a new password; the password is here only where Weir made it, and only this once. */
export interface IssuedAccountView {
  readonly account: AccountView;
  readonly password?: string;
}

export interface SessionView {
  readonly id: string;
  /** The session of this request. */
  readonly current: boolean;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  readonly expiresAt: string;
  readonly address: string;
  /** What the browser says it is. */
  readonly agent: string;
}

/** Who is signed in; the answer to a sign-in and to `GET /console/api/session`. */
export interface SignedInView {
  readonly account: AccountView;
  readonly session: SessionView;
  /** The routes that the account's role may call, as `METHOD path`: a page hides what would only be refused. */
  readonly routes: readonly string[];
  /** What has to be done before the session may do more: `routes` has only what is needed for it. */
  readonly restriction?: 'password' | 'second-factor';
  /** Absent where the account's tokens are not bounded. */
  readonly tokenCeiling?: TokenCeilingView;
}

/** The most that a member may give each of their tokens, and how many tokens they may have. */
export interface TokenCeilingView {
  readonly budgetUsd?: string;
  readonly budgetPeriod?: 'total' | 'day' | 'week' | 'month';
  readonly perPersonMax: number;
}

/** One page of a list that is read newest first. `next` goes back as `after`. */
export interface PageView<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

export interface OwnedTokenView extends TokenView {
  /** Absent where the token belongs to no account: the first one, and those of the command line. */
  readonly ownerName?: string;
  /** Of the unit that it counts against; a project has its team too. */
  readonly teamId?: string;
  readonly teamName?: string;
  readonly projectName?: string;
  /** What the reader may change: everything, its name and end, or nothing. */
  readonly access: TokenAccess;
  /** With what was spent of them. */
  readonly budgets?: readonly LevelBudgetView[];
  /** Its newest request that is still kept; absent where there is none. */
  readonly lastUsedAt?: string;
  readonly spend: TokenSpendView;
}

export type TokenAccess = 'full' | 'own' | 'read';

/** What the requests of a token cost, with a budget or without one; nano-USD. */
export interface TokenSpendView {
  /** Of this month in UTC. */
  readonly monthNano: string;
  readonly totalNano: string;
  /** How many requests both leave out because their price is unknown. */
  readonly unpriced: number;
}

/** What a list of tokens can be sorted by; the newest come first otherwise. */
export const tokenSorts = ['name', 'owner', 'expires', 'budget', 'month', 'total'] as const;
export type TokenSort = (typeof tokenSorts)[number];

/** The secret is in this answer and nowhere else. */
export interface IssuedTokenView extends OwnedTokenView {
  readonly token: string;
}

export interface PlaygroundTokenView {
  readonly id: string;
  readonly token: string;
  readonly expiresAt: string;
}

export interface RequestRowView extends UsageRowView {
  readonly tokenName?: string;
}

export const auditActions = [
  'set-up',
  'sign-in',
  'sign-in-refused',
  'sign-out',
  'password-change',
  'password-reset',
  'session-revoke',
  'program-sign-in',
  'program-deny',
  'program-sign-out',
  'account-create',
  'account-change',
  'account-terms',
  'organization-change',
  'team-create',
  'team-change',
  'team-delete',
  'project-create',
  'project-change',
  'project-delete',
  'member-change',
  'member-remove',
  'end-user-change',
  'end-user-forget',
  'invitation-create',
  'invitation-revoke',
  'invitation-accept',
  'factor-add',
  'factor-remove',
  'recovery-codes-create',
  'second-factor-refused',
  'identity-link',
  'issuer-test',
  'jwt-revoke',
  'group-create',
  'group-change',
  'group-delete',
  'token-create',
  'token-change',
  'token-rotate',
  'token-revoke',
  'playground-token',
  'settings-change',
  'provider-create',
  'provider-change',
  'provider-delete',
  'provider-trial',
  'provider-pause',
  'provider-resume',
  'route-change',
  'route-delete',
  'price-change',
  'price-delete',
  'price-confirm',
  'alert-channel-create',
  'alert-channel-change',
  'alert-channel-delete',
  'alert-channel-test',
  'alert-rule-create',
  'alert-rule-change',
  'alert-rule-delete',
  'admin-key-create',
  'admin-key-change',
  'admin-key-revoke',
] as const;
export type AuditAction = (typeof auditActions)[number];

export interface AuditView {
  readonly id: string;
  readonly at: string;
  /** Absent where no account was signed in. */
  readonly accountId?: string;
  readonly accountName: string;
  readonly action: AuditAction;
  readonly subject: string;
  readonly detail: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly address: string;
}

export interface ModelView {
  readonly id: string;
  /** A name that the operator made up, rather than a provider's. */
  readonly alias: boolean;
  readonly providers: readonly string[];
  readonly targets: readonly {
    readonly provider: string;
    readonly model: string;
    readonly tier: number;
    readonly weight: number;
    readonly state: HealthStateName;
  }[];
  /** The worst state of its targets, and the figures of all of them. */
  readonly health: ShownTargetHealth;
  readonly operations: readonly string[];
  readonly contextTokens?: number;
  readonly inputModalities?: readonly string[];
  readonly outputModalities?: readonly string[];
  readonly description?: string;
  /** Days in UTC, as `2026-11-16`: since when its provider advises against it, and when it stops serving it. */
  readonly deprecatedAt?: string;
  readonly shutdownAt?: string;
  /** USD per token as decimal texts, absent where no price is known; who says so; and in which version. */
  readonly pricing?: {
    readonly prompt?: string;
    readonly completion?: string;
    readonly source: PriceSourceName;
    readonly version?: string;
  };
}
