/** Signature Version 4: proves with an access key that a request is ours, without sending the secret. Pure; the time is handed in. */

import { createHash, createHmac } from 'node:crypto';
import type { AccessKey } from '../key-forms.ts';

interface SignedService {
  readonly region: string;
  readonly service: string;
}

export interface UnsignedRequest {
  readonly method: string;
  /** As the request line will spell it: percent-encoded once. */
  readonly url: string;
  /** Headers that the signature covers, names in lower case; `host` and those of the signature are added. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string | undefined;
}

const algorithm = 'AWS4-HMAC-SHA256';

/** The headers that make the request a signed one. */
export function signRequest(
  request: UnsignedRequest,
  key: AccessKey,
  { region, service }: SignedService,
  timeMs: number,
): Record<string, string> {
  const url = new URL(request.url);
  const time = new Date(timeMs).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const date = time.slice(0, 8);
  const added = {
    'x-amz-date': time,
    ...(key.sessionToken !== undefined && { 'x-amz-security-token': key.sessionToken }),
  };
  const headers = Object.entries({ host: url.host, ...request.headers, ...added }).sort(byName);
  const names = headers.map(([name]) => name).join(';');
  const canonical = [
    request.method,
    canonicalPath(url.pathname),
    canonicalQuery(url.search),
    ...headers.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}`),
    '',
    names,
    sha256(request.body ?? ''),
  ].join('\n');
  const scope = `${date}/${region}/${service}/aws4_request`;
  const signingKey = [date, region, service, 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => hmac(secret, part),
    `AWS4${key.secret}`,
  );
  const signature = hmac(signingKey, `${algorithm}\n${time}\n${scope}\n${sha256(canonical)}`).toString('hex');
  return {
    ...added,
    authorization: `${algorithm} Credential=${key.id}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** Every segment is encoded once more than on the wire; only the object store does without. */
function canonicalPath(path: string): string {
  return path.split('/').map(encode).join('/');
}

function canonicalQuery(search: string): string {
  if (search.length < 2) return '';
  return search
    .slice(1)
    .split('&')
    .map((pair): [string, string] => {
      const at = pair.indexOf('=');
      return at === -1 ? [recoded(pair), ''] : [recoded(pair.slice(0, at)), recoded(pair.slice(at + 1))];
    })
    .sort(([nameA, valueA], [nameB, valueB]) => inOrder(nameA, nameB) || inOrder(valueA, valueB))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** One spelling for a query that has several. */
function recoded(text: string): string {
  try {
    return encode(decodeURIComponent(text));
  } catch {
    return encode(text);
  }
}

/** Everything but letters, digits, dash, dot, underscore and tilde. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return inOrder(a, b);
}

/** By code point: a language's own order would differ between machines. */
function inOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
