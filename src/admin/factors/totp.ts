/** Time-based one-time passwords: RFC 6238 with SHA-1, 6 digits and 30 seconds, which every authenticator app has. */

import { createHmac, timingSafeEqual } from 'node:crypto';

export const totpSecretBytes = 20;
const digits = 6;
const stepMs = 30_000;
/** A clock may be one step behind or ahead. */
const skewSteps = 1;
const issuer = 'Weir';
/** A label in the URI may be long in some scripts; the QR code has to stay readable. */
const labelBytesMax = 120;

const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Without padding, as authenticator apps expect it. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += base32Alphabet[(buffer >> bits) & 31];
    }
  }
  return bits === 0 ? text : text + base32Alphabet[(buffer << (5 - bits)) & 31];
}

export const timeStepOf = (atMs: number): number => Math.floor(atMs / stepMs);

/** RFC 4226: the HMAC of the counter, cut to digits at the place that its last bits name. */
export function codeOfStep(secret: Uint8Array, timeStep: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(timeStep));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac[mac.length - 1] ?? 0) & 15;
  const value = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(value % 10 ** digits).padStart(digits, '0');
}

/** The time step whose code this is; only steps behind the one that was used last. Spaces in the code are ignored. */
export function stepOfCode(secret: Uint8Array, code: string, atMs: number, lastStep: number): number | undefined {
  const given = Buffer.from(code.replaceAll(/\s/g, ''));
  const now = timeStepOf(atMs);
  for (let timeStep = Math.max(now - skewSteps, lastStep + 1); timeStep <= now + skewSteps; timeStep++) {
    const right = Buffer.from(codeOfStep(secret, timeStep));
    if (given.length === right.length && timingSafeEqual(given, right)) return timeStep;
  }
  return undefined;
}

/** What the QR code contains. */
export function otpauthUri(secret: Uint8Array, accountName: string, host: string): string {
  const label = encodeURIComponent(`${issuer} ${host}:`) + shortened(accountName, labelBytesMax);
  const query = new URLSearchParams({ secret: base32(secret), issuer: `${issuer} ${host}` });
  return `otpauth://totp/${label}?${query.toString().replaceAll('+', '%20')}`;
}

/** As many whole characters as fit once they are escaped. */
function shortened(text: string, bytesMax: number): string {
  let escaped = '';
  for (const character of text) {
    const next = escaped + encodeURIComponent(character);
    if (next.length > bytesMax) break;
    escaped = next;
  }
  return escaped;
}
