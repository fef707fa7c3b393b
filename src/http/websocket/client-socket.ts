/**
 * The server's side of an open WebSocket. The end is reported to its handler once, from inside the call that ends it, and of
 * nothing after that; the connection lives on until the client has hung up, or for a few seconds.
 */

import type { GatewayError } from '../../conversation/gateway-error.ts';
import { brokenOff, closePayload, noCodeGiven } from '../../framing/websocket/close-codes.ts';
import { FrameWriter } from '../../framing/websocket/frame-writer.ts';
import { FrameFault, FrameReader, type FrameSink, opcodes } from '../../framing/websocket/frames.ts';
import type { Writable } from '../../framing/writable.ts';
import type { Socket, SocketHandler } from './socket-handler.ts';

/** The part of the runtime's socket that is needed here. */
interface RawSocket extends Writable {
  /**
   * Nothing more is sent, but the client's bytes are still read. The runtime's `end` would close at once, and a
   * close with unread bytes resets the connection: then the client may lose the close frame.
   */
  shutdown(): void;
  terminate(): void;
  pause(): void;
  resume(): void;
}

interface ClientSocketOptions {
  readonly socket: RawSocket;
  readonly handler: SocketHandler;
  /** A larger message ends it with 1009. */
  readonly messageBytesMax: number;
  /** A message that would make more than this wait for the client is not sent. */
  readonly backlogBytesMax: number;
  refusal(): GatewayError | undefined;
  /** A failure of the handler, outside of a call of the connection. */
  report(error: unknown): void;
  /** Called once, when the connection is over. */
  onEnd(socket: ClientSocket): void;
}

/** All in ticks, which are seconds. A client that was silent for so long is pinged. */
const pingTicks = 60;
/** And ended if it stays silent. */
const silentTicksMax = 120;
/** For the client's answer to a close frame and its hang-up, from the last time that it took bytes. */
const closeTicksMax = 10;
/** For the same, if it keeps reading what waits before the close frame. */
const lastBytesTicksMax = 120;
/** Frames that are handled before other connections have their turn: a read may bring many thousands. */
const framesPerTurnMax = 32;
/** While more waits for the client, its frames are not read: the replies to them would wait too. */
const unreadBytesMax = 2_097_152;
const headerBytesMax = 10;
/** Of one UTF-16 unit in UTF-8. */
const unitBytesMax = 3;
const none = new Uint8Array(0);

export class ClientSocket implements Socket, FrameSink {
  readonly #options: ClientSocketOptions;
  readonly #handler: SocketHandler;
  readonly #reader: FrameReader;
  readonly #writer: FrameWriter;
  /** Undefined when it is closed. */
  #socket: RawSocket | undefined;
  /** Closing: the client has not answered the close frame. Over: nothing is read anymore. */
  #state: 'open' | 'closing' | 'over' = 'open';
  #silentTicks = 0;
  #ticksSinceClose = 0;
  /** The last ping of a turn, or of the time in which the client did not read: the others need no answer. */
  #pongDue: Uint8Array | undefined;
  /** Why nothing more is read: the next turn is due, or the client must read first. */
  #waitsFor: 'nothing' | 'turn' | 'client' = 'nothing';
  /** Of the last read, while something is waited for. */
  #rest: Uint8Array = none;

  constructor(options: ClientSocketOptions) {
    this.#options = options;
    this.#handler = options.handler;
    this.#socket = options.socket;
    this.#reader = new FrameReader(this, options.messageBytesMax, 'client');
    this.#writer = new FrameWriter(options.socket, 'server', () => setImmediate(() => this.drained()));
  }

  // Called by the handler.

