/** Turns a credential into a Caller: from memory if it was seen recently, from the token table otherwise. */

import { GatewayError } from '../conversation/gateway-error.ts';
import type { Digests } from '../secrets/digests.ts';
import { createBoundedCache } from './bounded-cache.ts';
import type { Caller, TokenRecord, TokenStanding } from './caller.ts';
import { callerOf } from './caller-of.ts';
import { checkShape } from './token-format.ts';
import type { TokenTable } from './token-table.ts';

interface AuthenticatorOptions {
  readonly tokens: Pick<TokenTable, 'byDigest' | 'revision'> & Partial<Pick<TokenTable, 'byId' | 'moveDigest'>>;
  readonly digests: Digests;
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
  /** Whether the token may still call. The table is read each time. */
  standingOf(tokenId: string): Promise<TokenStanding>;
  /** Clears the cache, including running look-ups. */
  invalidate(): void;
  /** Clears the cache if any token changed since the last poll. Called about once a second. */
  poll(): Promise<void>;
}

interface Known {
  readonly record: TokenRecord;
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
  let lookups = new Map<string, Promise<Known | undefined>>();
  let seenRevision: number | undefined;
  let polling: Promise<void> | undefined;

  const invalidate = (): void => {
    known.clear();
    byCredential.clear();
    unknownUntilMs.clear();
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

  function recordOf(tokenId: string): Promise<TokenRecord | undefined> {
    return Promise.resolve(tokens.byId?.(tokenId)).catch((cause: unknown) => {
      throw unchecked(cause);
    });
  }

  async function load(credential: string, digest: string, running: typeof lookups): Promise<Known | undefined> {
    try {
      const record = await find(credential);
      const found = record === undefined ? undefined : { record, caller: callerOf(record) };
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

  async function lookUp(credential: string, digest: string, address: () => string): Promise<Caller> {
    let lookup = lookups.get(digest);
    if (lookup === undefined) {
      const running = lookups;
      lookup = load(credential, digest, running).finally(() => running.delete(digest));
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
      checkShape(credential);
      const digest = digests.of(credential);
      const entry = known.get(digest);
      if (entry !== undefined) {
        byCredential.set(credential, entry);
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
      const record = await recordOf(tokenId);
      if (record === undefined) throw unknown();
      return admitted({ record, caller: callerOf(record) }, address, nowMs());
    },
    async standingOf(tokenId) {
      const record = await recordOf(tokenId);
      const refusal = record === undefined ? unknown() : refusalOf(record, nowMs());
      return { refusal, expiresAtMs: record?.terms.expiresAtMs };
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
function admitted({ record, caller }: Known, address: () => string, atMs: number): Caller {
  const refusal = refusalOf(record, atMs);
  if (refusal !== undefined) throw refusal;
  // Reading the address costs more than the rest of this check; few tokens restrict it.
  if (record.terms.addresses !== undefined && !caller.mayCallFrom(address())) {
    throw new GatewayError(
      'address_not_allowed',
      `This token is not allowed from ${address() || 'an unknown IP address'}.`,
      { tokenId: record.id },
    );
  }
  return caller;
}

function refusalOf(record: TokenRecord, atMs: number): GatewayError | undefined {
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
