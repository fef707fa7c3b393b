/** Verifies a JSON Web Token of a configured issuer: signature, algorithm, type, audience and times. */

import type { JWTPayload } from 'jose';
import { jwtExpired } from '../../access/jwt-source.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { JwtIssuerConfig } from '../../settings/jwt-settings.ts';
import type { Transport } from '../../upstream/transport.ts';
import { type Claims, claimAt, isSubject } from '../sign-in/claims.ts';
import { fetchOver, verifyWith } from '../sign-in/issuer-client.ts';
import { refusalOf, type SignInRefusal } from '../sign-in/refusal.ts';
import { createKeySet, type KeySet } from './key-set.ts';

const jwtLengthMax = 8_192;

export interface VerifiedJwt {
  readonly config: JwtIssuerConfig;
  readonly claims: Claims;
  readonly subject: string;
  /** `jti`, where it has one. */
  readonly id: string | undefined;
  /** With the allowed difference of clocks. */
  readonly expiresAtMs: number;
}

interface VerifierOptions {
  readonly issuers: readonly JwtIssuerConfig[];
  readonly transport: Transport;
  readonly nowMs: () => number;
  readonly warn: (message: string, details: Readonly<Record<string, unknown>>) => void;
}

/** Rejects with a GatewayError. Nothing is asked of an issuer that is not configured. */
export function createJwtVerifier(options: VerifierOptions): (jwt: string) => Promise<VerifiedJwt> {
  const send = fetchOver(options.transport);
  const { nowMs, warn } = options;
  const known = new Map(
    options.issuers.map((config) => [config.issuer, { config, keys: createKeySet({ config, send, nowMs, warn }) }]),
  );
  return async (jwt) => {
    if (jwt.length > jwtLengthMax) {
      throw refused(`The JWT has ${jwt.length} characters. At most ${jwtLengthMax} are allowed.`);
    }
    const [header, payload] = jwt.split('.', 2).map(objectIn);
    if (header === undefined || payload === undefined)
      throw refused('The JWT is malformed. Check that it is complete.');
    const issuer = known.get(typeof payload['iss'] === 'string' ? payload['iss'] : '');
    if (issuer === undefined) throw refused(unknownIssuer(payload['iss']));
    requireType(header['typ']);
    const { config } = issuer;
    const claims = await signedClaims(jwt, issuer, nowMs());
    return {
      config,
      claims,
      ...timesOf(claims, config, nowMs()),
      subject: subjectOf(claims, config),
      id: idOf(claims),
    };
  };
}

function objectIn(part: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Claims) : undefined;
  } catch {
    return undefined;
  }
}

const refused = (message: string): GatewayError => new GatewayError('jwt_refused', message);

function unknownIssuer(issuer: unknown): string {
  if (typeof issuer !== 'string') return 'The JWT has no issuer (iss).';
  const shown = issuer.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 200);
  return `The issuer of the JWT, ${shown}, is not configured. Add it under jwt.issuers.`;
}

/** A logout token or a proof is signed with the same keys, and says by its type that it is no access token. */
const types: readonly unknown[] = [undefined, 'jwt', 'at+jwt', 'application/jwt', 'application/at+jwt'];

function requireType(typ: unknown): void {
  if (types.includes(typeof typ === 'string' ? typ.toLowerCase() : typ)) return;
  throw refused('The JWT has a type (typ) that is not meant for requests. Send an access token.');
}

async function signedClaims(
  jwt: string,
  { config, keys }: { readonly config: JwtIssuerConfig; readonly keys: KeySet },
  nowMs: number,
): Promise<JWTPayload> {
  const terms = {
    issuer: config.issuer,
    audience: [...config.audiences],
    algorithms: [...config.algorithms],
    clockTolerance: config.clockSkewS,
    currentDate: new Date(nowMs),
    requiredClaims: ['exp'],
  };
  try {
    return await verifyWith(await keys.get(), jwt, terms);
  } catch (error) {
    const first = refusalOf(error);
    const again = first.code === 'token_key' || first.code === 'token_signature' ? await keys.again() : undefined;
    if (again === undefined) throw faultOf(first, config);
    return await verifyWith(again, jwt, terms).catch((second: unknown) => {
      throw faultOf(refusalOf(second), config);
    });
  }
}

function faultOf(refusal: SignInRefusal, { name, audiences, algorithms }: JwtIssuerConfig): GatewayError {
  switch (refusal.code) {
    case 'token_audience':
      return refused(`The JWT is for another audience. Its aud must have ${audiences.join(' or ')}.`);
    case 'token_expired':
      return claimOf(refusal) === 'missing' ? refused('The JWT has no expiry (exp).') : jwtExpired();
    case 'token_time':
      return refused('The JWT is not valid yet (nbf). Check the clocks of both machines.');
    case 'token_algorithm':
      return refused(`The JWT is signed with an algorithm that is not allowed. Allowed: ${algorithms.join(', ')}.`);
    case 'token_key':
      return refused(`The JWT is signed with a key that the issuer ${name} does not publish (kid).`);
    case 'token_signature':
      return refused('The signature of the JWT is wrong.');
    case 'provider_unreachable':
    case 'provider_invalid': {
      const message = `The JWT could not be verified: the keys of the issuer ${name} could not be read. Retry later.`;
      return new GatewayError('issuer_unavailable', message, { cause: refusal });
    }
    default:
      return refused('The JWT is malformed, or a claim of it has the wrong type.');
  }
}

/** The library says by a reason that a claim is missing. */
function claimOf({ cause }: SignInRefusal): unknown {
  return typeof cause === 'object' && cause !== null ? Reflect.get(cause, 'reason') : undefined;
}

function timesOf(
  { iat, exp = 0 }: JWTPayload,
  { clockSkewS, maxLifetimeS }: JwtIssuerConfig,
  nowMs: number,
): Pick<VerifiedJwt, 'expiresAtMs'> {
  const nowS = nowMs / 1_000;
  if (iat !== undefined && iat > nowS + clockSkewS) {
    throw refused('The JWT was issued in the future (iat). Check the clocks of both machines.');
  }
  if (exp - (iat ?? nowS) > maxLifetimeS + (iat === undefined ? clockSkewS : 0)) {
    throw refused(`The JWT is valid for too long. At most ${maxLifetimeS} seconds are allowed (max_lifetime_s).`);
  }
  return { expiresAtMs: (exp + clockSkewS) * 1_000 };
}

function subjectOf(claims: Claims, { subjectClaim }: JwtIssuerConfig): string {
  if (claims['cnf'] !== undefined) {
    throw refused('The JWT is bound to a key (cnf), which Weir does not check. Send a plain bearer token.');
  }
  const subject = claimAt(claims, subjectClaim);
  if (isSubject(subject)) return subject;
  throw refused(`The JWT has no usable claim ${subjectClaim}, which says who calls.`);
}

const idOf = ({ jti }: Claims): string | undefined => (isSubject(jti) ? jti : undefined);
