/** The parts of a key that is more than one word: an access key with its secret, or a service account's key file. */

import { isObject } from '../conversation/json-tree.ts';

export interface AccessKey {
  readonly id: string;
  readonly secret: string;
  /** Comes with keys that are valid for a while only. */
  readonly sessionToken: string | undefined;
}

/** `ID:SECRET` or `ID:SECRET:SESSION-TOKEN`; anything else is no access key. */
export function readAccessKey(text: string): AccessKey | undefined {
  const [, id, secret, sessionToken] = /^(\w{16,128}):([^:\s]+)(?::([^:\s]+))?$/.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret, sessionToken };
}

/** An access key whose secret signs tokens of who is asking. */
export interface KeyPair {
  readonly id: string;
  readonly secret: string;
}

/** `ACCESS:SECRET`; anything else is no pair. */
export function readKeyPair(text: string): KeyPair | undefined {
  const [, id, secret] = /^([^:\s]{1,200}):([^:\s]{1,500})$/.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

export interface ServiceAccount {
  readonly email: string;
  /** PEM. */
  readonly privateKey: string;
  readonly privateKeyId: string | undefined;
  /** Where an assertion is exchanged for an access token. */
  readonly tokenUrl: string;
}

const usualTokenUrl = 'https://oauth2.googleapis.com/token';

export function readServiceAccount(text: string): ServiceAccount | undefined {
  const tree = readJson(text);
  const email = tree?.['client_email'];
  const privateKey = tree?.['private_key'];
  const privateKeyId = tree?.['private_key_id'];
  const tokenUrl = tree?.['token_uri'] ?? usualTokenUrl;
  if (typeof email !== 'string' || typeof privateKey !== 'string' || typeof tokenUrl !== 'string') return undefined;
  if (!privateKey.includes('PRIVATE KEY') || !/^https?:$/.test(URL.parse(tokenUrl)?.protocol ?? '')) return undefined;
  return { email, privateKey, privateKeyId: typeof privateKeyId === 'string' ? privateKeyId : undefined, tokenUrl };
}

/** A field of a key in JSON that is no secret, such as the project it belongs to. */
export function keyField(text: string, name: string): string | undefined {
  const value = readJson(text)?.[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function readJson(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const tree: unknown = JSON.parse(text);
    return isObject(tree) ? tree : undefined;
  } catch {
    return undefined;
  }
}

const secretCharactersMin = 8;

/** Everything in a key that must never be read in a log: a part of it is as secret as the whole. */
export function secretPartsOf(text: string): readonly string[] {
  const access = readAccessKey(text);
  if (access !== undefined)
    return [text, access.secret, ...(access.sessionToken === undefined ? [] : [access.sessionToken])];
  const account = readServiceAccount(text);
  if (account === undefined) {
    const secret = readKeyPair(text)?.secret ?? '';
    // Redacting a few letters would make every log unreadable; no secret is so short.
    return secret.length < secretCharactersMin ? [text] : [text, secret];
  }
  const body = account.privateKey.replace(/-----[^-]+-----/g, '').trim();
  return [text, account.privateKey, ...body.split(/\s+/)];
}

const secretName = /auth|key|token|secret|passw|cookie|credential|signature/i;

/** Header values go by their names and their looks; most say only who is calling. */
export function isSecretHeader(name: string, value: string): boolean {
  return secretName.test(name) || (value.length >= 16 && /^[\w.+/=-]+$/.test(value) && /\d/.test(value));
}