  send(text: string): boolean {
    if (this.#state !== 'open' || !this.#hasRoomFor(text)) return false;
    this.#writer.send(opcodes.text, text);
    return true;
  }

  get bufferedBytes(): number {
    return this.#writer.bufferedBytes;
  }

  close(code: number, reason: string): void {
    if (this.#state !== 'open') return;
    this.#writer.send(opcodes.close, closePayload(code, reason));
    this.#leave('closing', code, reason);
  }

  terminate(): void {
    const socket = this.#socket;
    // First, because the runtime may report the close from inside its `terminate`.
    this.lost();
    socket?.terminate();
  }

  refusal(): GatewayError | undefined {
    return this.#options.refusal();
  }

  // Called by the connection.

  open(): void {
    this.#handler.open(this);
  }

  received(bytes: Uint8Array): void {
    if (this.#state === 'over') return;
    // After a close frame only the answer counts: other messages do not extend the time for it.
    if (this.#state === 'open') this.#silentTicks = 0;
    if (this.#waitsFor === 'nothing') this.#read(bytes);
    else this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
  }

  drained(): void {
    const before = this.#writer.bufferedBytes;
    const isEmpty = this.#writer.drained();
    // A client that reads is alive, though a slow one has not seen the ping yet.
    const hasRead = this.#writer.bufferedBytes < before;
    if (hasRead) this.#silentTicks = 0;
    if (isEmpty) {
      if (this.#state === 'over') this.#socket?.shutdown();
      this.#answerPing();
    }
    if (this.#state === 'open' && (isEmpty || hasRead)) this.#handler.drained();
    if (this.#waitsFor === 'client' && !this.#isBehind) this.#waitForTurn();
  }

  /** The runtime's socket is closed, by whomever. */
  lost(): void {
    if (this.#socket === undefined) return;
    this.#socket = undefined;
    this.#writer.forget();
    this.#leave('over', brokenOff, '');
    this.#options.onEnd(this);
  }

  /** Called once a second. */
  tick(): void {
    this.#silentTicks += 1;
    if (this.#state === 'open') {
      if (this.#silentTicks === pingTicks) this.#writer.send(opcodes.ping, none);
      else if (this.#silentTicks >= silentTicksMax) this.terminate();
      return;
    }
    this.#ticksSinceClose += 1;
    if (this.#silentTicks >= closeTicksMax || this.#ticksSinceClose >= lastBytesTicksMax) this.terminate();
  }

  // Called by the frame reader.

  message(message: string | Uint8Array): void {
    if (this.#state === 'open') this.#handler.message(typeof message === 'string' ? message : undefined);
  }

  ping(payload: Uint8Array): void {
    if (this.#state === 'open') this.#pongDue = payload;
  }

  pong(): void {
    // `received` has noted it; nothing else to do.
  }

  closeFrame(code: number, reason: string): void {
    this.#end(code, reason, code === noCodeGiven ? none : closePayload(code, reason));
  }

  #read(bytes: Uint8Array): void {
    let taken = bytes.length;
    try {
      taken = this.#reader.take(bytes, framesPerTurnMax);
    } catch (error) {
      if (!(error instanceof FrameFault)) throw error;
      this.#end(error.closeCode, error.message, closePayload(error.closeCode, error.message));
    }
    this.#answerPing();
    if (this.#state === 'over') return;
    this.#rest = bytes.subarray(taken);
    if (this.#isBehind) this.#wait('client');
    else if (this.#rest.length > 0) this.#waitForTurn();
    else this.#readOn();
  }

  #answerPing(): void {
    const payload = this.#pongDue;
    if (payload === undefined || this.#state !== 'open') return;
    if (this.#writer.bufferedBytes === 0) {
      this.#pongDue = undefined;
      this.#writer.send(opcodes.pong, payload);
    }
    // A copy: the payload shares the memory of a whole read.
    else this.#pongDue = new Uint8Array(payload);
  }

  /** Not after a close frame: the messages of the client have no replies then. */
  get #isBehind(): boolean {
    return this.#state === 'open' && this.#writer.bufferedBytes > unreadBytesMax;
  }

  #wait(what: 'turn' | 'client'): void {
    if (this.#waitsFor === 'nothing') this.#socket?.pause();
    this.#waitsFor = what;
  }

  #waitForTurn(): void {
    this.#wait('turn');
    setImmediate(this.#takeTurn);
  }

  readonly #takeTurn = (): void => {
    if (this.#waitsFor !== 'turn') return;
    // To be busy with what the client has sent is not its silence.
    if (this.#state === 'open') this.#silentTicks = 0;
    try {
      this.#read(this.#rest);
    } catch (error) {
      this.#options.report(error);
      this.terminate();
    }
  };

  #readOn(): void {
    this.#rest = none;
    if (this.#waitsFor === 'nothing') return;
    this.#waitsFor = 'nothing';
    this.#socket?.resume();
  }

  /** Nothing more is read. The close frame is the answer to the client's, or tells its fault. */
  #end(code: number, reason: string, payload: Uint8Array): void {
    this.#answerPing();
    if (this.#state === 'open') this.#writer.send(opcodes.close, payload);
    this.#leave('over', code, reason);
    if (this.#writer.bufferedBytes === 0) this.#socket?.shutdown();
  }

  #leave(state: 'closing' | 'over', code: number, reason: string): void {
    const wasOpen = this.#state === 'open';
    this.#state = state;
    // It may hold most of a large message.
    if (state === 'over') {
      this.#reader.stop();
      this.#readOn();
    }
    if (!wasOpen) return;
    this.#silentTicks = 0;
    this.#handler.closed(code, reason);
  }

  /** A long text is counted in bytes only where that decides. */
  #hasRoomFor(text: string): boolean {
    const room = this.#options.backlogBytesMax - this.#writer.bufferedBytes - headerBytesMax;
    return text.length * unitBytesMax <= room || Buffer.byteLength(text) <= room;
  }
}
