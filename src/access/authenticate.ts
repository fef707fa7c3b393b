/** Turns a credential into a Caller: from memory if it was seen recently, from the token table otherwise. */

import { GatewayError } from '../conversation/gateway-error.ts';
import { ownText } from '../conversation/texts/own-text.ts';
import type { Digests } from '../secrets/digests.ts';
import { createBoundedCache } from './bounded-cache.ts';
import type { Caller, JwtFacts, TokenRecord, TokenStanding } from './caller.ts';
import { type JwtSource, jwtExpired, jwtRevoked, looksLikeJwt } from './jwt-source.ts';
import { callerOf } from './levels/caller-of.ts';
import { levelName } from './levels/levels.ts';
import { createLevelLoader, type LevelSource, type LevelsAbove, nothingAbove } from './levels/load-levels.ts';
import { levelRefusing } from './terms.ts';
import { checkShape } from './token-format.ts';
import type { TokenTable } from './token-table.ts';

interface AuthenticatorOptions {
  readonly tokens: Pick<TokenTable, 'byDigest' | 'revision'> & Partial<Pick<TokenTable, 'byId' | 'moveDigest'>>;
  readonly digests: Digests;
  /** The levels above tokens; absent where there are none. */
  readonly levels?: LevelSource;
  /** Absent where no issuer of JSON Web Tokens is configured. */
  readonly jwts?: JwtSource | undefined;
  readonly nowMs: () => number;
  readonly cacheMax?: number;
  readonly negativeMax?: number;
  readonly negativeTtlMs?: number;
  /** Called when any token changed, right after the cache was cleared. */
  readonly onChange?: () => void;
}

export interface Authenticator {
  /** Answers at once for a credential that is in memory; throws or rejects with a GatewayError. */
  authenticate(credential: string, address: () => string): Caller | Promise<Caller>;
  /** For a credential that represents a token; the table is read each time. Rejects as `authenticate` does. */
  authenticateId(tokenId: string, address: () => string): Promise<Caller>;
  /** Whether the token may still call, with this JWT if it needs one. The table is read each time. */
  standingOf(tokenId: string, jwt?: JwtFacts): Promise<TokenStanding>;
  /** Clears the cache, including running look-ups. */
  invalidate(): void;
  /** Clears the cache if any token changed since the last poll. Called about once a second. */
  poll(): Promise<void>;
}

interface Known {
  readonly record: TokenRecord;
  readonly above: LevelsAbove;
  readonly caller: Caller;
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { tokens, digests, nowMs, negativeTtlMs = 5_000 } = options;
  const known = createBoundedCache<Known>(options.cacheMax ?? 10_000);
  /**
   * Valid credentials in plain text, which saves a digest per request. In this process's memory only, as provider keys
   * are.
   */
  const byCredential = createBoundedCache<Known>(options.cacheMax ?? 10_000);
  const unknownUntilMs = createBoundedCache<number>(options.negativeMax ?? 10_000);
  const levels = options.levels && createLevelLoader(options.levels);
  let lookups = new Map<string, Promise<Known | undefined>>();
  let seenRevision: number | undefined;
  let polling: Promise<void> | undefined;

  const invalidate = (): void => {
    known.clear();
    byCredential.clear();
    unknownUntilMs.clear();
    levels?.clear();
    lookups = new Map();
    options.onChange?.();
  };

  async function find(credential: string): Promise<TokenRecord | undefined> {
    const match = await digests.find(credential, (digest) => tokens.byDigest(digest));
    if (match?.olderDigest !== undefined) {
      // Not awaited; if it fails, the next use tries again, and until then the older key works.
      tokens.moveDigest?.(match.olderDigest, digests.of(credential)).catch(() => undefined);
    }
    return match?.found;
  }

  async function knownOf(record: TokenRecord): Promise<Known> {
    const above = levels === undefined ? nothingAbove : await levels.aboveOf(record);
    return { record, above, caller: callerOf(record, above) };
  }

  /** The token as the table has it now. */
  async function findById(tokenId: string): Promise<Known | undefined> {
    try {
      const record = await tokens.byId?.(tokenId);
      return record === undefined ? undefined : await knownOf(record);
    } catch (cause) {
      throw unchecked(cause);
    }
  }

  async function load(credential: string, digest: string, running: typeof lookups): Promise<Known | undefined> {
    try {
      const record = await find(credential);
      const found = record === undefined ? undefined : await knownOf(record);
      // A look-up that was overtaken by an invalidation answers its own request and is not cached.
      if (running === lookups) {
        if (found === undefined) unknownUntilMs.set(digest, nowMs() + negativeTtlMs);
        else known.set(digest, found);
      }
      return found;
    } catch (cause) {
      throw unchecked(cause);
    }
  }

  async function loadJwt(jwts: JwtSource, credential: string, digest: string, running: typeof lookups): Promise<Known> {
    try {
      const { record, jwt } = await jwts.grantOf(credential, digest);
      const { above, caller } = await knownOf(record);
      const found = { record, above, caller: { ...caller, jwt } };
      if (running === lookups) known.set(digest, found);
      return found;
    } catch (cause) {
      throw unchecked(cause);
    }
  }

