/** Random WebSocket frames: correct messages in any number of parts, and correct and incorrect ends of a connection. */

import type { Random } from '../../harness/random.ts';

export interface FrameShape {
  readonly final?: boolean;
  readonly reserved?: number;
  /** Clients mask, servers do not. */
  readonly masked: boolean;
  /** The number of length bytes, if not the shortest: 2 or 8. */
  readonly lengthBytes?: 2 | 8;
}

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export function frameOf(random: Random, opcode: number, payload: string | Uint8Array, shape: FrameShape): Buffer {
  const body = Buffer.from(payload as Uint8Array);
  const first = (shape.final === false ? 0 : 0x80) | ((shape.reserved ?? 0) << 4) | opcode;
  const mark = shape.masked ? 0x80 : 0;
  const lengthBytes = shape.lengthBytes ?? (body.length < 126 ? 0 : body.length < 65_536 ? 2 : 8);
  const length = Buffer.alloc(lengthBytes);
  if (lengthBytes === 2) length.writeUInt16BE(body.length);
  else if (lengthBytes === 8) length.writeBigUInt64BE(BigInt(body.length));
  const short = lengthBytes === 0 ? body.length : lengthBytes === 2 ? 126 : 127;
  const key = Buffer.from(shape.masked ? [0, 1, 2, 3].map(() => random.int(0, 255)) : []);
  if (shape.masked) for (let at = 0; at < body.length; at++) body[at] = (body[at] ?? 0) ^ (key[at % 4] ?? 0);
  return Buffer.concat([Buffer.from([first, mark | short]), length, key, body]);
}

/** A whole message in one to five frames, with pings and pongs between them. */
export function messageOf(random: Random, text: string, masked: boolean): Buffer {
  const bytes = Buffer.from(text);
  const cuts = random.list(0, 4, () => random.int(0, bytes.length)).sort((one, other) => one - other);
  const frames: Buffer[] = [];
  for (const [index, end] of [...cuts, bytes.length].entries()) {
    const opcode = index === 0 ? opcodes.text : opcodes.continuation;
    const final = index === cuts.length;
    if (random.chance(0.3)) {
      const control = random.pick([opcodes.ping, opcodes.pong]);
      frames.push(frameOf(random, control, random.token(random.int(0, 125)), { masked }));
    }
    frames.push(frameOf(random, opcode, bytes.subarray(cuts[index - 1] ?? 0, end), { final, masked }));
  }
  return Buffer.concat(frames);
}

export interface Ending {
  readonly name: string;
  readonly bytes: Buffer;
  /** Closes the connection after the bytes. */
  readonly hangsUp?: boolean;
  /** The close code that a careful reader reports to its application. */
  readonly code: number;
}

const legalCodes = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999];
const illegalCodes = [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535];

export function isLegalCode(code: number): boolean {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

function closePayload(code: number, reason: string | Uint8Array = ''): Buffer {
  return Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason as Uint8Array)]);
}

const badText = [[0xff], [0xc3], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xc0, 0xaf]];

