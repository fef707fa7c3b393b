/** A WebSocket by hand: handshakes as no library would send them, frames with any bits, and a reader that can stop reading. */

import type { Socket } from 'node:net';
import { openSocket } from './raw-request.ts';
import { until } from './until.ts';

export const properHandshake = {
  upgrade: 'websocket',
  connection: 'Upgrade',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
} as const;

export interface RawFrame {
  readonly opcode: number;
  readonly final?: boolean;
  readonly masked?: boolean;
  readonly payload: string | Uint8Array;
}

/** With a mask of zeros, which is a mask all the same. */
export function frameBytes({ opcode, final = true, masked = true, payload }: RawFrame): Buffer {
  const body = Buffer.from(payload);
  const mark = masked ? 0x80 : 0;
  const first = (final ? 0x80 : 0) | opcode;
  let head = Buffer.from([first, mark | body.length]);
  if (body.length > 65_535) {
    head = Buffer.from([first, mark | 127, 0, 0, 0, 0, 0, 0, 0, 0]);
    head.writeUInt32BE(body.length, 6);
  } else if (body.length > 125) head = Buffer.from([first, mark | 126, body.length >> 8, body.length & 255]);
  return Buffer.concat([head, Buffer.alloc(masked ? 4 : 0), body]);
}

export class RawSocket {
  readonly socket: Socket;
  #pieces: Buffer[] = [];
  #closed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes: Buffer) => this.#pieces.push(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#closed = true;
    });
  }

  /** Sends the head and returns when its answer has come; of the headers, those without a value are left out. */
  static async open(
    url: string,
    path: string,
    headers: Readonly<Record<string, string | undefined>>,
    method = 'GET',
  ): Promise<RawSocket> {
    const self = new RawSocket(await openSocket(url));
    const lines = Object.entries({ host: 'weir', ...headers }).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}: ${value}\r\n`],
    );
    self.socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    await until(() => self.#closed || self.#received.includes('\r\n\r\n'), 60_000, 'the answer to the handshake');
    return self;
  }

  /** Joined only when read: there may be much of it. */
  get #received(): Buffer {
    if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0] ?? Buffer.alloc(0);
  }

  get head(): string {
    const received = this.#received;
    const end = received.indexOf('\r\n\r\n');
    return received.toString('latin1', 0, end === -1 ? received.length : end);
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(this.head)?.[1] ?? 0);
  }

  /** Everything after the head. */
  get body(): Buffer {
    return this.#received.subarray(this.head.length + 4);
  }

  get closed(): boolean {
    return this.#closed;
  }

  send(...frames: RawFrame[]): void {
    for (const frame of frames) this.socket.write(frameBytes(frame));
  }

  end(): void {
    this.socket.destroy();
  }
}
