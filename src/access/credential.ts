/** Finds the caller's credential wherever a client library puts it; endpoints only name the places that they accept. */

import { GatewayError } from '../conversation/gateway-error.ts';

export type Carrier = 'bearer' | 'x-api-key' | 'api-key' | 'x-goog-api-key' | 'query-key' | 'subprotocol';

export interface HeaderReader {
  get(name: string): string | null | undefined;
}

/** The sub-protocol by which browsers send a key, since they cannot set headers on a socket. */
export const credentialSubprotocol = 'openai-insecure-api-key.';

const spelling: Readonly<Record<Carrier, string>> = {
  bearer: '`Authorization: Bearer <token>`',
  'x-api-key': '`x-api-key: <token>`',
  'api-key': '`api-key: <token>`',
  'x-goog-api-key': '`x-goog-api-key: <token>`',
  'query-key': '`?key=<token>`',
  subprotocol: `the sub-protocol \`${credentialSubprotocol}<token>\``,
};

/** Where a credential may be besides the Authorization header. */
const places = ['x-api-key', 'x-goog-api-key', 'query-key', 'subprotocol', 'api-key'] as const;

/**
 * `Authorization: Bearer` counts everywhere; the other carriers only where they are listed. All known carriers are
 * compared, also where they do not count: a proxy before Weir may have checked another one.
 */
export function readCredential(headers: HeaderReader, query: string, carriers: readonly Carrier[]): string {
  const authorization = headers.get('authorization');
  let found = authorization ? bearerIn(authorization) : '';
  let counts = found !== '';
  for (const place of places) {
    const given = credentialIn(place, headers, query);
    if (given === '') continue;
    found = oneOf(found, given);
    counts ||= carriers.includes(place);
  }
  if (!counts) throw missing(authorization, carriers);
  return found;
}

function credentialIn(place: (typeof places)[number], headers: HeaderReader, query: string): string {
  switch (place) {
    case 'x-api-key':
    case 'api-key':
    case 'x-goog-api-key':
      return headers.get(place)?.trim() ?? '';
    case 'query-key':
      return query.length > 1 ? keyInQuery(query) : '';
    case 'subprotocol':
      return keyInSubprotocols(headers.get('sec-websocket-protocol'));
  }
}

function oneOf(first: string, second: string): string {
  if (second === '' || first === second) return first;
  if (first === '') return second;
  throw new GatewayError('credentials_conflict', 'The request has two different credentials. Send only one.');
}

const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x09;

/** The credential of a bearer header, `''` if the scheme is another one or nothing follows it. */
function bearerIn(header: string): string {
  const text = header.trim();
  if (text.length < 8 || !isBlank(text.charCodeAt(6)) || text.slice(0, 6).toLowerCase() !== 'bearer') return '';
  let start = 7;
  while (isBlank(text.charCodeAt(start))) start++;
  return text.slice(start);
}

function keyInQuery(query: string): string {
  let found = '';
  const text = query.charCodeAt(0) === 0x3f ? query.slice(1) : query;
  for (const pair of text.split('&')) {
    const equals = pair.indexOf('=');
    if (equals === -1 || decoded(pair.slice(0, equals)) !== 'key') continue;
    found = oneOf(found, decoded(pair.slice(equals + 1)));
  }
  return found;
}

/** A `+` stays a plus: a token cannot hold a space, and plain HTTP callers paste theirs unescaped. */
function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function keyInSubprotocols(header: string | null | undefined): string {
  if (!header) return '';
  let found = '';
  for (const entry of header.split(',')) {
    const name = entry.trim();
    if (name.startsWith(credentialSubprotocol)) found = oneOf(found, name.slice(credentialSubprotocol.length));
  }
  return found;
}

function missing(authorization: string | null | undefined, carriers: readonly Carrier[]): GatewayError {
  const places = [spelling.bearer];
  for (const carrier of carriers) if (carrier !== 'bearer') places.push(spelling[carrier]);
  const choices = `${places.join(' or ')}.`;
  const scheme = authorization?.trim().split(/[ \t]/, 1)[0]?.toLowerCase();
  if (!scheme) return new GatewayError('token_missing', `The request has no token: send ${choices}`);
  if (scheme === 'bearer') {
    return new GatewayError('token_missing', `The Authorization header has no token. Send ${choices}`);
  }
  return new GatewayError('token_missing', `The Authorization header does not use the Bearer scheme. Send ${choices}`);
}
