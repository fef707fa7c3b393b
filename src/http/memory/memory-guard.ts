/**
 * Keeps a process below the memory that it may use: what is counted in advance (bodies, replies) has bounds of its own, and what is
 * not (streams, sockets, the runtime's garbage) is measured. Where it comes close, new requests are refused until there is room
 * again, because a process that is killed ends all of them.
 */

import { totalmem } from 'node:os';

interface MemorySettings {
  /** What the process may use; `auto` is the container's limit, else the machine's memory. */
  readonly memoryBytesMax: number | 'auto';
  /** Of bodies; `auto` follows from what the process may use. */
  readonly bodyMemoryBytesMax: number | 'auto';
}

export interface MemoryLimits {
  readonly processBytesMax: number;
  /** For bodies in flight, and again for large replies that are read whole. */
  readonly bodyBytesMax: number;
  /** What is read ahead of one client that is behind. */
  readonly aheadBytesMax: number;
}

const megabyte = 1_048_576;
/** A body of so many bytes takes up to this many times as much: its bytes, its text, its values and what is written from it. */
const memoryPerBodyByte = 4;
/** Bodies and replies may each take this share of the memory, at that factor; the rest is for streams and the runtime. */
const shareOfBodies = 1 / 2;
/** Streams whose clients do not read, each with what was read ahead for it, take an eighth of the memory where there are 2,000. */
const streamsAssumed = 16_384;
const aheadBytesLeast = 32_768;
const aheadBytesMost = 262_144;
const bodyBytesLeast = 32 * megabyte;
const bodyBytesMost = 512 * megabyte;

/** `processes`: how many share the memory. */
export function memoryLimits(settings: MemorySettings, processes: number, machine = thisMachine()): MemoryLimits {
  const { memoryBytesMax, bodyMemoryBytesMax } = settings;
  const processBytesMax = Math.floor((memoryBytesMax === 'auto' ? machine : memoryBytesMax) / processes);
  const fitting = Math.floor((processBytesMax * shareOfBodies) / memoryPerBodyByte);
  const bounded = Math.min(Math.max(fitting, bodyBytesLeast), bodyBytesMost);
  const ahead = Math.floor(processBytesMax / streamsAssumed);
  return {
    processBytesMax,
    bodyBytesMax: bodyMemoryBytesMax === 'auto' ? bounded : bodyMemoryBytesMax,
    aheadBytesMax: Math.min(Math.max(ahead, aheadBytesLeast), aheadBytesMost),
  };
}

/** A container's limit where there is one; without one the runtime reports nothing, or more than the machine has. */
function thisMachine(): number {
  const machine = totalmem();
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, machine) : machine;
}

const everyMs = 100;
/** With many connections a turn of the event loop reads a large part of the memory: each such share of it is a look too. */
const readShare = 1 / 64;
/** Shares of what the process may use: garbage is collected, requests are refused, requests are accepted again. */
const collectShare = 0.6;
const refuseShare = 0.8;
const acceptShare = 0.7;
/** Refusing others does not free what clients hold that are behind: they are disconnected until so much would be left. */
const shedToShare = 0.6;
const collectEveryMs = 1_000;
/** What was freed is garbage first, and given back a while later. */
const shedEveryMs = 500;
/** So much that was read since garbage was collected is mostly garbage by now, and the next collection may come too late. */
const floodShare = 1 / 16;

interface GuardParts {
  readonly processBytesMax: number;
  residentBytes?(): number | undefined;
  collect?(): void;
  nowMs(): number;
}

/** Undefined where it cannot be read: a process that has no file descriptor left cannot ask for it. */
function ownResidentBytes(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}

export class MemoryGuard {
  readonly #parts: GuardParts;
  #isShort = false;
  #collectedAtMs = Number.NEGATIVE_INFINITY;
  #readBytes = 0;
  #readSinceCollected = 0;
  #shedAtMs = Number.NEGATIVE_INFINITY;
  #shed: (bytes: number) => void = () => undefined;
  #timer: Timer | undefined;

  constructor(parts: GuardParts) {
    this.#parts = parts;
  }

  /** Is there too little left for another request? */
  get isShort(): boolean {
    return this.#isShort;
  }

  /** So many bytes were read from a provider. */
  readonly read = (bytes: number): void => {
    this.#readBytes += bytes;
    if (this.#readBytes > this.#parts.processBytesMax * readShare) this.look();
  };

  /** Called where so many bytes should be given up. */
  relieveBy(shed: (bytes: number) => void): void {
    this.#shed = shed;
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), everyMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  look(): void {
    this.#readSinceCollected += this.#readBytes;
    this.#readBytes = 0;
    const { processBytesMax, nowMs, residentBytes = ownResidentBytes } = this.#parts;
    const bytes = residentBytes();
    if (bytes === undefined) return;
    const share = bytes / processBytesMax;
    if (share >= refuseShare) this.#isShort = true;
    else if (share < acceptShare) this.#isShort = false;
    const now = nowMs();
    const isFlood = this.#readSinceCollected > processBytesMax * floodShare;
    const isShed = share >= refuseShare && (isFlood || now - this.#shedAtMs >= shedEveryMs);
    if (isShed) {
      this.#shedAtMs = now;
      this.#shed(Math.round((share - shedToShare) * processBytesMax));
    }
    if (isShed || (share >= collectShare && isFlood)) this.#collect(now, true);
    else if (share >= collectShare && now - this.#collectedAtMs >= collectEveryMs) this.#collect(now, false);
  }

  #collect(nowMs: number, atOnce: boolean): void {
    this.#collectedAtMs = nowMs;
    this.#readSinceCollected = 0;
    if (this.#parts.collect === undefined) Bun.gc(atOnce);
    else this.#parts.collect();
  }
}