/** `messageBytesMax` is the largest message that the reader accepts. */
export function endingOf(random: Random, masked: boolean, messageBytesMax: number): Ending {
  const frame = (opcode: number, payload: string | Uint8Array = '', shape: Partial<FrameShape> = {}): Buffer =>
    frameOf(random, opcode, payload, { masked, ...shape });
  const ends: (() => Ending)[] = [
    () => {
      const code = random.pick(legalCodes);
      return { name: `close ${code}`, bytes: frame(8, closePayload(code, random.token(random.int(0, 123)))), code };
    },
    () => ({ name: 'close without a code', bytes: frame(8), code: 1005 }),
    () => {
      const code = random.pick(illegalCodes);
      return { name: `close with illegal ${code}`, bytes: frame(8, closePayload(code)), code: 1002 };
    },
    () => ({ name: 'close of one byte', bytes: frame(8, 'x'), code: 1002 }),
    () => ({
      name: 'close with bad text',
      bytes: frame(8, closePayload(1000, Buffer.from(random.pick(badText)))),
      code: 1007,
    }),
    () => ({ name: 'reserved bits', bytes: frame(1, 'x', { reserved: random.int(1, 7) }), code: 1002 }),
    () => ({ name: 'unknown opcode', bytes: frame(random.pick([3, 4, 5, 6, 7, 11, 12, 13, 14, 15]), 'x'), code: 1002 }),
    () => ({ name: 'wrong mask', bytes: frameOf(random, 1, 'x', { masked: !masked }), code: 1002 }),
    () => ({ name: 'control in parts', bytes: frame(random.pick([8, 9, 10]), 'x', { final: false }), code: 1002 }),
    () => ({ name: 'long control', bytes: frame(random.pick([8, 9, 10]), 'x'.repeat(126)), code: 1002 }),
    () => ({ name: 'continuation of nothing', bytes: frame(0, 'x', { final: random.chance() }), code: 1002 }),
    () => ({
      name: 'message inside another',
      bytes: Buffer.concat([frame(1, 'x', { final: false }), frame(1, 'y')]),
      code: 1002,
    }),
    () => ({ name: 'bad text', bytes: frame(1, Buffer.from(random.pick(badText))), code: 1007 }),
    () => {
      const parts = [frame(1, Buffer.from([0xe2, 0x82]), { final: false }), frame(0, Buffer.from([0x28]))];
      return { name: 'bad text over two frames', bytes: Buffer.concat(parts), code: 1007 };
    },
    () => ({ name: 'too large', bytes: frame(1, 'x'.repeat(messageBytesMax + 1)), code: 1009 }),
    () => {
      const half = 'x'.repeat(Math.ceil(messageBytesMax / 2) + 1);
      return {
        name: 'too large in parts',
        bytes: Buffer.concat([frame(1, half, { final: false }), frame(0, half)]),
        code: 1009,
      };
    },
    () => {
      const long = Buffer.from([0x81, (masked ? 0x80 : 0) | 127, 0x80, 0, 0, 0, 0, 0, 0, 1]);
      return { name: 'length that is none', bytes: Buffer.concat([long, Buffer.alloc(masked ? 5 : 1)]), code: 1002 };
    },
    () => ({ name: 'hang-up', bytes: Buffer.alloc(0), hangsUp: true, code: 1006 }),
    () => {
      const whole = frame(1, random.token(200));
      return {
        name: 'hang-up in a frame',
        bytes: whole.subarray(0, random.int(1, whole.length - 1)),
        hangsUp: true,
        code: 1006,
      };
    },
    () => ({ name: 'hang-up in a message', bytes: frame(1, 'x', { final: false }), hangsUp: true, code: 1006 }),
  ];
  return random.pick(ends)();
}

/** In a few writes, now and then byte by byte. */
export function cutBytes(random: Random, bytes: Buffer): Buffer[] {
  if (bytes.length === 0) return [];
  if (bytes.length < 300 && random.chance(0.1)) return Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1));
  const places = random.list(0, 5, () => random.int(1, bytes.length - 1)).sort((one, other) => one - other);
  return [...places, bytes.length]
    .map((place, index) => bytes.subarray(places[index - 1] ?? 0, place))
    .filter((piece) => piece.length > 0);
}

export interface ReadFrame {
  readonly opcode: number;
  readonly final: boolean;
  readonly reserved: number;
  readonly masked: boolean;
  readonly payload: Buffer;
}

/** All whole frames at the beginning of some bytes, and their number of bytes. */
export function readFrames(bytes: Buffer): { readonly frames: ReadFrame[]; readonly length: number } {
  const frames: ReadFrame[] = [];
  let at = 0;
  while (bytes.length - at >= 2) {
    const first = bytes.readUInt8(at);
    const second = bytes.readUInt8(at + 1);
    const masked = second >= 0x80;
    const short = second & 0x7f;
    const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
    const start = at + 2 + lengthBytes + (masked ? 4 : 0);
    if (bytes.length < start) break;
    const length =
      lengthBytes === 0
        ? short
        : lengthBytes === 2
          ? bytes.readUInt16BE(at + 2)
          : Number(bytes.readBigUInt64BE(at + 2));
    if (bytes.length < start + length) break;
    const payload = Buffer.from(bytes.subarray(start, start + length));
    if (masked)
      for (let index = 0; index < length; index++)
        payload[index] = (payload[index] ?? 0) ^ (bytes[start - 4 + (index % 4)] ?? 0);
    frames.push({ opcode: first & 15, final: first >= 0x80, reserved: (first >> 4) & 7, masked, payload });
    at = start + length;
  }
  return { frames, length: at };
}

/** What is wrong with frames that a correct side wrote; empty if nothing is. */
export function faultsOf(frames: readonly ReadFrame[], masked: boolean): string[] {
  return frames.flatMap((each) => {
    const faults: string[] = [];
    if (each.masked !== masked) faults.push('mask');
    if (each.reserved !== 0) faults.push('reserved bits');
    if (![0, 1, 2, 8, 9, 10].includes(each.opcode)) faults.push(`opcode ${each.opcode}`);
    if (each.opcode >= 8 && (!each.final || each.payload.length > 125)) faults.push('control frame');
    if (each.opcode === 8 && each.payload.length > 0) {
      const code = each.payload.length < 2 ? 0 : each.payload.readUInt16BE(0);
      if (!isLegalCode(code)) faults.push(`close code ${code}`);
    }
    return faults;
  });
}
