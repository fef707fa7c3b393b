/** Writes frames to a socket, those of a client masked, and queues what the socket does not take at once. */

import { type Writable, writeBytesMax } from '../writable.ts';
import type { Opcode } from './frames.ts';

/** Payloads begin here, whatever the length of the header before them: four bytes can then be masked at a time. */
const payloadAt = 16;
const maskBytes = 4;
/** Small frames are made in one place: a socket copies what it takes before `write` returns. */
const scratch = Buffer.allocUnsafeSlow(65_536);
/** Small queued frames share buffers of this size, so that they are sent in few writes. */
const roomBytes = 65_536;

const maskKey = new Uint32Array(1);
const maskKeyBytes = new Uint8Array(maskKey.buffer);

/** Queued bytes; more may be appended while there is room. */
interface Waiting {
  readonly room: Buffer;
  from: number;
  to: number;
}

/** A frame as it was made, not yet sent. */
interface Frame {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

export class FrameWriter {
  readonly #socket: Writable;
  readonly #masks: boolean;
  #waiting: Waiting[] = [];
  #bufferedBytes = 0;

  readonly #drainSoon: () => void;

  /** `drainSoon` asks for a call of `drained` in another turn, though the socket has room. */
  constructor(socket: Writable, sender: 'client' | 'server', drainSoon: () => void) {
    this.#socket = socket;
    this.#drainSoon = drainSoon;
    this.#masks = sender === 'client';
  }

  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  /** Sends a whole message or a control frame; what the socket does not take waits for `drained`. */
  send(opcode: Opcode, payload: string | Uint8Array): void {
    const frame = makeFrame(opcode, payload, this.#masks);
    let { from } = frame;
    if (this.#waiting.length === 0) from += this.#write(frame.bytes, from, frame.to);
    if (from < frame.to) this.#keep(frame.bytes, from, frame.to);
  }

  /** The socket has room again. True if something was queued and all of it is sent now. */
  drained(): boolean {
    if (this.#waiting.length === 0) return false;
    let left = writeBytesMax;
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const written = this.#write(first.room, first.from, first.to, left);
      left -= written;
      first.from += written;
      this.#bufferedBytes -= written;
      if (first.from < first.to) return false;
      this.#waiting.shift();
    }
    return true;
  }

  forget(): void {
    this.#waiting = [];
    this.#bufferedBytes = 0;
  }

  #write(bytes: Buffer, from: number, to: number, bytesMax = writeBytesMax): number {
    const length = Math.min(to - from, bytesMax);
    // A closed socket takes -1 bytes; its connection reports the close.
    const written = length === 0 ? 0 : Math.max(0, this.#socket.write(bytes, from, length));
    if (written === length && from + length < to) this.#drainSoon();
    return written;
  }

  #keep(bytes: Buffer, from: number, to: number): void {
    const length = to - from;
    this.#bufferedBytes += length;
    if (bytes !== scratch) {
      this.#waiting.push({ room: bytes, from, to });
      return;
    }
    let last = this.#waiting.at(-1);
    if (last === undefined || last.room.length - last.to < length) {
      last = { room: Buffer.allocUnsafeSlow(roomBytes), from: 0, to: 0 };
      this.#waiting.push(last);
    }
    bytes.copy(last.room, last.to, from, to);
    last.to += length;
  }
}

function makeFrame(opcode: Opcode, payload: string | Uint8Array, masks: boolean): Frame {
  const length = typeof payload === 'string' ? Buffer.byteLength(payload) : payload.length;
  const to = payloadAt + length;
  const bytes = to <= scratch.length ? scratch : Buffer.allocUnsafeSlow(to);
  if (typeof payload === 'string') bytes.write(payload, payloadAt, 'utf8');
  else bytes.set(payload, payloadAt);
  if (masks) {
    crypto.getRandomValues(maskKey);
    mask(bytes, length);
    bytes.set(maskKeyBytes, payloadAt - maskBytes);
  }
  return { bytes, from: writeHeader(bytes, opcode, length, masks), to };
}

/** Returns where the header begins; it ends where the payload starts. */
function writeHeader(bytes: Buffer, opcode: Opcode, length: number, masks: boolean): number {
  const maskBit = masks ? 0x80 : 0;
  const from = payloadAt - (masks ? maskBytes : 0) - (length < 126 ? 2 : length < 65_536 ? 4 : 10);
  bytes[from] = 0x80 | opcode;
  if (length < 126) bytes[from + 1] = maskBit | length;
  else if (length < 65_536) {
    bytes[from + 1] = maskBit | 126;
    bytes.writeUInt16BE(length, from + 2);
  } else {
    bytes[from + 1] = maskBit | 127;
    bytes.writeUInt32BE(Math.floor(length / 0x1_0000_0000), from + 2);
    bytes.writeUInt32BE(length % 0x1_0000_0000, from + 6);
  }
  return from;
}

function mask(bytes: Buffer, length: number): void {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + payloadAt, Math.floor(length / 4));
  const key = maskKey[0] ?? 0;
  for (let at = 0; at < words.length; at += 1) words[at] = (words[at] ?? 0) ^ key;
  for (let at = words.length * 4; at < length; at += 1) {
    bytes[payloadAt + at] = (bytes[payloadAt + at] ?? 0) ^ (maskKeyBytes[at & 3] ?? 0);
  }
}