  async function lookUp(credential: string, digest: string, address: () => string, jwts?: JwtSource): Promise<Caller> {
    let lookup = lookups.get(digest);
    if (lookup === undefined) {
      const running = lookups;
      const loading =
        jwts === undefined ? load(credential, digest, running) : loadJwt(jwts, credential, digest, running);
      lookup = loading.finally(() => running.delete(digest));
      running.set(digest, lookup);
    }
    const found = await lookup;
    if (found === undefined) throw unknown();
    return admitted(found, address, nowMs());
  }

  return {
    authenticate(credential, address) {
      const seen = byCredential.get(credential);
      if (seen !== undefined) return admitted(seen, address, nowMs());
      if (options.jwts !== undefined && looksLikeJwt(credential)) {
        // By its digest alone: it is long, and there are many of them.
        const digest = options.jwts.digestOf(credential);
        const verified = known.get(digest);
        return verified === undefined
          ? lookUp(credential, digest, address, options.jwts)
          : admitted(verified, address, nowMs());
      }
      checkShape(credential);
      const digest = digests.of(credential);
      const entry = known.get(digest);
      if (entry !== undefined) {
        byCredential.set(ownText(credential), entry);
        return admitted(entry, address, nowMs());
      }
      const untilMs = unknownUntilMs.get(digest);
      if (untilMs !== undefined) {
        if (nowMs() < untilMs) throw unknown();
        unknownUntilMs.delete(digest);
      }
      return lookUp(credential, digest, address);
    },
    async authenticateId(tokenId, address) {
      const found = await findById(tokenId);
      if (found === undefined) throw unknown();
      return admitted(found, address, nowMs());
    },
    async standingOf(tokenId, jwt) {
      const found = await findById(tokenId);
      const own = found === undefined ? unknown() : refusalOf(found, nowMs());
      const isRevoked = jwt !== undefined && own === undefined && (await options.jwts?.isRevoked(jwt));
      const refusal = isRevoked === true ? jwtRevoked(tokenId) : own;
      return { refusal, expiresAtMs: found?.caller.expiresAtMs };
    },
    invalidate,
    poll() {
      polling ??= tokens
        .revision()
        .then((revision) => {
          if (revision !== seenRevision) invalidate();
          seenRevision = revision;
        })
        .finally(() => {
          polling = undefined;
        });
      return polling;
    },
  };
}

function unchecked(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  const message = 'The token could not be checked: the database is not responding.';
  return new GatewayError('store_unavailable', message, { cause });
}

function unknown(): GatewayError {
  return new GatewayError(
    'token_unknown',
    'This token was not issued by this Weir server. Create one with `npx weir token create`.',
  );
}

/** The expiry is checked on every call: an entry in memory must not outlive its token. */
function admitted(known: Known, address: () => string, atMs: number): Caller {
  const { caller } = known;
  const refusal = refusalOf(known, atMs);
  if (refusal !== undefined) throw refusal;
  if (caller.mayCallFrom?.(address()) === false) throw addressRefused(caller, address());
  return caller;
}

function addressRefused({ levels, tokenId }: Caller, address: string): GatewayError {
  const level = levelRefusing(levels, 'addresses', address);
  const whose = level === undefined || level.id === tokenId ? '' : `: the ${levelName(level, tokenId)} is not`;
  const message = `This token is not allowed from ${address || 'an unknown IP address'}${whose}.`;
  return new GatewayError('address_not_allowed', message, { tokenId });
}

/** Of the token itself, then of what is above it. */
function refusalOf({ record, above, caller }: Known, atMs: number): GatewayError | undefined {
  if (caller.jwt !== undefined && atMs >= caller.jwt.expiresAtMs) return jwtExpired(record.id);
  return tokenRefusal(record, atMs) ?? refusalAbove(record.id, above, caller, atMs);
}

function refusalAbove(tokenId: string, above: LevelsAbove, caller: Caller, atMs: number): GatewayError | undefined {
  const refused = (message: string) => new GatewayError('token_disabled', message, { tokenId });
  if (above.missing === 'unit') return refused('The team or project of this token was removed. Create a new token.');
  if (above.missing === 'creator') return refused('The token that this one was created by is gone. Create a new one.');
  for (const creator of above.creators) {
    const refusal = tokenRefusal(creator, atMs);
    if (refusal === undefined) continue;
    const message = `This token was created by another one. ${refusal.message}`;
    return new GatewayError(refusal.code, message, { tokenId });
  }
  const disabled = above.levels.find(({ terms }) => terms.disabled === true);
  if (disabled === undefined) return undefined;
  return refused(`The ${levelName(disabled, caller.tokenId)} is disabled. Ask an administrator to enable it.`);
}

function tokenRefusal(record: TokenRecord, atMs: number): GatewayError | undefined {
  const { id: tokenId, revokedAtMs, secretValidUntilMs } = record;
  const { name, disabled, expiresAtMs } = record.terms;
  if (revokedAtMs !== undefined) {
    return new GatewayError('token_disabled', `The token "${name}" was revoked. Create a new one.`, { tokenId });
  }
  if (expiresAtMs !== undefined && atMs >= expiresAtMs) {
    return new GatewayError('token_expired', `The token "${name}" has expired. Create a new one.`, { tokenId });
  }
  if (disabled === true) {
    return new GatewayError('token_disabled', `The token "${name}" is disabled. Ask an administrator to enable it.`, {
      tokenId,
    });
  }
  if (secretValidUntilMs === undefined || atMs < secretValidUntilMs) return undefined;
  return new GatewayError(
    'token_expired',
    `The token "${name}" was rotated and this is its old secret. Use the new one.`,
    { tokenId },
  );
}
