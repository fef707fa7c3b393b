/**
 * A server for the tests of this folder that does the handshake of its script and then sends the bytes
 * that a test gives it.
 */

import type { Socket, TLSOptions } from 'bun';
import { acceptFor } from '../../src/framing/websocket/accept-key.ts';

export interface ReceivedFrame {
  readonly opcode: number;
  readonly final: boolean;
  readonly masked: boolean;
  readonly payload: Buffer;
}

export interface Peer {
  /** The head of the request. */
  readonly head: string;
  readonly frames: ReceivedFrame[];
  readonly gone: boolean;
  readonly socket: Socket<unknown>;
  send(...pieces: (string | Uint8Array)[]): void;
}

export interface PeerServer {
  readonly url: string;
  readonly port: number;
  readonly peers: readonly Peer[];
  readonly open: number;
  stop(): void;
}

/** What the server answers to a request whose right answer would hold this `accept`. Empty: nothing. */
export type Answer = (accept: string, head: string) => string;

export const agree: Answer = (accept) =>
  `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;

class ScriptedPeer implements Peer {
  head = '';
  readonly frames: ReceivedFrame[] = [];
  gone = false;
  readonly socket: Socket<unknown>;
  unread: Buffer = Buffer.alloc(0);

  constructor(socket: Socket<unknown>) {
    this.socket = socket;
  }

  send(...pieces: (string | Uint8Array)[]): void {
    this.socket.write(Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))));
  }

  takeFrames(): void {
    for (;;) {
      const taken = readClientFrame(this.unread);
      if (taken === undefined) return;
      this.unread = this.unread.subarray(taken.bytes);
      this.frames.push(taken.frame);
    }
  }
}

export function startPeer(answer: Answer = agree, connected?: (peer: Peer) => void, tls?: TLSOptions): PeerServer {
  const peers: ScriptedPeer[] = [];
  const of = new Map<Socket<unknown>, ScriptedPeer>();
  const listener = Bun.listen<unknown>({
    hostname: '127.0.0.1',
    port: 0,
    ...(tls !== undefined && { tls }),
    socket: {
      open(socket) {
        const peer = new ScriptedPeer(socket);
        peers.push(peer);
        of.set(socket, peer);
      },
      data(socket, bytes) {
        const peer = of.get(socket);
        if (peer === undefined) return;
        peer.unread = Buffer.concat([peer.unread, bytes]);
        if (peer.head === '') {
          const end = peer.unread.indexOf('\r\n\r\n');
          if (end < 0) return;
          peer.head = peer.unread.toString('latin1', 0, end);
          peer.unread = peer.unread.subarray(end + 4);
          const key = /^sec-websocket-key: (.*)$/im.exec(peer.head)?.[1]?.trim() ?? '';
          socket.write(Buffer.from(answer(acceptFor(key), peer.head)));
          connected?.(peer);
        }
        peer.takeFrames();
      },
      close(socket) {
        const peer = of.get(socket);
        if (peer !== undefined) peer.gone = true;
      },
      error() {},
    },
  });
  return {
    url: `ws${tls === undefined ? '' : 's'}://127.0.0.1:${listener.port}/v1/realtime?model=m`,
    port: listener.port,
    peers,
    get open() {
      return peers.filter(({ gone }) => !gone).length;
    },
    stop: () => listener.stop(true),
  };
}

function readClientFrame(bytes: Buffer): { frame: ReceivedFrame; bytes: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1) & 0x7f;
  const masked = bytes.readUInt8(1) >= 0x80;
  const extended = short === 126 ? 2 : short === 127 ? 8 : 0;
  const start = 2 + extended + (masked ? 4 : 0);
  if (bytes.length < start) return undefined;
  const length = extended === 0 ? short : extended === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (bytes.length < start + length) return undefined;
  const payload = Buffer.from(bytes.subarray(start, start + length));
  if (masked) {
    const key = bytes.subarray(start - 4, start);
    for (let at = 0; at < length; at += 1) payload[at] = (payload[at] ?? 0) ^ (key[at % 4] ?? 0);
  }
  const first = bytes.readUInt8(0);
  return { frame: { opcode: first & 0x0f, final: first >= 0x80, masked, payload }, bytes: start + length };
}

export interface FrameForm {
  /** 1 unless it is a part with more to come. */
  readonly final?: boolean;
  readonly reserved?: number;
  readonly masked?: boolean;
}

/** A frame of a server, written in the plainest way. */
export function frame(opcode: number, payload: string | Uint8Array = '', form: FrameForm = {}): Buffer {
  const body = Buffer.from(payload as Uint8Array);
  const first = (form.final === false ? 0 : 0x80) | ((form.reserved ?? 0) << 4) | opcode;
  const mask = form.masked === true ? 0x80 : 0;
  const { length } = body;
  let header: number[];
  if (length < 126) header = [first, mask | length];
  else if (length < 65_536) header = [first, mask | 126, length >> 8, length & 0xff];
  else {
    const long = Buffer.alloc(8);
    long.writeBigUInt64BE(BigInt(length));
    header = [first, mask | 127, ...long];
  }
  return Buffer.concat([Buffer.from(header), Buffer.alloc(mask === 0 ? 0 : 4), body]);
}

/** The payload of a close frame, legal or not. */
export function closing(code: number, reason: string | Uint8Array = ''): Buffer {
  return Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason as Uint8Array)]);
}
