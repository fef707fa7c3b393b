/** Writes the head of a request; nothing that a caller passes can end a line or begin another. */

import type { UpstreamRequest } from '../transport.ts';
import type { Route } from './origin.ts';

/** What no header value may hold: control characters other than the tab, and characters beyond one byte. */
const unfitForValue = /[^\t\x20-\x7e\x80-\xff]/;
const unfitForName = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;

interface CheckedHeaders {
  readonly authority: string | undefined;
  readonly lines: string;
}

/** What all heads with the same headers, route and method begin with. */
interface HeadStart {
  readonly route: Route;
  readonly method: UpstreamRequest['method'];
  readonly isLast: boolean;
  readonly text: string;
}

/** Callers send the same headers object again and again; one that is frozen cannot change, so its text is made once. */
const starts = new WeakMap<object, HeadStart>();

export function requestHead(request: UpstreamRequest, route: Route, bodyBytes: number | undefined): string {
  const { ownHeaders, method } = request;
  const start = startOf(request, route);
  const length = bodyBytes ?? (method === 'POST' ? 0 : undefined);
  const lengthLine = length === undefined ? '' : `content-length: ${length}\r\n`;
  return ownHeaders === undefined ? `${start}${lengthLine}\r\n` : `${start}${ownLines(ownHeaders)}${lengthLine}\r\n`;
}

function startOf({ headers, method, isLast = false }: UpstreamRequest, route: Route): string {
  const known = starts.get(headers);
  const isKnown = known?.route === route && known.method === method && known.isLast === isLast;
  if (isKnown) return known.text;
  const { authority = route.authority, lines } = checkedHeaders(headers);
  const connection = isLast ? 'close' : 'keep-alive';
  const text = `${method} ${route.target} HTTP/1.1\r\nhost: ${authority}\r\nconnection: ${connection}\r\n${lines}`;
  if (!Object.isFrozen(headers)) return text;
  // Through bytes, so that it is one string in memory: a joined one would be copied part by part for each head.
  const start = { route, method, isLast, text: Buffer.from(text, 'latin1').toString('latin1') };
  starts.set(headers, start);
  return start.text;
}

function ownLines(headers: Readonly<Record<string, string>>): string {
  let lines = '';
  for (const name in headers) lines += lineOf(name, headers[name] ?? '');
  return lines;
}

function lineOf(name: string, value: string): string {
  if (name === '' || unfitForName.test(name)) throw new TypeError(`${JSON.stringify(name)} is not a header's name.`);
  // The value itself may be a key and stays out of the message.
  if (unfitForValue.test(value)) throw new TypeError(`The header ${name} holds characters that no header may hold.`);
  return `${name}: ${value}\r\n`;
}

/** The lines of a head for these headers, without the framing headers, which the transport sets itself. */
export function checkedHeaders(headers: UpstreamRequest['headers']): CheckedHeaders {
  let authority: string | undefined;
  let lines = '';
  let asksEncoding = false;
  let asksType = false;
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || isFraming(name)) continue;
    const line = lineOf(name, value);
    if (name === 'host') authority = value;
    else lines += line;
    if (name === 'accept-encoding') asksEncoding = true;
    else if (name === 'accept') asksType = true;
  }
  if (!asksType) lines += 'accept: */*\r\n';
  if (!asksEncoding) lines += 'accept-encoding: identity\r\n';
  return { authority, lines };
}

/** Headers of the message's framing: only the transport knows their values. */
function isFraming(name: string): boolean {
  return (
    name === 'content-length' ||
    name === 'transfer-encoding' ||
    name === 'connection' ||
    name === 'keep-alive' ||
    name === 'expect' ||
    name === 'upgrade'
  );
}
