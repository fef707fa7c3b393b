/** JSON Web Tokens as credentials, put together: verified once, admitted by rules, and counted as the token of their subject. */

import { createBoundedCache } from '../../access/bounded-cache.ts';
import type { TokenRecord } from '../../access/caller.ts';
import { type JwtSource, jwtExpired, jwtRevoked, jwtTokenId } from '../../access/jwt-source.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { JwtIssuerConfig } from '../../settings/jwt-settings.ts';
import type { Store } from '../../store/store.ts';
import type { Transport } from '../../upstream/transport.ts';
import type { Audit } from '../accounts/audit.ts';
import { tokenBounds } from '../contracts/contract.ts';
import { unitsReadMax } from '../sign-in/provision.ts';
import { outcomeOf, ruleFor } from './rules.ts';
import { createJwtVerifier, type VerifiedJwt } from './verify.ts';

interface JwtsOptions {
  readonly issuers: readonly JwtIssuerConfig[];
  readonly store: Pick<Store, 'jwts' | 'organization'>;
  readonly audit: Audit;
  /** The gateway's own egress. */
  readonly transport: Transport;
  readonly nowMs: () => number;
  readonly warn: (message: string, details: Readonly<Record<string, unknown>>) => void;
  readonly verifiedMax?: number;
}

/** The characters by which people recognize such a token: it has no secret. */
const hint = 'JWT';

/** As long as an unknown token is remembered. */
const refusedForMs = 5_000;

/** Undefined where no issuer is configured. */
export function createJwts(options: JwtsOptions): JwtSource | undefined {
  const { issuers, store, audit, nowMs } = options;
  if (issuers.length === 0) return undefined;
  const verify = createJwtVerifier(options);
  const verified = createBoundedCache<VerifiedJwt>(options.verifiedMax ?? 10_000);

  /** A client that sends a wrong one again and again costs one verification. */
  const refusals = createBoundedCache<{ readonly error: GatewayError; readonly untilMs: number }>(1_000);

  async function verifiedOf(credential: string, digest: string): Promise<VerifiedJwt> {
    const seen = verified.get(digest);
    if (seen === undefined) {
      const refusal = refusals.get(digest);
      if (refusal !== undefined && refusal.untilMs > nowMs()) throw refusal.error;
      const found = await verify(credential).catch((error: unknown) => {
        const isFinal = error instanceof GatewayError && error.code === 'jwt_refused';
        if (isFinal) refusals.set(digest, { error, untilMs: nowMs() + refusedForMs });
        throw error;
      });
      verified.set(digest, found);
      return found;
    }
    if (seen.expiresAtMs > nowMs()) return seen;
    verified.delete(digest);
    throw jwtExpired();
  }

  async function recordOf({ config, claims, subject }: VerifiedJwt): Promise<TokenRecord> {
    const units = () => store.organization.list(unitsReadMax);
    const { unitId, terms } = await outcomeOf(ruleFor(config, claims), claims, units);
    const record = subjectRecord(config, subject, nowMs(), { terms, unitId });
    const met = await store.jwts.meet(record, { issuer: config.issuer, subject, most: config.subjectsMax });
    if (met === undefined) {
      const message = `The issuer ${config.name} has as many subjects as it may have (subjects_max).`;
      throw new GatewayError('jwt_not_allowed', message);
    }
    if (met.isNew) {
      const doer = { accountName: `jwt:${config.name}`, client: { address: '', agent: '' } };
      const detail = { name: record.terms.name, issuer: config.name };
      await audit.write(doer, { action: 'token-create', subject: `token:${record.id}`, detail });
    }
    return met.record;
  }

  return {
    digestOf: (credential) => `jwt:${new Bun.CryptoHasher('sha256').update(credential).digest('base64url')}`,
    async grantOf(credential, digest) {
      const found = await verifiedOf(credential, digest);
      const { id, expiresAtMs } = found;
      const { issuer } = found.config;
      const jwt = { issuer, id, expiresAtMs };
      const record = await recordOf(found);
      if (id !== undefined && (await store.jwts.isRevoked(issuer, id))) throw jwtRevoked(record.id);
      return { record, jwt };
    },
    isRevoked: async ({ issuer, id }) => id !== undefined && (await store.jwts.isRevoked(issuer, id)),
  };
}

export function subjectRecord(
  config: Pick<JwtIssuerConfig, 'name' | 'issuer'>,
  subject: string,
  atMs: number,
  { terms, unitId }: { readonly terms: Omit<TokenRecord['terms'], 'name'>; readonly unitId?: string | undefined },
): TokenRecord {
  const name = [...`${config.name}: ${subject}`].slice(0, tokenBounds.nameLengthMax).join('');
  return {
    id: jwtTokenId(config.issuer, subject),
    hint,
    createdAtMs: Math.round(atMs),
    terms: { name, ...terms },
    ...(unitId !== undefined && { unitId }),
  };
}
