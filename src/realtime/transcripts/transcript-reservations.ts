/** Money for transcripts: held before the audio is passed on that they are made of, in steps, and given back as they are charged. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Turn } from '../turn.ts';

interface Reserved {
  readonly turn: Turn;
  readonly nano: bigint;
}

interface ReservationParts {
  /** What is owed for transcripts, and what those of the audio so far and of the next frame can cost. */
  neededNano(): bigint;
  /** What one step is held for. */
  stepNano(): bigint;
  /** Throws where the budget has no room for it. */
  open(nano: bigint): Promise<Turn>;
  giveBack(turn: Turn): void;
}

export class TranscriptReservations {
  readonly #parts: ReservationParts;
  #reserved: Reserved[] = [];
  /** No budget counts money. */
  #isFree = false;

  constructor(parts: ReservationParts) {
    this.#parts = parts;
  }

  lacks(): boolean {
    return !this.#isFree && this.#parts.neededNano() > this.#heldNano();
  }

  async prepare(): Promise<void> {
    while (this.lacks()) {
      const missing = this.#parts.neededNano() - this.#heldNano();
      const step = this.#parts.stepNano();
      const nano = step > missing ? step : missing;
      const turn = await this.#open(nano, missing);
      this.#isFree = turn.turn.reserveNano === 0n;
      if (this.#isFree) this.#parts.giveBack(turn.turn);
      else this.#reserved.push(turn);
    }
  }

  /** Near the end of a budget only what is missing. */
  async #open(nano: bigint, missing: bigint): Promise<Reserved> {
    try {
      return { turn: await this.#parts.open(nano), nano };
    } catch (error) {
      if (nano === missing || !(error instanceof GatewayError) || error.code !== 'budget_spent') throw error;
      return { turn: await this.#parts.open(missing), nano: missing };
    }
  }

  /** One that transcripts can be charged with: the others hold enough for what is not transcribed yet. */
  takeFor(pendingNano: bigint): Turn | undefined {
    const [first] = this.#reserved;
    if (first === undefined || this.#heldNano() - first.nano < pendingNano) return undefined;
    this.#reserved.shift();
    return first.turn;
  }

  /** Gives back what is needed no more. */
  trim(): void {
    const needed = this.#parts.neededNano();
    for (let turn = this.takeFor(needed); turn !== undefined; turn = this.takeFor(needed)) this.#parts.giveBack(turn);
  }

  takeAll(): readonly Turn[] {
    return this.#reserved.splice(0).map(({ turn }) => turn);
  }

  #heldNano(): bigint {
    return this.#reserved.reduce((sum, { nano }) => sum + nano, 0n);
  }
}
