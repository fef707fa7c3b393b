/** People who use the console: their accounts, roles, sessions and audit log. */

/** From all rights to read-only. A member sees only what is their own. */
export const roles = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof roles)[number];

export interface AccountRecord {
  readonly id: string;
  /** The sign-in name: a name or an e-mail address. */
  readonly name: string;
  readonly role: Role;
  readonly createdAtMs: number;
  readonly passwordChangedAtMs: number;
  readonly lastSignInAtMs?: number;
  /** Disabled accounts are kept: the audit log and their tokens refer to them. */
  readonly disabledAtMs?: number;
  /** An administrator gave the password out: the person chooses another before anything else. */
  readonly mustChangePassword?: boolean;
  /** Since when the account has a second factor; absent without one. */
  readonly secondFactorAtMs?: number;
}

export interface SessionRecord {
  readonly id: string;
  readonly accountId: string;
  readonly createdAtMs: number;
  readonly lastSeenAtMs: number;
  readonly expiresAtMs: number;
  /** The last address and browser: enough for its owner to recognize it. */
  readonly address: string;
  readonly agent: string;
  /** An issuer opened it, which asked for as many factors as its operator wants. */
  readonly isFederated?: boolean;
}

/** The issuer that opened a session, for logouts there and here. */
export interface SessionIssuer {
  /** The issuer's identifier. */
  readonly issuer: string;
  /** The name of its configuration. */
  readonly issuerName: string;
  readonly subject: string;
  /** The session at the issuer, if it named one. */
  readonly sid?: string | undefined;
  /** The ID token, sealed: the issuer asks for it at the sign-out. */
  readonly idToken: string;
}

export interface AuditRecord {
  readonly id: string;
  readonly atMs: number;
  /** Absent if no account was signed in. */
  readonly accountId?: string;
  /** The account's name at that time. */
  readonly accountName: string;
  readonly action: string;
  /** What it was done to: `token:tok_…`, `account:acc_…`. */
  readonly subject: string;
  /** Never a secret: the writer lists each allowed field. */
  readonly detail: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly address: string;
}
