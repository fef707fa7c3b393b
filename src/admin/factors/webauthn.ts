/**
 * Verifies what a browser returns for a passkey, by W3C Web Authentication Level 2, sections 7.1 and 7.2
 * (https://www.w3.org/TR/webauthn-2/, read 2026-11-17). Attestation is not requested, so its statement is not read.
 */

import { createHash, createPublicKey, type KeyObject, verify, type webcrypto } from 'node:crypto';
import type { MadeCredential, ShownCredential } from '../contracts/factor-contract.ts';
import { CborError, type CborMap, type CborValue, readCbor } from './cbor.ts';

/** The page that asks: its origin, and the host name that passkeys are bound to. */
export interface Site {
  readonly origin: string;
  readonly rpId: string;
}

export class WebAuthnError extends Error {}

/** COSE numbers, the preferred one first: ES256, EdDSA, RS256. */
export const passkeyAlgorithms = [-7, -8, -257] as const;

const flags = { userPresent: 1, userVerified: 4, hasCredential: 64, hasExtensions: 128 } as const;
const credentialIdBytesMax = 1_023;
const rsaBytesMin = 256;
const rsaBytesMax = 1_024;

interface Verified {
  /** As the server issued it, base64url. */
  readonly challenge: string;
  readonly counter: number;
  /** The authenticator asked for a PIN, a fingerprint or a face. */
  readonly userVerified: boolean;
}

interface VerifiedRegistration extends Verified {
  readonly id: string;
  /** SPKI, base64url. */
  readonly publicKey: string;
  readonly algorithm: number;
}

export function verifyRegistration({ id, response }: MadeCredential, site: Site): VerifiedRegistration {
  const challenge = challengeIn(bytesOf(response.clientDataJSON), 'webauthn.create', site);
  const attestation = mapOf(cborOf(bytesOf(response.attestationObject)));
  const data = attestation.get('authData');
  if (!(data instanceof Uint8Array)) throw new WebAuthnError('the attestation has no authenticator data');
  const { counter, userVerified, credential } = readAuthenticatorData(data, site.rpId);
  if (credential === undefined) throw new WebAuthnError('the authenticator returned no credential');
  if (credential.id !== id) throw new WebAuthnError('the credential has another id than the authenticator says');
  const { key, algorithm } = publicKeyOf(credential.key);
  const publicKey = key.export({ type: 'spki', format: 'der' }).toString('base64url');
  return { challenge, counter, userVerified, id, publicKey, algorithm };
}

/** `stored`: as the registration returned it. */
export function verifyAssertion(
  { response }: ShownCredential,
  site: Site,
  stored: Pick<VerifiedRegistration, 'publicKey' | 'algorithm'>,
): Verified {
  const clientData = bytesOf(response.clientDataJSON);
  const challenge = challengeIn(clientData, 'webauthn.get', site);
  const data = bytesOf(response.authenticatorData);
  const { counter, userVerified } = readAuthenticatorData(data, site.rpId);
  const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()]);
  const key = createPublicKey({ key: bytesOf(stored.publicKey), type: 'spki', format: 'der' });
  if (!verify(hashOf(stored.algorithm), signed, key, bytesOf(response.signature))) {
    throw new WebAuthnError('the signature is wrong');
  }
  return { challenge, counter, userVerified };
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64url');
/** EdDSA hashes by itself. */
const hashOf = (algorithm: number): string | null => (algorithm === -8 ? null : 'sha256');

/** Type and origin are checked here; whether the challenge was issued, by the caller. */
function challengeIn(clientData: Buffer, type: string, { origin }: Site): string {
  let given: Readonly<Record<string, unknown>>;
  try {
    given = JSON.parse(clientData.toString('utf8')) as typeof given;
  } catch {
    throw new WebAuthnError('the client data is not JSON');
  }
  if (given['type'] !== type) throw new WebAuthnError('the client data is for another operation');
  if (given['origin'] !== origin) throw new WebAuthnError('the credential was used on another site');
  if (given['crossOrigin'] === true) throw new WebAuthnError('the credential was used in a frame of another site');
  const challenge = given['challenge'];
  if (typeof challenge !== 'string') throw new WebAuthnError('the client data has no challenge');
  return challenge;
}

