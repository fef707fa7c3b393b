/** Writes HTTP by hand, for everything that a well-behaved client library would never send. */

import { connect, type Socket } from 'node:net';
import type { Target } from './chat.ts';

export interface RawReply {
  /** Everything the server sent until it closed, or until the reply was complete. */
  readonly text: string;
  readonly status: number;
  readonly closed: boolean;
}

export function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Sends the pieces and reads until the server closes or the reply is complete; `boundMs` limits both. */
export async function rawRequest(
  url: string,
  pieces: readonly (string | Buffer)[],
  boundMs = 240_000,
): Promise<RawReply> {
  const socket = await openSocket(url);
  const parts: Buffer[] = [];
  let wanted = Number.NaN;
  let received = 0;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.on('data', (bytes: Buffer) => {
    parts.push(bytes);
    received += bytes.length;
    if (Number.isNaN(wanted)) wanted = lengthOf(Buffer.concat(parts).toString('latin1'));
    const isChunkedEnd = wanted === Number.POSITIVE_INFINITY && bytes.toString('latin1').endsWith('0\r\n\r\n');
    if (received >= wanted || isChunkedEnd) resolve(false);
  });
  socket.on('error', () => resolve(true));
  socket.on('close', () => resolve(true));
  const timer = setTimeout(() => resolve(false), boundMs);
  for (const piece of pieces) socket.write(piece);
  const closed = await promise;
  clearTimeout(timer);
  socket.destroy();
  const text = Buffer.concat(parts).toString('utf8');
  return { text, closed, status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0) };
}

/** A chat request of its own connection: hundreds at once, which a client library's pool would hold back. */
export function rawChat(target: Target, body: unknown, boundMs = 240_000): Promise<RawReply> {
  return rawRequest(target.base, [chatHead(target, JSON.stringify(body))], boundMs);
}

export function chatHead(target: Target, body: string): string {
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    'host: weir',
    `authorization: Bearer ${target.token}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Bytes of the whole reply: not a number until its head is there, infinite where it is chunked. */
function lengthOf(text: string): number {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return Number.NaN;
  // What follows is another protocol.
  if (text.startsWith('HTTP/1.1 101')) return headEnd + 4;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, headEnd))?.[1];
  return length === undefined ? Number.POSITIVE_INFINITY : headEnd + 4 + Number(length);
}
