/** The store's contract and methods for tokens. */

import type { BudgetPeriod, TokenRecord, TokenTerms } from '../../access/caller.ts';
import type { TokenRoom, TokenScope, TokenSearch } from '../../access/token-table.ts';
import { readBudgets, type StoredBudgeted, storedBudgets } from '../organization/unit-terms.ts';
import type { Driver } from '../sql/driver.ts';
import { type Page, type PageRequest, pageOf } from '../sql/pages.ts';
import { factsPerReading, type TokenFacts, tokenFacts } from './token-facts.ts';
import {
  changeTokenOwner,
  changeTokenUnit,
  insertChildToken,
  insertToken,
  insertTokenWithin,
  listChildTokens,
  listTokens,
  moveTokenDigest,
  type NewTokenRow,
  renewToken,
  revokeToken,
  revokeTokensOf,
  rotateToken,
  type TokenRow,
  tokenByDigest,
  tokenById,
  updateTokenTerms,
} from './token-queries.ts';
import { searchTokens } from './token-search.ts';

/** A token found by its secret. An old secret of a rotated token works until `secretValidUntilMs`. */
interface TokenMatch extends TokenRecord {
  readonly secretValidUntilMs?: number;
}

export type { TokenFacts } from './token-facts.ts';

export interface NewToken {
  readonly id: string;
  readonly digest: string;
  readonly hint: string;
  readonly terms: TokenTerms;
  readonly createdAtMs: number;
  readonly ownerId?: string | undefined;
  readonly unitId?: string | undefined;
  readonly parentId?: string | undefined;
}

export interface TokenStore {
  insert(token: NewToken): Promise<void>;
  /** False where the account has no room for it. */
  insertWithin(token: NewToken & { readonly ownerId: string }, room: TokenRoom): Promise<boolean>;
  /** False where its creator was revoked, or has so many that still work. */
  insertChild(token: NewToken & { readonly parentId: string }, most: number): Promise<boolean>;
  /** Those of a token's own that still work, newest first. */
  childrenOf(parentId: string): Promise<readonly TokenRecord[]>;
  /** Finds revoked and expired tokens too: the caller says why it refuses. */
  byDigest(digest: string): Promise<TokenMatch | undefined>;
  byId(id: string): Promise<TokenRecord | undefined>;
  /** Of those that are known. */
  facts(ids: readonly string[]): Promise<readonly TokenFacts[]>;
  /** Newest first; all, or those of one account, and of these those that match and are in the scope. */
  list(
    page: PageRequest,
    ownerId?: string,
    search?: TokenSearch,
    scope?: Omit<TokenScope, 'ownerId'>,
  ): Promise<Page<TokenRecord>>;
  /** False where there is no such token. */
  updateTerms(id: string, terms: TokenTerms): Promise<boolean>;
  /** Undefined takes it away from every account. */
  changeOwner(id: string, ownerId: string | undefined): Promise<boolean>;
  /** Undefined: it counts against the organization alone. */
  changeUnit(id: string, unitId: string | undefined): Promise<boolean>;
  /** False where there is none, or it was revoked before. */
  revoke(id: string, atMs: number): Promise<boolean>;
  rotate(id: string, newDigest: string, newHint: string, oldValidUntilMs: number): Promise<boolean>;
  /** Makes the account's token of this id, or gives it a new secret and new terms. False where the id is another's. */
  renew(token: NewToken & { readonly ownerId: string }, oldValidUntilMs: number): Promise<boolean>;
  /** The same secret under the digest of a newer key. */
  moveDigest(from: string, to: string): Promise<void>;
  /** How many tokens of the account were revoked. */
  revokeOf(ownerId: string, atMs: number): Promise<number>;
}

export function tokenStore(driver: Driver, nowMs: () => number): TokenStore {
  return {
    async insert(token) {
      await driver.run(insertToken, newRow(token));
    },
    insertWithin: (token, room) => driver.run(insertTokenWithin, { ...newRow(token), ownerId: token.ownerId }, room),
    insertChild: (token, most) =>
      driver.run(insertChildToken, { ...newRow(token), parentId: token.parentId }, most, nowMs()),
    childrenOf: async (parentId) => (await driver.run(listChildTokens, parentId, nowMs())).map(tokenRecord),
    async byDigest(digest) {
      const found = await driver.run(tokenByDigest, digest, nowMs());
      return found === null ? undefined : tokenRecord(found);
    },
    async byId(id) {
      const found = await driver.run(tokenById, id);
      return found === null ? undefined : tokenRecord(found);
    },
    async facts(ids) {
      const found: TokenFacts[] = [];
      for (let from = 0; from < ids.length; from += factsPerReading) {
        found.push(...(await driver.run(tokenFacts, ids.slice(from, from + factsPerReading))));
      }
      return found;
    },
    async list({ limit, after }, ownerId, search, scope) {
      const page = { limit: limit + 1, after };
      const narrowed = { ...scope, ownerId };
      const rows = await (search === undefined
        ? driver.run(listTokens, page, narrowed)
        : driver.run(searchTokens, search, page, narrowed));
      return pageOf(rows.map(tokenRecord), limit, (token) => ({ atMs: token.createdAtMs, id: token.id }));
    },
    updateTerms: (id, terms) => driver.run(updateTokenTerms, id, terms.name, termsJson(terms)),
    changeOwner: (id, ownerId) => driver.run(changeTokenOwner, id, ownerId ?? null),
    changeUnit: (id, unitId) => driver.run(changeTokenUnit, id, unitId ?? null),
    revoke: (id, atMs) => driver.run(revokeToken, id, atMs),
    rotate: (id, digest, hint, oldValidUntilMs) => driver.run(rotateToken, id, { digest, hint }, oldValidUntilMs),
    renew: (token, oldValidUntilMs) =>
      driver.run(renewToken, { ...newRow(token), ownerId: token.ownerId }, oldValidUntilMs),
    async moveDigest(from, to) {
      await driver.run(moveTokenDigest, from, to);
    },
    revokeOf: (ownerId, atMs) => driver.run(revokeTokensOf, ownerId, atMs),
  };
}

export const newRow = ({ terms, ...token }: NewToken): NewTokenRow => ({
  ...token,
  name: terms.name,
  terms: termsJson(terms),
});

export const tokenRecord = ({ terms, ...row }: TokenRow): TokenMatch => ({ ...row, terms: readTerms(terms) });

/** JSON has no big integers, so limits of budgets are written as digits. */
export function termsJson(terms: TokenTerms): string {
  const { budget, ...rest } = terms;
  const stored = { ...rest, ...storedBudgets(terms) };
  return JSON.stringify(
    budget === undefined
      ? stored
      : { ...stored, budget: { limitNano: budget.limitNano.toString(), period: budget.period } },
  );
}

type StoredTerms = Omit<TokenTerms, 'budget' | keyof StoredBudgeted> &
  StoredBudgeted & { readonly budget?: { readonly limitNano: string; readonly period: BudgetPeriod } };

function readTerms(json: string): TokenTerms {
  const { budget, budgets, endUsers, ...rest } = JSON.parse(json) as StoredTerms;
  const further = budgets === undefined && endUsers === undefined ? undefined : readBudgets({ budgets, endUsers });
  if (budget === undefined) return { ...rest, ...further };
  return { ...rest, budget: { limitNano: BigInt(budget.limitNano), period: budget.period }, ...further };
}
