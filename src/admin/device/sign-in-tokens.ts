/** The token of a sign-in: one record for all its access tokens, so that budget and usage stay with the sign-in. */

import type { AccountRecord } from '../../access/account.ts';
import type { TokenRecord, TokenTerms } from '../../access/caller.ts';
import { hintOf } from '../../access/token-format.ts';
import type { TokenTable } from '../../access/token-table.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Digests } from '../../secrets/digests.ts';
import type { TokenDefaults } from '../../settings/config.ts';
import { playgroundTokenId } from '../tokens/account-tokens.ts';
import { memberBudget, requireWithinDefaults, roomOf } from '../tokens/token-ceiling.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';
import { defaultTerms, newTokenId } from '../tokens/tokens.ts';

interface SignInTokensOptions {
  readonly tokens: TokenTable;
  readonly digests: Digests;
  readonly mint: () => string;
  readonly defaults: TokenDefaults;
  readonly lifetimeMs: () => number;
  readonly nowMs: () => number;
}

interface IssuedAccess {
  readonly secret: string;
  readonly expiresInMs: number;
}

export interface SignInTokens {
  /** Its secret is not given out: the program gets the first one with `renew`. Throws where the person has too many. */
  create(account: AccountRecord, clientName: string, unitId?: string): Promise<string>;
  /** A new secret; the one before counts until it would have expired. Undefined where the token was revoked or given away. */
  renew(tokenId: string, account: AccountRecord): Promise<IssuedAccess | undefined>;
  revoke(tokenId: string): Promise<void>;
  /** The token of this secret. */
  find(secret: string): Promise<TokenRecord | undefined>;
}

/** As for the tokens that people create: an account that may change the settings is not bound by them. */
const isBound = ({ role }: AccountRecord): boolean => role === 'member';

export function createSignInTokens(options: SignInTokensOptions): SignInTokens {
  const { tokens, digests, defaults, nowMs } = options;

  const termsOf = (account: AccountRecord, name: string): TokenTerms => ({
    ...defaultTerms(defaults, name, nowMs()),
    ...withoutAbsent<Pick<TokenTerms, 'budget'>>({ budget: isBound(account) ? memberBudget(defaults) : undefined }),
    expiresAtMs: nowMs() + options.lifetimeMs(),
  });

  /** What an administrator changed stays, as far as the account may still have it. */
  function renewedTerms(record: TokenRecord, account: AccountRecord): TokenTerms {
    const kept = { ...record.terms, expiresAtMs: nowMs() + options.lifetimeMs() };
    if (!isBound(account)) return kept;
    try {
      requireWithinDefaults(kept, defaults, nowMs());
      return kept;
    } catch (error) {
      if (error instanceof GatewayError) return termsOf(account, record.terms.name);
      throw error;
    }
  }

  return {
    async create(account, clientName, unitId) {
      const secret = options.mint();
      const record: TokenRecord = {
        id: newTokenId(),
        hint: hintOf(secret),
        createdAtMs: nowMs(),
        ownerId: account.id,
        terms: termsOf(account, `${clientName} of ${account.name}`),
        ...(unitId !== undefined && { unitId }),
      };
      const digest = digests.of(secret);
      if (!isBound(account)) await tokens.insert(record, digest);
      else {
        const room = roomOf(defaults, playgroundTokenId(account.id), nowMs());
        if (!(await tokens.insertWithin(record, digest, room))) {
          const message = `You can have up to ${room.most} tokens, signed-in programs included. Revoke one first.`;
          throw new GatewayError('role_not_allowed', message);
        }
      }
      return record.id;
    },
    async renew(tokenId, account) {
      const before = await tokens.byId(tokenId);
      if (before === undefined || before.ownerId !== account.id || before.revokedAtMs !== undefined) return undefined;
      const secret = options.mint();
      const terms = renewedTerms(before, account);
      // Not `tokens.renew`, which would end a revocation.
      const validUntilMs = before.terms.expiresAtMs ?? nowMs();
      if (!(await tokens.rotate(tokenId, digests.of(secret), hintOf(secret), validUntilMs))) return undefined;
      await tokens.updateTerms(tokenId, terms);
      return { secret, expiresInMs: options.lifetimeMs() };
    },
    async revoke(tokenId) {
      await tokens.revoke(tokenId, nowMs());
    },
    async find(secret) {
      return (await digests.find(secret, (digest) => tokens.byDigest(digest)))?.found;
    },
  };
}
