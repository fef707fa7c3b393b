/**
 * An open WebSocket. Messages are delivered in order and only while it is not paused; the end is reported once, after
 * them, and never from inside a call of the caller. Before the first `resume` nothing is delivered.
 */

import { brokenOff, closePayload, noCodeGiven } from '../../framing/websocket/close-codes.ts';
import { FrameWriter } from '../../framing/websocket/frame-writer.ts';
import { FrameFault, FrameReader, type FrameSink, opcodes } from '../../framing/websocket/frames.ts';
import type { Writable } from '../../framing/writable.ts';
import type { SocketListener, UpstreamSocket } from '../socket-transport.ts';

export interface OpenSocketOptions {
  /** A connection that is silent for so long is pinged. */
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

/** A ping is sent after one silent period; the answer may take two more. */
const silentPeriodsMax = 2;
const none = new Uint8Array(0);

export class OpenSocket implements UpstreamSocket, FrameSink {
  readonly protocol: string;
  readonly #listener: SocketListener;
  readonly #options: OpenSocketOptions;
  readonly #reader: FrameReader;
  readonly #writer: FrameWriter;
  readonly #pinger: Timer;
  /** Undefined when it is closed. After the end it may stay open a little longer, until the other side hangs up. */
  #socket: RawSocket | undefined;
  #state: 'open' | 'closing' | 'over' = 'open';
  #started = false;
  #paused = true;
  /** Messages that arrived with the last read before a pause took effect. */
  #held: (string | Uint8Array)[] = [];
  #ending: Ending | undefined;
  #deliveryDue = false;
  #received = true;
  #silentPeriods = 0;
  /** The last ping that came while the socket took nothing: a server that only pings must not fill Weir's memory. */
  #pongDue: Uint8Array | undefined;
  #timer: Timer | undefined;

  constructor({ socket, protocol, listener, messageBytesMax }: Agreed, options: OpenSocketOptions) {
    this.protocol = protocol;
    this.#socket = socket;
    this.#listener = listener;
    this.#options = options;
    this.#reader = new FrameReader(this, messageBytesMax, 'server');
    this.#writer = new FrameWriter(socket, 'client', () => setImmediate(() => this.drained()));
    this.#pinger = setInterval(() => this.#watch(), options.pingEveryMs);
    socket.pause();
  }

  // Called by the caller.

  send(text: string): void {
    if (this.#state === 'open') this.#writer.send(opcodes.text, text);
  }

  get bufferedBytes(): number {
    return this.#writer.bufferedBytes;
  }

  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    // After the end the socket is only read to notice its close.
    if (this.#state !== 'over') this.#socket?.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#started = true;
    this.#paused = false;
    // Nothing could be received meanwhile; that does not count as the other side's silence.
    this.#received = true;
    this.#socket?.resume();
    this.#deliverSoon();
  }

  /** While it is paused the answer is not read: then the timeout ends it. */
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
    this.#deliverSoon();
  }

  // Called by the socket.

  received(bytes: Uint8Array): void {
    if (this.#state === 'over') return;
    this.#received = true;
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

  // Called by the frame reader.

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
    // `received` has noted it; nothing else to do.
  }

  closeFrame(code: number, reason: string): void {
    if (this.#state === 'open') {
      this.#writer.send(opcodes.close, code === noCodeGiven ? none : closePayload(code, reason));
    }
    this.#end(code, reason);
  }

  /** Checks once a period whether anything was received. */
  #watch(): void {
    if (this.#received || this.#paused) {
      this.#silentPeriods = 0;
      this.#received = false;
    } else this.#silentPeriods += 1;
    if (this.#silentPeriods > silentPeriodsMax) this.terminate();
    // Also while paused: idle connections are dropped by the network.
    else if ((this.#silentPeriods > 0 || this.#paused) && this.#state === 'open' && this.#writer.bufferedBytes === 0) {
      this.#writer.send(opcodes.ping, none);
    }
  }

  /**
   * Nothing is sent or read anymore. The server gets a moment to hang up first: what it has not read yet would be
   * lost.
   */
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
    this.#deliverSoon();
  }

  #hangUp(): void {
    const socket = this.#socket;
    this.lost();
    socket?.terminate();
  }

  #deliverSoon(): void {
    if (this.#deliveryDue) return;
    this.#deliveryDue = true;
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    this.#deliveryDue = false;
    let delivered = 0;
    while (!this.#paused && delivered < this.#held.length) {
      const message = this.#held[delivered];
      delivered += 1;
      if (message !== undefined) this.#listener.message(message);
    }
    if (delivered > 0) this.#held.splice(0, delivered);
    const ending = this.#ending;
    if (ending === undefined || this.#held.length > 0 || !this.#started) return;
    this.#ending = undefined;
    this.#listener.closed(ending.code, ending.reason);
  }
}
