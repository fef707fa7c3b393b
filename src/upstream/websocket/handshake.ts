/** The upgrade request for a WebSocket, and the check that the answer belongs to this request. */

import { acceptFor } from '../../framing/websocket/accept-key.ts';
import { type Route, readRoute } from '../http1/origin.ts';
import { headerOf } from '../http1/reply-head.ts';
import { checkedHeaders } from '../http1/request-head.ts';
import type { SocketRequest } from '../socket-transport.ts';

/** The server accepted, but with terms that were not offered. */
export class HandshakeError extends Error {
  readonly code = 'ERR_WEBSOCKET_HANDSHAKE';
  constructor(message: string) {
    super(message);
    this.name = 'HandshakeError';
  }
}

export interface Handshake {
  readonly route: Route;
  /** The whole head of the request. */
  readonly head: string;
  /** The `sec-websocket-accept` that the answer must carry. */
  readonly accept: string;
  readonly protocols: readonly string[];
}

const unfitForToken = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;

/** Throws a TypeError where the request cannot be written. No message holds a header's value, a protocol or a URL: they may hold keys. */
export function beginHandshake(request: SocketRequest): Handshake {
  const { protocols } = request;
  const route = readSocketRoute(request.url);
  if (protocols.some((protocol) => protocol === '' || unfitForToken.test(protocol))) {
    throw new TypeError('A sub-protocol is empty or holds characters that none may hold.');
  }
  const { authority = route.authority, lines } = checkedHeaders(withoutHandshake(request.headers));
  const key = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');
  const protocolLine = protocols.length === 0 ? '' : `sec-websocket-protocol: ${protocols.join(', ')}\r\n`;
  const head =
    `GET ${route.target} HTTP/1.1\r\nhost: ${authority}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
    `sec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n${protocolLine}${lines}\r\n`;
  return { route, head, accept: acceptFor(key), protocols };
}

/** Reads the head of an answer with status 101 and returns the chosen sub-protocol, or `''`. */
export function readAgreement(head: string, { accept, protocols }: Handshake): string {
  if (headerOf(head, 'upgrade')?.toLowerCase() !== 'websocket') {
    throw new HandshakeError('The server switched to another protocol than WebSocket.');
  }
  const connection = headerOf(head, 'connection')?.toLowerCase() ?? '';
  if (!connection.split(',').some((word) => word.trim() === 'upgrade')) {
    throw new HandshakeError('The server’s answer does not upgrade the connection.');
  }
  if (headerOf(head, 'sec-websocket-accept') !== accept) {
    throw new HandshakeError('The server’s answer does not belong to the request.');
  }
  if ((headerOf(head, 'sec-websocket-extensions') ?? '') !== '') {
    throw new HandshakeError('The server chose an extension that was not offered.');
  }
  const protocol = headerOf(head, 'sec-websocket-protocol') ?? '';
  if (protocol !== '' && !protocols.includes(protocol)) {
    throw new HandshakeError('The server chose a sub-protocol that was not offered.');
  }
  return protocol;
}

function readSocketRoute(url: string): Route {
  // The runtime's own error would quote the URL.
  if (!URL.canParse(url)) throw new TypeError('A WebSocket needs a valid URL.');
  const { protocol } = new URL(url);
  if (protocol !== 'ws:' && protocol !== 'wss:') throw new TypeError(`${protocol} is not a scheme of WebSocket.`);
  return readRoute(url.trimStart().replace(/^ws/i, 'http'));
}

/** The handshake's own headers are written here and nowhere else. */
function withoutHandshake(headers: SocketRequest['headers']): SocketRequest['headers'] {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.toLowerCase().startsWith('sec-websocket-')),
  );
}
