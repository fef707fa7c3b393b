/** A reply's pieces as they arrive, also of replies whose pieces can only be read one by one. */

import type { PieceFlow, PieceReceiver, UpstreamReply } from './transport.ts';

/** Takes the place of `read` for the rest of the reply. The flow is held at first. */
export function receivePieces(reply: UpstreamReply, receiver: PieceReceiver): PieceFlow {
  return reply.receive === undefined ? new ReadPieces(reply, receiver) : reply.receive(receiver);
}

class ReadPieces implements PieceFlow {
  readonly #reply: UpstreamReply;
  readonly #receiver: PieceReceiver;
  #isHeld = true;
  #isReading = false;
  #isOver = false;
  /** What came after the flow was held. */
  #due: (() => void) | undefined;

  constructor(reply: UpstreamReply, receiver: PieceReceiver) {
    this.#reply = reply;
    this.#receiver = receiver;
  }

  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    const due = this.#due;
    this.#due = undefined;
    due?.();
    if (!this.#isReading && !this.#isOver) void this.#read();
  }

  async #read(): Promise<void> {
    const receiver = this.#receiver;
    this.#isReading = true;
    while (!this.#isHeld && !this.#isOver) {
      try {
        const piece = await this.#reply.read();
        this.#isOver = piece === undefined;
        this.#handOver(() => (piece === undefined ? receiver.ended() : receiver.piece(piece)));
      } catch (error) {
        this.#isOver = true;
        this.#handOver(() => receiver.failed(error));
      }
    }
    this.#isReading = false;
  }

  #handOver(work: () => void): void {
    if (this.#isHeld) this.#due = work;
    else work();
  }
}
