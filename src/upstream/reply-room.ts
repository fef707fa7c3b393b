/**
 * How much memory large replies may take together while they are read whole. One that finds no room waits: its provider is not read
 * meanwhile, and pauses. The oldest never waits, so that at least one ends and gives its room to the next.
 */

/** A reply is counted in steps of this, and a smaller one not at all. */
export const roomStepBytes = 1_048_576;

export interface RoomTicket {
  /** So many bytes more; a promise where there is no room for them yet. */
  grow(bytes: number): Promise<void> | undefined;
  /** The reply is not held any more. */
  release(): void;
}

export class ReplyRoom {
  readonly #bytesMax: number;
  #bytes = 0;
  /** In the order of their first step. */
  readonly #tickets = new Set<Ticket>();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  enter(): RoomTicket {
    const ticket = new Ticket(this);
    this.#tickets.add(ticket);
    return ticket;
  }

  /** True where the ticket has room for them now. */
  takes(ticket: Ticket, bytes: number): boolean {
    const [oldest] = this.#tickets;
    if (oldest !== ticket && this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    return true;
  }

  leave(ticket: Ticket, bytes: number): void {
    if (!this.#tickets.delete(ticket)) return;
    this.#bytes -= bytes;
    for (const waiting of this.#tickets) waiting.tryAgain();
  }
}

class Ticket implements RoomTicket {
  readonly #room: ReplyRoom;
  #bytes = 0;
  #waiting: { readonly bytes: number; readonly resolve: () => void } | undefined;

  constructor(room: ReplyRoom) {
    this.#room = room;
  }

  grow(bytes: number): Promise<void> | undefined {
    if (this.#room.takes(this, bytes)) {
      this.#bytes += bytes;
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = { bytes, resolve };
    return promise;
  }

  tryAgain(): void {
    const waiting = this.#waiting;
    if (waiting === undefined || !this.#room.takes(this, waiting.bytes)) return;
    this.#waiting = undefined;
    this.#bytes += waiting.bytes;
    waiting.resolve();
  }

  release(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#room.leave(this, this.#bytes);
    this.#bytes = 0;
    waiting?.resolve();
  }
}
