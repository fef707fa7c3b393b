/**
 * A certificate authority for tests, and a certificate of it for the names that a test wants: X.509 v3 (RFC 5280),
 * ECDSA with SHA-256 on P-256. Written here, because not every machine has the program `openssl`.
 */

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

export interface ServerIdentity {
  readonly key: string;
  readonly cert: string;
}

export interface Certificates {
  /** Of the authority, in PEM. */
  readonly ca: string;
  /** For a server. */
  readonly tls: ServerIdentity;
  /** A server that shows the authority's own certificate, which is for no host. */
  readonly authority: ServerIdentity;
}

/** Tags of DER (X.690). */
const tag = {
  integer: 0x02,
  bitString: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
};
const context = (number: number): number => 0xa0 + number;

const oid = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
};
const day = 86_400_000;

/** `names` are host names and IPv4 addresses. */
export function makeCertificates(names: readonly string[]): Certificates {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const server = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // Its own name: a client that trusts several authorities chooses among them by name.
  const issuer = nameOf(`Weir test authority ${crypto.randomUUID()}`);
  const isAuthority = extension(oid.basicConstraints, sequence(der(0x01, Buffer.of(0xff))));
  const hosts = extension(oid.subjectAltName, sequence(...names.map(generalName)));
  const ca = certificate(issuer, issuer, authority.publicKey, isAuthority, authority.privateKey);
  const cert = certificate(issuer, nameOf('localhost'), server.publicKey, hosts, authority.privateKey);
  return {
    ca,
    tls: { key: keyText(server.privateKey), cert },
    authority: { key: keyText(authority.privateKey), cert: ca },
  };
}

function keyText(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string;
}

function certificate(issuer: Buffer, subject: Buffer, key: KeyObject, extensions: Buffer, signer: KeyObject): string {
  const algorithm = sequence(objectId(oid.ecdsaWithSha256));
  const serial = crypto.getRandomValues(Buffer.alloc(8));
  // A first byte between 1 and 127: the number is positive and has no needless zero.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x01;
  const validity = sequence(utcTime(Date.now() - day), utcTime(Date.now() + 2 * day));
  const content = sequence(
    der(context(0), der(tag.integer, Buffer.of(2))),
    der(tag.integer, serial),
    algorithm,
    issuer,
    validity,
    subject,
    key.export({ type: 'spki', format: 'der' }),
    der(context(3), sequence(extensions)),
  );
  const signature = der(tag.bitString, Buffer.concat([Buffer.of(0), sign('sha256', content, signer)]));
  const lines =
    sequence(content, algorithm, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function nameOf(commonName: string): Buffer {
  return sequence(der(tag.set, sequence(objectId(oid.commonName), der(tag.utf8, Buffer.from(commonName)))));
}

function generalName(name: string): Buffer {
  return isIPv4(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name));
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), der(tag.octets, value));
}

function objectId(hex: string): Buffer {
  return der(tag.oid, Buffer.from(hex, 'hex'));
}

function utcTime(ms: number): Buffer {
  return der(tag.utcTime, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(tag.sequence, Buffer.concat(parts));
}

function der(type: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(type, ...size), content]);
}