function readAuthenticatorData(data: Uint8Array, rpId: string) {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const headBytes = 37;
  if (data.length < headBytes) throw new WebAuthnError('the authenticator data is too short');
  const rightHash = createHash('sha256').update(rpId).digest();
  if (!rightHash.equals(data.subarray(0, 32))) throw new WebAuthnError('the credential is for another host name');
  const flag = view.getUint8(32);
  if ((flag & flags.userPresent) === 0) throw new WebAuthnError('the authenticator did not see a person');
  const { credential, end } =
    (flag & flags.hasCredential) === 0
      ? { credential: undefined, end: headBytes }
      : readCredential(data, view, headBytes);
  const last = (flag & flags.hasExtensions) === 0 ? end : cborEnd(data, end);
  if (last !== data.length) throw new WebAuthnError('the authenticator data has more than it should');
  return { counter: view.getUint32(33), userVerified: (flag & flags.userVerified) !== 0, credential };
}

function readCredential(data: Uint8Array, view: DataView, start: number) {
  const idStart = start + 18;
  if (data.length < idStart) throw new WebAuthnError('the authenticator data is too short');
  const idEnd = idStart + view.getUint16(idStart - 2);
  if (idEnd - idStart > credentialIdBytesMax || idEnd === idStart || idEnd > data.length) {
    throw new WebAuthnError('the credential id has a length that is not allowed');
  }
  const id = Buffer.from(data.subarray(idStart, idEnd)).toString('base64url');
  const key = mapOf(cborOf(data.subarray(idEnd, cborEnd(data, idEnd))));
  return { credential: { id, key }, end: cborEnd(data, idEnd) };
}

/** The whole of the bytes is one value. */
function cborOf(bytes: Uint8Array): CborValue {
  return withReason(() => {
    const { value, end } = readCbor(bytes);
    if (end !== bytes.length) throw new CborError('has more than one value');
    return value;
  });
}

const cborEnd = (bytes: Uint8Array, start: number): number => withReason(() => readCbor(bytes, start).end);

function withReason<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof CborError) throw new WebAuthnError(`the authenticator’s CBOR ${error.message}`);
    throw error;
  }
}

function mapOf(value: CborValue): CborMap {
  if (!(value instanceof Map)) throw new WebAuthnError('the authenticator’s CBOR is not a map');
  return value;
}

/** Labels of a COSE key, RFC 9052 and 9053. */
const label = { keyType: 1, algorithm: 3, curve: -1, x: -2, y: -3, modulus: -1, exponent: -2 } as const;

function publicKeyOf(cose: CborMap): { readonly key: KeyObject; readonly algorithm: number } {
  const keyType = cose.get(label.keyType);
  const algorithm = cose.get(label.algorithm);
  const bytes = (name: number, least: number, most = least): string => {
    const value = cose.get(name);
    if (!(value instanceof Uint8Array) || value.length < least || value.length > most) throw unsupported();
    return Buffer.from(value).toString('base64url');
  };
  const jwk = (): webcrypto.JsonWebKey => {
    if (keyType === 2 && algorithm === -7 && cose.get(label.curve) === 1) {
      return { kty: 'EC', crv: 'P-256', x: bytes(label.x, 32), y: bytes(label.y, 32) };
    }
    if (keyType === 1 && algorithm === -8 && cose.get(label.curve) === 6) {
      return { kty: 'OKP', crv: 'Ed25519', x: bytes(label.x, 32) };
    }
    if (keyType === 3 && algorithm === -257) {
      return { kty: 'RSA', n: bytes(label.modulus, rsaBytesMin, rsaBytesMax), e: bytes(label.exponent, 1, 8) };
    }
    throw unsupported();
  };
  try {
    return { key: createPublicKey({ key: jwk(), format: 'jwk' }), algorithm: Number(algorithm) };
  } catch (error) {
    // A point that is not on the curve.
    throw error instanceof WebAuthnError ? error : unsupported();
  }
}

function unsupported(): WebAuthnError {
  return new WebAuthnError('the key of the authenticator is of a kind that is not supported');
}
