/**
 * Parses frames of RFC 6455 as they arrive, wherever the reads were split, and joins them to messages. Time is linear
 * in the bytes, and memory grows with what has arrived, not with what was announced.
 */

import { isSendable, noCodeGiven } from './close-codes.ts';

export const opcodes = { continuation: 0x0, text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const;
export type Opcode = (typeof opcodes)[keyof typeof opcodes];

/** Receives the frames of the other side. */
export interface FrameSink {
  message(message: string | Uint8Array): void;
  ping(payload: Uint8Array): void;
  pong(): void;
  /** The last call; 1005 if the frame carried no code. */
  closeFrame(code: number, reason: string): void;
}

/** The other side violated the protocol; reading stops. */
export class FrameFault extends Error {
  readonly closeCode: 1002 | 1007 | 1009;
  constructor(closeCode: FrameFault['closeCode'], message: string) {
    super(message);
    this.name = 'FrameFault';
    this.closeCode = closeCode;
  }
}

const finalBit = 0x80;
const reservedBits = 0x70;
const maskBit = 0x80;
const controlBit = 0x08;
const controlBytesMax = 125;
const lengthBytesMax = 10;
const maskBytes = 4;
/** Initial buffer for a message of which only a part has arrived. */
const firstRoomBytesMax = 1_048_576;
/** Shorter pieces are unmasked byte by byte: that costs less than a view of words. */
const wordwiseBytesMin = 64;
/** The key of the piece that is being unmasked. */
const keyWord = new Uint32Array(1);
const keyBytes = new Uint8Array(keyWord.buffer);

/** A text becomes one as it arrives: so much at a time, and what is longer at once. */
const textRoomBytesMax = 65_536;
const none = new Uint8Array(0);
const textOptions = { fatal: true, ignoreBOM: true } as const;
/** A byte order mark is a character of the message like any other. */
const strictText = new TextDecoder('utf-8', textOptions);

export class FrameReader {
  readonly #sink: FrameSink;
  readonly #messageBytesMax: number;
  readonly #maskBytes: number;
  readonly #header = new DataView(new ArrayBuffer(lengthBytesMax + maskBytes));
  #headerBytes = 0;
  #headerBytesNeeded = 2;
  #inPayload = false;
  /** Of a masked frame: how much of its payload was unmasked. */
  #unmaskedBytes = 0;
  /** Where in the header its key is. */
  #maskAt = 0;
  #opcode = 0;
  #final = false;
  /** Of the frame's payload. */
  #leftBytes = 0;
  /** Of the message that waits for its continuation; 0 while none does. */
  #openOpcode = 0;
  /** Of the message so far, unless it came in one frame and one read. */
  #messageBytes = 0;
  /** The message's bytes so far; of a text, those that were not decoded yet. */
  #room: Uint8Array = none;
  #roomBytes = 0;
  #text = '';
  /** Present while it has begun a text. */
  #decoder: TextDecoder | undefined;
  readonly #control = new Uint8Array(controlBytesMax);
  #controlBytes = 0;
  #ended = false;
  /** That ended in this call of `take`. */
  #frames = 0;

  /** Clients mask their frames, servers do not. */
  constructor(sink: FrameSink, messageBytesMax: number, sender: 'client' | 'server') {
    this.#sink = sink;
    this.#messageBytesMax = messageBytesMax;
    this.#maskBytes = sender === 'client' ? maskBytes : 0;
  }

  /**
   * Reports what the bytes complete; messages share their memory, where masked frames are unmasked too. Returns where it
   * stopped: behind so many frames, or at the end. Throws a FrameFault, after which it must not be called.
   */
  take(bytes: Uint8Array, framesMax = Number.POSITIVE_INFINITY): number {
    let at = 0;
    this.#frames = 0;
    try {
      while (at < bytes.length && this.#frames < framesMax && !this.#ended) {
        at = this.#inPayload ? this.#takePayload(bytes, at) : this.#takeHeader(bytes, at);
      }
    } catch (error) {
      this.stop();
      throw error;
    }
    return at;
  }

  /** Reports nothing anymore, whatever arrives. */
  stop(): void {
    this.#ended = true;
    this.#forgetMessage();
  }

  #takeHeader(bytes: Uint8Array, start: number): number {
    const header = this.#header;
    let at = start;
    while (at < bytes.length) {
      header.setUint8(this.#headerBytes, bytes[at] ?? 0);
      this.#headerBytes += 1;
      at += 1;
      if (this.#headerBytes === 2) this.#readStart(header.getUint8(0), header.getUint8(1));
      if (this.#headerBytes === this.#headerBytesNeeded) {
        this.#beginPayload();
        break;
      }
    }
    return at;
  }

  #readStart(first: number, second: number): void {
    const opcode = first & 0x0f;
    const shortLength = second & ~maskBit;
    this.#opcode = opcode;
    this.#final = (first & finalBit) !== 0;
    if ((first & reservedBits) !== 0) throw protocolFault('uses an extension that was not agreed on');
    if (!isKnown(opcode)) throw protocolFault('is of an unknown kind');
    const isMasked = (second & maskBit) !== 0;
    if (isMasked !== this.#maskBytes > 0) throw protocolFault(isMasked ? 'is masked' : 'is not masked');
    if ((opcode & controlBit) !== 0) {
      if (!this.#final) throw protocolFault('is a control frame in parts');
      if (shortLength > controlBytesMax)
        throw protocolFault(`is a control frame of more than ${controlBytesMax} bytes`);
    } else if (opcode === opcodes.continuation) {
      if (this.#openOpcode === 0) throw protocolFault('continues a message that never began');
    } else if (this.#openOpcode !== 0) throw protocolFault('begins a message inside another');
    this.#headerBytesNeeded = (shortLength === 126 ? 4 : shortLength === 127 ? lengthBytesMax : 2) + this.#maskBytes;
    this.#leftBytes = shortLength;
  }

  #beginPayload(): void {
    const header = this.#header;
    const lengthBytes = this.#headerBytesNeeded - this.#maskBytes;
    if (lengthBytes === 4) this.#leftBytes = header.getUint16(2);
    else if (lengthBytes === lengthBytesMax) {
      if (header.getUint8(2) >= 0x80) throw protocolFault('has a length that is no length');
      // A length beyond the safe integers is above any limit too.
      this.#leftBytes = header.getUint32(2) * 0x1_0000_0000 + header.getUint32(6);
    }
    if (this.#maskBytes > 0) this.#maskAt = lengthBytes;
    this.#unmaskedBytes = 0;
    this.#headerBytes = 0;
    this.#headerBytesNeeded = 2;
    if ((this.#opcode & controlBit) === 0) {
      if (this.#messageBytes + this.#leftBytes > this.#messageBytesMax) {
        throw new FrameFault(1009, `A message is larger than ${this.#messageBytesMax} bytes.`);
      }
      if (this.#opcode !== opcodes.continuation) this.#openOpcode = this.#opcode;
    }
    this.#inPayload = true;
    if (this.#leftBytes === 0) this.#endFrame(none);
  }

  #takePayload(bytes: Uint8Array, at: number): number {
    const end = Math.min(at + this.#leftBytes, bytes.length);
    const piece = bytes.subarray(at, end);
    this.#leftBytes -= piece.length;
    if (this.#maskBytes > 0) this.#unmask(piece);
    if (this.#leftBytes === 0) this.#endFrame(piece);
    else if ((this.#opcode & controlBit) !== 0) this.#keepControl(piece);
    else this.#keep(piece);
    return end;
  }

  #unmask(piece: Uint8Array): void {
    const header = this.#header;
    const { length } = piece;
    const isLong = length >= wordwiseBytesMin;
    /** Words begin at a multiple of four in memory: the key is turned so that it begins there too. */
    const first = isLong ? -piece.byteOffset & 3 : 0;
    for (let index = 0; index < maskBytes; index += 1) {
      keyBytes[index] = header.getUint8(this.#maskAt + ((this.#unmaskedBytes + first + index) & 3));
    }
    this.#unmaskedBytes += length;
    if (!isLong) {
      unmaskBytes(piece, 0, length, 0);
      return;
    }
    const words = new Uint32Array(piece.buffer, piece.byteOffset + first, (length - first) >> 2);
    const [key = 0] = keyWord;
    for (let at = 0; at < words.length; at += 1) words[at] = (words[at] ?? 0) ^ key;
    unmaskBytes(piece, 0, first, first);
    unmaskBytes(piece, first + words.length * 4, length, first);
  }

  /** The frame is complete with this piece. */
  #endFrame(last: Uint8Array): void {
    this.#inPayload = false;
    this.#frames += 1;
    if ((this.#opcode & controlBit) !== 0) {
      this.#tellControl(this.#wholeControl(last));
      return;
    }
    if (!this.#final) {
      this.#keep(last);
      return;
    }
    const message = this.#wholeMessage(last, this.#openOpcode === opcodes.text);
    this.#openOpcode = 0;
    this.#sink.message(message);
  }

  #wholeMessage(last: Uint8Array, isText: boolean): string | Uint8Array {
    if (this.#messageBytes === 0) return isText ? readText(last) : last;
    this.#keep(last);
    if (isText) this.#decode(this.#room.subarray(0, this.#roomBytes), false);
    const whole = isText ? this.#text : this.#room.subarray(0, this.#roomBytes);
    this.#forgetMessage();
    return whole;
  }

  #forgetMessage(): void {
    this.#messageBytes = 0;
    this.#room = none;
    this.#roomBytes = 0;
    this.#text = '';
    this.#decoder = undefined;
  }

  #keep(piece: Uint8Array): void {
    this.#messageBytes += piece.length;
    if (this.#openOpcode === opcodes.text) this.#keepText(piece);
    else this.#keepBytes(piece);
  }

  #keepText(piece: Uint8Array): void {
    if (this.#roomBytes + piece.length > textRoomBytesMax) {
      this.#decode(this.#room.subarray(0, this.#roomBytes), true);
      this.#roomBytes = 0;
    }
    if (piece.length > textRoomBytesMax) this.#decode(piece, true);
    else this.#keepBytes(piece);
  }

  #decode(bytes: Uint8Array, stream: boolean): void {
    this.#decoder ??= new TextDecoder('utf-8', textOptions);
    this.#text += decoded(this.#decoder, bytes, stream);
  }

  /** Room grows by doubling, so that a message in a million parts costs linear time. */
  #keepBytes(piece: Uint8Array): void {
    const needed = this.#roomBytes + piece.length;
    if (needed > this.#room.length) {
      const isText = this.#openOpcode === opcodes.text;
      const expected = Math.min(needed + this.#leftBytes, isText ? textRoomBytesMax : firstRoomBytesMax);
      const wanted = Math.min(Math.max(expected, this.#room.length * 2), this.#messageBytesMax);
      const room = new Uint8Array(Math.max(needed, wanted));
      room.set(this.#room.subarray(0, this.#roomBytes));
      this.#room = room;
    }
    this.#room.set(piece, this.#roomBytes);
    this.#roomBytes = needed;
  }

  #keepControl(piece: Uint8Array): void {
    this.#control.set(piece, this.#controlBytes);
    this.#controlBytes += piece.length;
  }

  #wholeControl(last: Uint8Array): Uint8Array {
    if (this.#controlBytes === 0) return last;
    this.#keepControl(last);
    const whole = this.#control.slice(0, this.#controlBytes);
    this.#controlBytes = 0;
    return whole;
  }

  #tellControl(payload: Uint8Array): void {
    if (this.#opcode === opcodes.ping) this.#sink.ping(payload);
    else if (this.#opcode === opcodes.pong) this.#sink.pong();
    else {
      this.stop();
      if (payload.length === 0) this.#sink.closeFrame(noCodeGiven, '');
      else this.#sink.closeFrame(readCloseCode(payload), readText(payload.subarray(2)));
    }
  }
}

/** With the key that begins at `keyAt`. */
function unmaskBytes(piece: Uint8Array, from: number, to: number, keyAt: number): void {
  for (let at = from; at < to; at += 1) piece[at] = (piece[at] ?? 0) ^ (keyBytes[(at - keyAt) & 3] ?? 0);
}

function isKnown(opcode: number): boolean {
  return opcode <= opcodes.binary || (opcode >= opcodes.close && opcode <= opcodes.pong);
}

function readCloseCode(payload: Uint8Array): number {
  const code = ((payload[0] ?? 0) << 8) | (payload[1] ?? 0);
  if (payload.length < 2 || !isSendable(code)) throw protocolFault('closes with a code that must not be sent');
  return code;
}

function readText(bytes: Uint8Array): string {
  return bytes.length === 0 ? '' : decoded(strictText, bytes, false);
}

function decoded(decoder: TextDecoder, bytes: Uint8Array, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch {
    throw new FrameFault(1007, 'A text is not in UTF-8.');
  }
}

function protocolFault(what: string): FrameFault {
  return new FrameFault(1002, `A frame ${what}.`);
}
