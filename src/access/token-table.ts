/** The token table as access and admin use it; the store implements it, tests keep it in memory. */

import type { TokenRecord, TokenTerms } from './caller.ts';

export const tokenStates = ['active', 'disabled', 'expired', 'revoked'] as const;
export type TokenState = (typeof tokenStates)[number];

/** Filters of a token search. */
export interface TokenSearch {
  /** In lower case; each must occur in its name, id, hint or labels, or in its owner's name. */
  readonly words: readonly string[];
  readonly state?: TokenState | undefined;
  /** The time at which expiry is decided. */
  readonly atMs: number;
}

/** Whose tokens; every part that is given must hold. */
export interface TokenScope {
  /** Only tokens of this account. */
  readonly ownerId?: string | undefined;
  /** Only tokens that this account may see: its own, and those of teams whose admin or viewer it is. */
  readonly seenBy?: string | undefined;
  /** Only tokens of this team and its projects, or of this project. */
  readonly unitId?: string | undefined;
}

export interface TokenPage extends TokenScope {
  readonly afterId?: string;
  readonly limit: number;
  readonly search?: TokenSearch;
}

/** How many tokens an account may have. */
export interface TokenRoom {
  readonly most: number;
  /** Tokens revoked since then count as well. */
  readonly revokedSinceMs: number;
  /** This one does not count. */
  readonly exceptId: string;
}

export interface TokenTable {
  /** Rejects if the id or the digest is already taken. */
  insert(record: TokenRecord, digest: string): Promise<void>;
  /** False if its account has so many already. */
  insertWithin(record: TokenRecord, digest: string, room: TokenRoom): Promise<boolean>;
  /** Finds by the current secret's digest, and by that of the secret which the last rotation replaced. */
  byDigest(digest: string): Promise<TokenRecord | undefined>;
  byId(id: string): Promise<TokenRecord | undefined>;
  /** Newest first; `afterId` continues behind that token. */
  list(page: TokenPage): Promise<readonly TokenRecord[]>;
  /** These five return false if no token was changed. */
  updateTerms(id: string, terms: TokenTerms): Promise<boolean>;
  /** Undefined takes it away from every account. */
  changeOwner(id: string, ownerId: string | undefined): Promise<boolean>;
  /** Undefined: it counts against the organization alone. */
  changeUnit(id: string, unitId: string | undefined): Promise<boolean>;
  /** Only a token that was not revoked before. */
  revoke(id: string, atMs: number): Promise<boolean>;
  /** Only a token that is not revoked. One replaced secret is kept: rotating twice ends the one before at once. */
  rotate(id: string, newDigest: string, newHint: string, oldValidUntilMs: number): Promise<boolean>;
  /** The account's own token of this id gets a new secret and new terms; it is created if there is none yet. */
  renew(record: TokenRecord, digest: string, oldValidUntilMs: number): Promise<boolean>;
  /** The same secret under the digest of a newer key. Nothing else changes, so no cache is invalidated. */
  moveDigest(from: string, to: string): Promise<void>;
  /** How many tokens of the account were revoked. */
  revokeOf(ownerId: string, atMs: number): Promise<number>;
  /** A number that every change of any token increases, so that a replica can see that its cache is stale. */
  revision(): Promise<number>;
}
