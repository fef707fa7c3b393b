/** Revokes JSON Web Tokens before they expire: one by its id (`jti`), or all of a subject. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { JwtIssuerConfig } from '../../settings/jwt-settings.ts';
import type { Store } from '../../store/store.ts';
import type { Audit } from '../accounts/audit.ts';
import type { Actor } from '../accounts/sessions.ts';
import { type JwtRevocationsView, type JwtRevokedView, newJwtRevocationSchema } from '../contracts/jwt-contract.ts';
import { checked } from '../tokens/token-terms.ts';
import { subjectRecord } from './build-jwts.ts';

interface RevocationsOptions {
  readonly issuers: readonly JwtIssuerConfig[];
  readonly store: Pick<Store, 'jwts' | 'tokens'>;
  readonly audit: Audit;
  readonly nowMs: () => number;
}

export interface JwtRevocations {
  list(): Promise<JwtRevocationsView>;
  revoke(actor: Actor, input: unknown): Promise<JwtRevokedView>;
  tidy(): Promise<void>;
}

const listedMax = 500;

export function createJwtRevocations({ issuers, store, audit, nowMs }: RevocationsOptions): JwtRevocations {
  /** No JWT of the issuer that is valid now is valid longer. */
  async function revokeId(config: JwtIssuerConfig, jwtId: string): Promise<JwtRevokedView> {
    const expiresAtMs = nowMs() + (config.maxLifetimeS + 2 * config.clockSkewS) * 1_000;
    await store.jwts.revoke({ issuer: config.issuer, jwtId, createdAtMs: nowMs(), expiresAtMs });
    return { issuer: config.name, jti: jwtId };
  }

  /** The token of the subject is disabled, and made for that where the subject was never seen. */
  async function revokeSubject(config: JwtIssuerConfig, subject: string): Promise<JwtRevokedView> {
    const { id, ...made } = subjectRecord(config, subject, nowMs(), { terms: { disabled: true } });
    const before = await store.tokens.byId(id);
    if (before === undefined) {
      await store.jwts.meet({ id, ...made }, { issuer: config.issuer, subject, most: Number.MAX_SAFE_INTEGER });
    }
    const { terms } = before ?? made;
    // Also drops what every replica has in memory.
    await store.tokens.updateTerms(id, { ...terms, disabled: true });
    return { issuer: config.name, subject, tokenId: id };
  }

  return {
    async list() {
      const names = new Map(issuers.map(({ issuer, name }) => [issuer, name]));
      const rows = await store.jwts.revocations(listedMax);
      return {
        items: rows.map(({ issuer, jwtId, createdAtMs, expiresAtMs }) => ({
          issuer: names.get(issuer) ?? issuer,
          jti: jwtId,
          createdAt: new Date(createdAtMs).toISOString(),
          expiresAt: new Date(expiresAtMs).toISOString(),
        })),
      };
    },
    async revoke(actor, input) {
      const { issuer, jti, subject = '' } = checked(newJwtRevocationSchema, input);
      const config = issuers.find((each) => each.name === issuer || each.issuer === issuer);
      if (config === undefined) throw new GatewayError('not_found', 'Issuer not found.', { param: 'issuer' });
      const revoked = await (jti === undefined ? revokeSubject(config, subject) : revokeId(config, jti));
      const detail = jti === undefined ? { subject } : { jti };
      const what = revoked.tokenId === undefined ? `issuer:${config.name}` : `token:${revoked.tokenId}`;
      await audit.write(actor, { action: 'jwt-revoke', subject: what, detail: { ...detail, issuer: config.name } });
      return revoked;
    },
    tidy: () => store.jwts.expire(nowMs()),
  };
}
