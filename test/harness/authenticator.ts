/** An authenticator in software, as a browser would speak for it; each field can be forged. */

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export type KeyKind = 'ES256' | 'EdDSA' | 'RS256';

interface Ceremony {
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
  /** Bits of the authenticator data; user present and verified unless given. */
  readonly flags?: number;
  readonly counter?: number;
  readonly crossOrigin?: boolean;
  readonly type?: string;
}

export interface Authenticator {
  readonly id: string;
  create(ceremony: Ceremony): {
    readonly id: string;
    readonly response: { readonly clientDataJSON: string; readonly attestationObject: string };
  };
  get(
    ceremony: Ceremony,
    userHandle?: string,
  ): {
    readonly id: string;
    readonly response: {
      readonly clientDataJSON: string;
      readonly authenticatorData: string;
      readonly signature: string;
      readonly userHandle?: string;
    };
  };
}

const b64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const sha256 = (data: Uint8Array | string): Buffer => createHash('sha256').update(data).digest();

/** Definite lengths only; numbers, texts, bytes and maps are all that is needed. */
export function cborOf(value: number | string | Uint8Array | ReadonlyMap<number | string, unknown>): Buffer {
  const head = (major: number, argument: number): Buffer => {
    if (argument < 24) return Buffer.of((major << 5) | argument);
    if (argument < 256) return Buffer.of((major << 5) | 24, argument);
    return Buffer.of((major << 5) | 25, argument >> 8, argument & 255);
  };
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  const entries = [...value].flatMap(([key, item]) => [cborOf(key), cborOf(item as never)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

function pairOf(kind: KeyKind): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  if (kind === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (kind === 'EdDSA') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('rsa', { modulusLength: 2_048 });
}

export function coseOf(kind: KeyKind, publicKey: KeyObject): Map<number, number | Uint8Array> {
  const jwk = publicKey.export({ format: 'jwk' });
  const bytes = (text: unknown): Uint8Array => Buffer.from(String(text), 'base64url');
  if (kind === 'ES256')
    return new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(jwk.x)],
      [-3, bytes(jwk.y)],
    ]);
  if (kind === 'EdDSA')
    return new Map<number, number | Uint8Array>([
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(jwk.x)],
    ]);
  return new Map<number, number | Uint8Array>([
    [1, 3],
    [3, -257],
    [-1, bytes(jwk.n)],
    [-2, bytes(jwk.e)],
  ]);
}

export function createAuthenticator(kind: KeyKind = 'ES256', cose?: ReadonlyMap<number, unknown>): Authenticator {
  const { privateKey, publicKey } = pairOf(kind);
  const rawId = randomBytes(32);
  let used = 0;
  const clientDataOf = ({ challenge, origin, crossOrigin = false, type }: Ceremony, usual: string): Buffer =>
    Buffer.from(JSON.stringify({ type: type ?? usual, challenge, origin, crossOrigin }));
  const headOf = ({ rpId, flags = 5, counter = ++used }: Ceremony, more: number): Buffer => {
    const head = Buffer.alloc(37);
    sha256(rpId).copy(head);
    head.writeUInt8(flags | more, 32);
    head.writeUInt32BE(counter, 33);
    return head;
  };
  return {
    id: b64(rawId),
    create(ceremony) {
      const length = Buffer.of(rawId.length >> 8, rawId.length & 255);
      const key = cborOf(cose ?? coseOf(kind, publicKey));
      const authData = Buffer.concat([headOf(ceremony, 64), Buffer.alloc(16), length, rawId, key]);
      const attestation = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]);
      return {
        id: b64(rawId),
        response: {
          clientDataJSON: b64(clientDataOf(ceremony, 'webauthn.create')),
          attestationObject: b64(cborOf(attestation)),
        },
      };
    },
    get(ceremony, userHandle) {
      const clientData = clientDataOf(ceremony, 'webauthn.get');
      const data = headOf(ceremony, 0);
      const signature = sign(kind === 'EdDSA' ? null : 'sha256', Buffer.concat([data, sha256(clientData)]), privateKey);
      return {
        id: b64(rawId),
        response: {
          clientDataJSON: b64(clientData),
          authenticatorData: b64(data),
          signature: b64(signature),
          ...(userHandle !== undefined && { userHandle: Buffer.from(userHandle).toString('base64url') }),
        },
      };
    },
  };
}
