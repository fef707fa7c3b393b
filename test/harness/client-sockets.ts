/** The server's side of a WebSocket between a handler that notes its calls and a socket that the test drives. */

import type { GatewayError } from '../../src/conversation/gateway-error.ts';
import { ClientSocket } from '../../src/http/websocket/client-socket.ts';
import type { Socket, SocketHandler } from '../../src/http/websocket/socket-handler.ts';
import { type FrameForm, frame } from './scripted-peer.ts';

export type Call = readonly [name: string, ...rest: unknown[]];

/** The runtime's socket: takes what it has room for, and reports a close from inside `terminate` as the runtime does. */
class FakeSocket {
  roomBytes = Number.POSITIVE_INFINITY;
  isClosed = false;
  isPaused = false;
  readonly calls: string[] = [];
  readonly sent: Buffer[] = [];
  onClose = (): void => undefined;

  write(data: Uint8Array, from: number, length: number): number {
    if (this.isClosed) return -1;
    if (this.calls.includes('shutdown')) throw new Error('written after the end');
    const taken = Math.min(length, this.roomBytes);
    this.roomBytes -= taken;
    this.sent.push(Buffer.from(data.subarray(from, from + taken)));
    return taken;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  shutdown(): void {
    this.calls.push('shutdown');
  }

  terminate(): void {
    this.calls.push('terminate');
    this.close();
  }

  close(): void {
    this.isClosed = true;
    this.onClose();
  }

  /** What a client reads, taken apart in the plainest way; a mask would be read as a length. */
  get frames(): Call[] {
    const read: Call[] = [];
    for (let rest = Buffer.concat(this.sent); rest.length > 0; ) {
      const [first = 0, short = 0] = rest;
      const start = short < 126 ? 2 : short === 126 ? 4 : 10;
      const length = start === 2 ? short : start === 4 ? rest.readUInt16BE(2) : Number(rest.readBigUInt64BE(2));
      const payload = rest.subarray(start, start + length);
      if (first === 0x88 && length > 0) read.push(['close', payload.readUInt16BE(0), payload.toString('utf8', 2)]);
      else read.push([frameNames[first] ?? 'another', payload.toString()]);
      rest = rest.subarray(start + length);
    }
    return read;
  }
}

const frameNames: Readonly<Record<number, string>> = { 129: 'text', 136: 'close', 137: 'ping', 138: 'pong' };
export const pongsOf = (raw: FakeSocket) =>
  raw.frames.filter(([name]) => name === 'pong').map(([, payload]) => payload);

interface Given {
  readonly messageBytesMax?: number;
  readonly backlogBytesMax?: number;
  readonly refusal?: GatewayError;
  /** What the handler does when it is called. */
  readonly on?: Partial<Record<'open' | 'message' | 'drained' | 'closed', (socket: Socket) => void>>;
}

export function connected(given: Given = {}) {
  const raw = new FakeSocket();
  const calls: Call[] = [];
  const reported: unknown[] = [];
  const on = given.on ?? {};
  const handler: SocketHandler = {
    open: (opened) => on.open?.(opened),
    message(text) {
      calls.push(['message', text]);
      on.message?.(socket);
    },
    drained() {
      calls.push(['drained']);
      on.drained?.(socket);
    },
    drain: () => undefined,
    closed(code, reason) {
      calls.push(['closed', code, reason]);
      on.closed?.(socket);
    },
  };
  const ends: ClientSocket[] = [];
  const socket: ClientSocket = new ClientSocket({
    socket: raw,
    handler,
    messageBytesMax: given.messageBytesMax ?? 1_000,
    backlogBytesMax: given.backlogBytesMax ?? 100_000,
    refusal: () => given.refusal,
    report: (error) => void reported.push(error),
    onEnd: (ended) => ends.push(ended),
  });
  raw.onClose = () => socket.lost();
  socket.open();
  return {
    raw,
    calls,
    ends,
    reported,
    socket,
    say: (...frames: Uint8Array[]) => socket.received(Buffer.concat(frames)),
    ticks(count: number): void {
      for (let tick = 0; tick < count; tick += 1) socket.tick();
    },
    drain(roomBytes = Number.POSITIVE_INFINITY): void {
      raw.roomBytes = roomBytes;
      socket.drained();
    },
  };
}

/** Of a client, with a mask of zeros: other masks are tested where frames are read. */
export const from = (opcode: number, payload: string | Uint8Array = '', form: FrameForm = {}) =>
  frame(opcode, payload, { ...form, masked: true });
export const text = (payload: string) => from(1, payload);
