/** People who use the console: who they are, what they may do there, and the sessions in which they do it. */

/** From the one who may do everything to the one who only looks. A member sees only what is their own. */
export const roles = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof roles)[number];

export interface AccountRecord {
  readonly id: string;
  /** What they sign in with: a name or an e-mail address. */
  readonly name: string;
  readonly role: Role;
  readonly createdAtMs: number;
  readonly passwordChangedAtMs: number;
  readonly lastSignInAtMs?: number;
  /** Disabled accounts stay: the audit log and their tokens point at them. */
  readonly disabledAtMs?: number;
}

export interface SessionRecord {
  readonly id: string;
  readonly accountId: string;
  readonly createdAtMs: number;
  readonly lastSeenAtMs: number;
  readonly expiresAtMs: number;
  /** Where it was last seen, and in what: enough for its owner to recognise it. */
  readonly address: string;
  readonly agent: string;
}

export interface AuditRecord {
  readonly id: string;
  readonly atMs: number;
  /** Absent where nobody was signed in. */
  readonly accountId?: string;
  /** The account's name at that time. */
  readonly accountName: string;
  readonly action: string;
  /** What it was done to: `token:tok_…`, `account:acc_…`. */
  readonly subject: string;
  /** Never a secret: the writer names each field that may stand here. */
  readonly detail: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly address: string;
}
