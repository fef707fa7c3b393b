/** The format of a gateway token: recognizable, checkable without a database, and stored only as a keyed digest. */

import { GatewayError } from '../conversation/gateway-error.ts';

const tokenPrefix = 'weir_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretBytes = 32;
/** 62^43 is the first power of 62 above 2^256. */
const secretLength = 43;
/** 62^6 is the first power of 62 above 2^32. */
const checksumLength = 6;
export const tokenLength = tokenPrefix.length + secretLength + checksumLength;

/** Limits for a token that the operator chose instead of one that Weir generated. */
const foreignTokenLengthMin = 20;
const foreignTokenLengthMax = 512;

const hintLength = 9;

function base62(value: bigint, width: number): string {
  let text = '';
  for (let rest = value; text.length < width; rest /= 62n) text = alphabet.charAt(Number(rest % 62n)) + text;
  return text;
}

function checksumOf(text: string): string {
  let rest = Bun.hash.crc32(text) >>> 0;
  let checksum = '';
  while (checksum.length < checksumLength) {
    checksum = alphabet.charAt(rest % 62) + checksum;
    rest = Math.floor(rest / 62);
  }
  return checksum;
}

/** A new token from 256 random bits. Only tests pass `random`. */
export function mintToken(random?: Uint8Array): string {
  return mint(tokenPrefix, random);
}

function mint(prefix: string, random: Uint8Array = crypto.getRandomValues(new Uint8Array(secretBytes))): string {
  let value = 0n;
  for (const byte of random) value = (value << 8n) | BigInt(byte);
  const body = prefix + base62(value, secretLength);
  return body + checksumOf(body);
}

export const adminKeyPrefix = 'weir_admin_';
const adminKeyLength = adminKeyPrefix.length + secretLength + checksumLength;

/** A new key for the admin API, of the same form as a token. */
export const mintAdminKey = (): string => mint(adminKeyPrefix);

/** Whether the text can be an admin key, without a database. */
export const isAdminKey = (text: string): boolean =>
  text.startsWith(adminKeyPrefix) && text.length === adminKeyLength && hasChecksum(text);

const hasChecksum = (text: string): boolean =>
  checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength);

function isVisibleAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x21 || unit > 0x7e) return false;
  }
  return true;
}

/** Why the text cannot be a token, or `undefined`. The message never quotes the text. */
export function shapeFault(text: string): string | undefined {
  if (text.startsWith(adminKeyPrefix) && text.length !== tokenLength) {
    return 'This is an admin key, which works under `/admin/v1` only. Models are called with a token.';
  }
  if (text.startsWith(tokenPrefix)) {
    if (text.length !== tokenLength) {
      return `The token has ${text.length} characters instead of ${tokenLength}. Check that you pasted all of it.`;
    }
    if (!hasChecksum(text)) {
      return 'The token fails its checksum: a character was changed. Copy it again.';
    }
    return undefined;
  }
  if (text.length < foreignTokenLengthMin || text.length > foreignTokenLengthMax) {
    return `This is not a Weir token: its length is ${text.length}. Weir tokens start with \`${tokenPrefix}\`.`;
  }
  if (!isVisibleAscii(text))
    return 'This is not a Weir token: it contains spaces or characters other than visible ASCII.';
  return undefined;
}

export function checkShape(text: string): void {
  const fault = shapeFault(text);
  if (fault !== undefined) throw new GatewayError('token_malformed', fault);
}

/** The characters by which people recognize a token; of a token that the operator chose, fewer are shown. */
export function hintOf(token: string): string {
  const shown = token.startsWith(tokenPrefix) ? hintLength : 4;
  return `${token.slice(0, shown)}…`;
}
