/** Frames of the client in their order: most are checked at once, large ones in slices, and those behind them wait. */

import { GatewayError } from '../conversation/gateway-error.ts';
import type { CheckedFrame } from './client-checks.ts';

interface IntakeSide {
  check(text: string): CheckedFrame | Promise<CheckedFrame>;
  take(frame: CheckedFrame): void;
  /** What a check threw. */
  refuse(error: unknown): void;
  /** Ends the session. */
  fail(error: GatewayError): void;
  isOver(): boolean;
  /** Resolves when everything else that waits has had its turn. */
  turn(): Promise<void>;
}

/** What came before counts, so that one large frame is never too much by itself. */
const waitingLengthMax = 16_777_216;

export class FrameIntake {
  readonly #side: IntakeSide;
  #waiting: string[] = [];
  #waitingLength = 0;
  #isChecking = false;

  constructor(side: IntakeSide) {
    this.#side = side;
  }

  clear(): void {
    this.#waiting = [];
    this.#waitingLength = 0;
  }

  take(text: string): void {
    if (!this.#isChecking) {
      const checked = this.#checkedNow(text);
      if (checked !== undefined) void this.#finish(checked, text.length);
      return;
    }
    if (this.#waitingLength > waitingLengthMax) {
      const message = `More than ${waitingLengthMax} characters wait to be read. Send large frames more slowly.`;
      this.#side.fail(new GatewayError('rate_limited', message));
      return;
    }
    this.#waiting.push(text);
    this.#waitingLength += text.length;
  }

  /** Undefined where it is done. */
  #checkedNow(text: string): Promise<CheckedFrame> | undefined {
    try {
      const checked = this.#side.check(text);
      if (checked instanceof Promise) return checked;
      this.#side.take(checked);
    } catch (error) {
      this.#side.refuse(error);
    }
    return undefined;
  }

  async #finish(first: Promise<CheckedFrame>, length: number): Promise<void> {
    this.#isChecking = true;
    this.#waitingLength += length;
    let checked: Promise<CheckedFrame> | undefined = first;
    let checkedLength = length;
    for (;;) {
      try {
        const frame = await checked;
        if (frame !== undefined && !this.#side.isOver()) this.#side.take(frame);
      } catch (error) {
        if (!this.#side.isOver()) this.#side.refuse(error);
      }
      this.#waitingLength = Math.max(0, this.#waitingLength - checkedLength);
      const next = this.#waiting.shift();
      if (next === undefined || this.#side.isOver()) break;
      checkedLength = next.length;
      await this.#side.turn();
      if (this.#side.isOver()) break;
      checked = this.#checkedNow(next);
    }
    this.#isChecking = false;
  }
}
