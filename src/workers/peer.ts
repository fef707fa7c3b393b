/**
 * One end of the socket between a worker and its supervisor: calls and their answers as lines of text. Lines that are
 * written within a moment leave in one write, and the busier the process, the longer that moment.
 */

import type { Socket } from 'bun';
import { carryError, revealError, StoreUnavailableError } from '../store/sql/store-errors.ts';

/** Takes and gives one line of text, which in most services is JSON. */
type Service = (text: string) => string | Promise<string>;
/** By names of one character, which are found without making a string of each line's. */
export type Services = Readonly<Record<string, Service>>;

interface Waiting {
  resolve(text: string): void;
  reject(error: Error): void;
}

/** Lines of a batch that leaves at once. */
const fullAt = 96;
const gatherMsMax = 5;
/** A busy process gathers for a millisecond for each so many lines per millisecond. */
const linesPerGatherMs = 2;
/** Timers are not more exact than this. */
const soonMs = 0.5;
/** Calls that may wait before new ones are refused: a supervisor that hangs must not fill a worker's memory. */
const waitingMax = 100_000;
const closed = 'The process at the other end of the workers’ socket ended.';

/** The first character of a line. */
const kinds = { call: '>', result: '<', error: '!' } as const;

export class Peer {
  readonly #services: (Service | undefined)[] = [];
  readonly #onClosed: () => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #decoder = new TextDecoder();
  #socket: Socket<Peer> | undefined;
  #lines: string[] = [];
  /** What the socket did not take yet. */
  #unsent: Buffer | undefined;
  #partial = '';
  #nextId = 1;
  #timer: Timer | undefined;
  #isLeaving = false;
  #leftAtMs = 0;
  #rate = 0;
  #isOpen = true;

  constructor(services: Services, onClosed: () => void) {
    for (const [name, service] of Object.entries(services)) this.#services[name.charCodeAt(0)] = service;
    this.#onClosed = onClosed;
  }

  /** The handlers of a socket whose data is its peer. */
  static readonly handlers = {
    binaryType: 'buffer',
    data: (socket: Socket<Peer>, bytes: Buffer) => socket.data.#receive(bytes),
    drain: (socket: Socket<Peer>) => socket.data.#drain(),
    close: (socket: Socket<Peer>) => socket.data.closed(),
    error: (socket: Socket<Peer>) => socket.data.closed(),
  } as const;

  opened(socket: Socket<Peer>): void {
    this.#socket = socket;
    this.#schedule();
  }

  /** What waits for an answer gets none. */
  closed(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#timer);
    for (const { reject } of this.#waiting.values()) reject(new StoreUnavailableError(closed));
    this.#waiting.clear();
    this.#onClosed();
  }

  call(service: string, text: string): Promise<string> {
    if (!this.#isOpen) return Promise.reject(new StoreUnavailableError(closed));
    if (this.#waiting.size >= waitingMax)
      return Promise.reject(new StoreUnavailableError('Too many calls wait for the supervisor process.'));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#write(`${kinds.call}${id} ${service}${text}`);
    });
  }

  #write(line: string): void {
    this.#lines.push(line);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isLeaving || this.#lines.length === 0) return;
    const waitMs = this.#leftAtMs + Math.min(gatherMsMax, this.#rate / linesPerGatherMs) - performance.now();
    if (waitMs > soonMs && this.#lines.length < fullAt) {
      this.#timer ??= setTimeout(() => this.#leave(), waitMs);
      return;
    }
    this.#isLeaving = true;
    // What is written in the same turn of the event loop goes along.
    setImmediate(() => this.#leave());
  }

  #leave(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isLeaving = false;
    if (this.#socket === undefined || this.#lines.length === 0 || !this.#isOpen) return;
    const nowMs = performance.now();
    this.#rate = this.#lines.length / Math.max(1, nowMs - this.#leftAtMs);
    this.#leftAtMs = nowMs;
    const bytes = Buffer.from(`${this.#lines.join('\n')}\n`);
    this.#lines = [];
    this.#unsent = this.#unsent === undefined ? bytes : Buffer.concat([this.#unsent, bytes]);
    this.#drain();
  }

  #drain(): void {
    if (this.#unsent === undefined || this.#socket === undefined) return;
    const sent = Math.max(0, this.#socket.write(this.#unsent));
    this.#unsent = sent < this.#unsent.length ? this.#unsent.subarray(sent) : undefined;
  }

  #receive(bytes: Buffer): void {
    // What comes late from a process that has ended would be counted twice: its journal is read instead.
    if (!this.#isOpen) return;
    const text = this.#partial + this.#decoder.decode(bytes, { stream: true });
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#read(text.slice(from, end));
      from = end + 1;
    }
    this.#partial = text.slice(from);
  }

  #read(line: string): void {
    const space = line.indexOf(' ');
    const id = Number(line.slice(1, space));
    if (line.startsWith(kinds.call)) {
      this.#serve(id, this.#services[line.charCodeAt(space + 1)], line.slice(space + 2));
      return;
    }
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    const text = line.slice(space + 1);
    if (line.startsWith(kinds.result)) waiting?.resolve(text);
    else waiting?.reject(revealError(JSON.parse(text)));
  }

  #serve(id: number, service: Service | undefined, text: string): void {
    try {
      if (service === undefined) throw new Error('The other process does not know this call.');
      const answer = service(text);
      if (typeof answer === 'string') this.#write(`${kinds.result}${id} ${answer}`);
      else answer.then((late) => this.#write(`${kinds.result}${id} ${late}`)).catch((error) => this.#fail(id, error));
    } catch (error) {
      this.#fail(id, error);
    }
  }

  #fail(id: number, error: unknown): void {
    this.#write(`${kinds.error}${id} ${JSON.stringify(carryError(error))}`);
  }
}
