/** What the store keeps of JSON Web Tokens: their subjects as tokens, and revoked ids. Part of the store's contract. */

import type { TokenRecord } from '../../access/caller.ts';
import type { Driver } from '../sql/driver.ts';
import { removeAll } from '../sql/removal.ts';
import { termsJson, tokenRecord } from '../tokens/token-store.ts';
import {
  expireJwtRevocations,
  isJwtRevoked,
  type JwtRevocationRow,
  listJwtRevocations,
  meetSubject,
  revokeJwt,
} from './jwt-queries.ts';

interface SubjectSight {
  readonly issuer: string;
  readonly subject: string;
  /** How many subjects the issuer may have. */
  readonly most: number;
}

export interface JwtStore {
  /**
   * The token of the subject, made at first sight, with the terms and the unit of this record; a disabled one stays so.
   * Undefined where the issuer has too many subjects.
   */
  meet(
    record: TokenRecord,
    sight: SubjectSight,
  ): Promise<{ readonly record: TokenRecord; readonly isNew: boolean } | undefined>;
  revoke(row: JwtRevocationRow): Promise<void>;
  isRevoked(issuer: string, jwtId: string): Promise<boolean>;
  /** Newest first. */
  revocations(limit: number): Promise<readonly JwtRevocationRow[]>;
  expire(nowMs: number): Promise<void>;
}

/** In the place of the key of a digest: there is no secret to find the token by. */
const noSecret = 'jwt';

export function jwtStore(driver: Driver): JwtStore {
  return {
    async meet({ id, hint, terms, createdAtMs, unitId }, { issuer, subject, most }) {
      const token = { id, hint, createdAtMs, unitId, name: terms.name, terms: termsJson(terms) };
      const found = await driver.run(meetSubject, {
        ...{ token: { ...token, digest: `${noSecret}:${id}` } },
        ...{ issuer, subject, most },
      });
      return found === null ? undefined : { record: tokenRecord(found.row), isNew: found.isNew };
    },
    async revoke(row) {
      await driver.run(revokeJwt, row);
    },
    isRevoked: (issuer, jwtId) => driver.run(isJwtRevoked, issuer, jwtId),
    revocations: (limit) => driver.run(listJwtRevocations, limit),
    expire: (nowMs) => removeAll(driver, expireJwtRevocations, nowMs),
  };
}
