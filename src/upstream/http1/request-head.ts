/** Writes the head of a request; nothing that a caller passes can end a line or begin another. */

import type { UpstreamRequest } from '../transport.ts';
import type { Route } from './origin.ts';

/** What no header value may hold: control characters other than the tab, and what one byte cannot spell. */
const unfitForValue = /[^\t\x20-\x7e\x80-\xff]/;
const unfitForName = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;

export function requestHead(request: UpstreamRequest, route: Route, bodyBytes: number | undefined): string {
  const { headers, method } = request;
  let authority = route.authority;
  let lines = '';
  let asksEncoding = false;
  let asksType = false;
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || isFraming(name)) continue;
    if (name === '' || unfitForName.test(name)) throw new TypeError(`${JSON.stringify(name)} is not a header's name.`);
    // The value itself may be a key and stays out of the message.
    if (unfitForValue.test(value)) throw new TypeError(`The header ${name} holds characters that no header may hold.`);
    if (name === 'host') authority = value;
    else lines += `${name}: ${value}\r\n`;
    if (name === 'accept-encoding') asksEncoding = true;
    else if (name === 'accept') asksType = true;
  }
  if (!asksType) lines += 'accept: */*\r\n';
  if (!asksEncoding) lines += 'accept-encoding: identity\r\n';
  if (bodyBytes !== undefined) lines += `content-length: ${bodyBytes}\r\n`;
  else if (method === 'POST') lines += 'content-length: 0\r\n';
  return `${method} ${route.target} HTTP/1.1\r\nhost: ${authority}\r\nconnection: keep-alive\r\n${lines}\r\n`;
}

/** Headers that say how the message itself is cut: only whoever writes the message knows them. */
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
