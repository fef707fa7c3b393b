/**
 * A WebSocket that stands. Messages are told in their order and only while somebody wants them; the end is told once, after them, and
 * never from inside a call of the caller. Before the first `resume` nothing is told at all.
 */

import type { Writable } from '../http1/body-pump.ts';
import type { SocketListener, UpstreamSocket } from '../socket-transport.ts';
import { brokenOff, closePayload, noCodeGiven } from './close-codes.ts';
import { FrameWriter } from './frame-writer.ts';
import { FrameFault, FrameReader, type FrameSink, opcodes } from './frames.ts';

export interface OpenSocketOptions {
  /** A connection that is silent for so long is asked whether it still stands. */
  readonly pingEveryMs: number;
  /** How long the other side may take to answer a close, and to hang up after it. */
  readonly closeTimeoutMs: number;
}

/** The part of the runtime's socket that is needed here. */
interface RawSocket extends Writable {
  pause(): void;
  resume(): void;
  terminate(): void;
}

interface Agreed {
  readonly socket: RawSocket;
  readonly protocol: string;
  readonly listener: SocketListener;
  readonly messageBytesMax: number;
}

interface Ending {
  readonly code: number;
  readonly reason: string;
}

/** Silence is noticed after one period and asked about; the answer has two more. */
const silentPeriodsMax = 2;
const none = new Uint8Array(0);

export class OpenSocket implements UpstreamSocket, FrameSink {
  readonly protocol: string;
  readonly #listener: SocketListener;
  readonly #options: OpenSocketOptions;
  readonly #reader: FrameReader;
  readonly #writer: FrameWriter;
  readonly #pinger: Timer;
  /** Undefined when it is gone. After the end it may stand a little longer, until the other side hangs up. */
  #socket: RawSocket | undefined;
  #state: 'open' | 'closing' | 'over' = 'open';
  #started = false;
  #paused = true;
  /** Messages that arrived with the last read before a pause took effect. */
  #held: (string | Uint8Array)[] = [];
  #ending: Ending | undefined;
  #tellDue = false;
  #heard = true;
  #silentPeriods = 0;
  /** The last ping that came while the socket took nothing: a server that only asks must not fill our memory. */
  #pongDue: Uint8Array | undefined;
  #timer: Timer | undefined;

  constructor({ socket, protocol, listener, messageBytesMax }: Agreed, options: OpenSocketOptions) {
    this.protocol = protocol;
    this.#socket = socket;
    this.#listener = listener;
    this.#options = options;
    this.#reader = new FrameReader(this, messageBytesMax);
    this.#writer = new FrameWriter(socket);
    this.#pinger = setInterval(() => this.#watch(), options.pingEveryMs);
    socket.pause();
  }

  // What the caller asks.

  send(text: string): void {
    if (this.#state === 'open') this.#writer.send(opcodes.text, text);
  }

  get bufferedBytes(): number {
    return this.#writer.bufferedBytes;
  }

  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    // After the end the socket is only read to see it go.
    if (this.#state !== 'over') this.#socket?.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#started = true;
    this.#paused = false;
    // Nothing could be heard meanwhile; that was not the other side's silence.
    this.#heard = true;
    this.#socket?.resume();
    this.#tellSoon();
  }

  /** While it is paused the answer is not seen either: then the time it has ends it. */
  close(code: number, reason: string): void {
    if (this.#state !== 'open') return;
    this.#started = true;
    this.#state = 'closing';
    this.#writer.send(opcodes.close, closePayload(code, reason));
    this.#timer = setTimeout(() => this.terminate(), this.#options.closeTimeoutMs);
  }

  terminate(): void {
    this.#started = true;
    this.#held = [];
    if (this.#state !== 'over') this.#end(brokenOff, '');
    this.#hangUp();
    this.#tellSoon();
  }

  // What the socket reports.

  received(bytes: Uint8Array): void {
    if (this.#state === 'over') return;
    this.#heard = true;
    try {
      this.#reader.take(bytes);
    } catch (error) {
      if (!(error instanceof FrameFault)) throw error;
      if (this.#state === 'open') this.#writer.send(opcodes.close, closePayload(error.closeCode, error.message));
      this.#end(error.closeCode, error.message);
    }
  }

  drained(): void {
    if (!this.#writer.drained()) return;
    const pong = this.#pongDue;
    this.#pongDue = undefined;
    if (this.#state !== 'open') return;
    if (pong !== undefined) this.#writer.send(opcodes.pong, pong);
    if (this.#started) this.#listener.drained();
  }

  lost(): void {
    this.#socket = undefined;
    this.#writer.forget();
    clearTimeout(this.#timer);
    if (this.#state !== 'over') this.#end(brokenOff, '');
  }

  // What the frames say.

  message(message: string | Uint8Array): void {
    if (this.#paused || this.#held.length > 0) this.#held.push(message);
    else this.#listener.message(message);
  }

  ping(payload: Uint8Array): void {
    if (this.#state !== 'open') return;
    if (this.#writer.bufferedBytes === 0) this.#writer.send(opcodes.pong, payload);
    else this.#pongDue = payload;
  }

  pong(): void {
    // It has been heard; that is all it is for.
  }

  closeFrame(code: number, reason: string): void {
    if (this.#state === 'open') {
      this.#writer.send(opcodes.close, code === noCodeGiven ? none : closePayload(code, reason));
    }
    this.#end(code, reason);
  }

  /** Once a period: was anything heard? */
  #watch(): void {
    if (this.#heard || this.#paused) {
      this.#silentPeriods = 0;
      this.#heard = false;
    } else this.#silentPeriods += 1;
    if (this.#silentPeriods > silentPeriodsMax) this.terminate();
    // Also while nobody listens: the way to the server must not fall asleep.
    else if ((this.#silentPeriods > 0 || this.#paused) && this.#state === 'open' && this.#writer.bufferedBytes === 0) {
      this.#writer.send(opcodes.ping, none);
    }
  }

  /** Nothing is sent or read any more. The server is left a moment to hang up first: what it has not read yet would be lost with us. */
  #end(code: number, reason: string): void {
    this.#state = 'over';
    this.#ending = { code, reason };
    this.#pongDue = undefined;
    this.#reader.stop();
    clearInterval(this.#pinger);
    clearTimeout(this.#timer);
    if (this.#socket !== undefined) {
      this.#socket.resume();
      this.#timer = setTimeout(() => this.#hangUp(), this.#options.closeTimeoutMs);
    }
    this.#tellSoon();
  }

  #hangUp(): void {
    const socket = this.#socket;
    this.lost();
    socket?.terminate();
  }

  #tellSoon(): void {
    if (this.#tellDue) return;
    this.#tellDue = true;
    queueMicrotask(() => this.#tell());
  }

  #tell(): void {
    this.#tellDue = false;
    let told = 0;
    while (!this.#paused && told < this.#held.length) {
      const message = this.#held[told];
      told += 1;
      if (message !== undefined) this.#listener.message(message);
    }
    if (told > 0) this.#held.splice(0, told);
    const ending = this.#ending;
    if (ending === undefined || this.#held.length > 0 || !this.#started) return;
    this.#ending = undefined;
    this.#listener.closed(ending.code, ending.reason);
  }
}
