/** A raw-socket HTTP/1.1 keep-alive client: the load generator must cost less than what it measures, and must see every byte. */

import type { Socket } from 'bun';

/** The result of one exchange. */
export interface Exchange {
  status: number;
  bodyBytes: number;
  /** Blank-line ends in the body, which is the number of SSE events of a stream. */
  events: number;
  reads: number;
  /** False when the connection closed before the reply was whole. */
  complete: boolean;
}

type Framing = 'length' | 'chunked';

/** One connection that carries one exchange at a time; `open` connects, `send` resolves when the reply is whole. */
export class Connection {
  private socket: Socket<undefined> | undefined;
  private head = '';
  private inBody = false;
  private framing: Framing = 'length';
  private bytesLeft = 0;
  private chunkLine = '';
  private chunkTailLeft = 0;
  private lastByte = 0;
  private exchange: Exchange = emptyExchange();
  private finish: ((exchange: Exchange) => void) | undefined;
  private closed = false;

  /** Called after each read, with the number of events seen so far in this reply. */
  onProgress: ((events: number) => void) | undefined;

  async open(port: number): Promise<void> {
    this.socket = await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        open: (socket) => {
          socket.setNoDelay(true);
        },
        data: (_socket, bytes) => this.read(bytes),
        close: () => this.breakOff(),
        error: () => this.breakOff(),
      },
    });
  }

  send(request: string | Buffer): Promise<Exchange> {
    this.exchange = emptyExchange();
    this.head = '';
    this.inBody = false;
    const reply = new Promise<Exchange>((resolve) => {
      this.finish = resolve;
    });
    if (this.closed || !this.socket) this.breakOff();
    else this.socket.write(request);
    return reply;
  }

  close(): void {
    this.socket?.end();
  }

  private breakOff(): void {
    this.closed = true;
    this.end(false);
  }

  private end(complete: boolean): void {
    const finish = this.finish;
    if (!finish) return;
    this.finish = undefined;
    this.exchange.complete = complete;
    finish(this.exchange);
  }

  private read(bytes: Buffer): void {
    let offset = 0;
    this.exchange.reads += 1;
    if (!this.inBody) {
      const carried = this.head.length;
      this.head += bytes.toString('latin1');
      const headEnd = this.head.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      offset = headEnd + 4 - carried;
      this.startBody(this.head.slice(0, headEnd));
    }
    if (this.framing === 'length') this.readLength(bytes, offset);
    else this.readChunked(bytes, offset);
    this.onProgress?.(this.exchange.events);
  }

  private startBody(head: string): void {
    this.inBody = true;
    this.exchange.status = Number(head.slice(9, 12));
    this.lastByte = 0;
    this.framing = /\r\ntransfer-encoding: *chunked/i.test(head) ? 'chunked' : 'length';
    this.bytesLeft = this.framing === 'length' ? Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0) : 0;
    this.chunkLine = '';
    this.chunkTailLeft = 0;
  }

  private readLength(bytes: Buffer, offset: number): void {
    const count = Math.min(this.bytesLeft, bytes.length - offset);
    this.take(bytes, offset, offset + count);
    this.bytesLeft -= count;
    if (this.bytesLeft === 0) this.end(true);
  }

  private readChunked(bytes: Buffer, start: number): void {
    let offset = start;
    while (offset < bytes.length) {
      if (this.bytesLeft > 0) {
        const count = Math.min(this.bytesLeft, bytes.length - offset);
        this.take(bytes, offset, offset + count);
        this.bytesLeft -= count;
        offset += count;
        if (this.bytesLeft === 0) this.chunkTailLeft = 2;
      } else if (this.chunkTailLeft > 0) {
        const count = Math.min(this.chunkTailLeft, bytes.length - offset);
        this.chunkTailLeft -= count;
        offset += count;
      } else {
        const lineEnd = bytes.indexOf(10, offset);
        this.chunkLine += bytes.toString('latin1', offset, lineEnd < 0 ? bytes.length : lineEnd + 1);
        if (lineEnd < 0) return;
        offset = lineEnd + 1;
        // The line after the chunk of size 0 is empty, and only that one is.
        if (this.chunkLine === '\r\n') {
          this.end(true);
          return;
        }
        this.bytesLeft = Number.parseInt(this.chunkLine, 16);
        this.chunkLine = '';
      }
    }
  }

  private take(bytes: Buffer, start: number, end: number): void {
    this.exchange.bodyBytes += end - start;
    let from = start;
    if (this.lastByte === 10 && bytes[start] === 10) {
      this.exchange.events += 1;
      from = start + 1;
    }
    for (;;) {
      const at = bytes.indexOf('\n\n', from, 'latin1');
      if (at < 0 || at + 2 > end) break;
      this.exchange.events += 1;
      from = at + 2;
    }
    if (end > start) this.lastByte = from === end ? 0 : (bytes[end - 1] ?? 0);
  }
}

function emptyExchange(): Exchange {
  return { status: 0, bodyBytes: 0, events: 0, reads: 0, complete: false };
}

/** Whom a request is sent to, and as whom. */
export interface Sender {
  readonly port: number;
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A request as the bytes of one write. */
export function postRequest({ port, token, headers }: Sender, path: string, body: string): Buffer {
  const further = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n${further.join('')}` +
      `content-type: application/json\r\naccept: application/json\r\nuser-agent: weir-bench\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
