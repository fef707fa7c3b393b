/**
 * Frames of the client for the provider, in their order: a frame that must be moderated waits for that, one that
 * may start a response for its reservation, and later frames wait too.
 */

import { GatewayError } from '../conversation/gateway-error.ts';
import type { UpstreamSocket } from '../upstream/socket-transport.ts';
import type { CheckedFrame } from './client-checks.ts';
import type { CostlyFrame } from './reservations.ts';
import type { TurnLedger } from './turn-ledger.ts';

interface QueueGiven {
  readonly upstream: UpstreamSocket;
  readonly ledger: TurnLedger;
}

/** What the queue needs of the session. */
interface QueueSide {
  send(frame: CheckedFrame): void;
  /** Tells the client that a frame was not passed on; the session continues. */
  refuse(error: GatewayError, about: string | undefined): void;
  /** Ends the session. */
  fail(error: GatewayError, about?: string): void;
  fault(cause: unknown): GatewayError;
  isOver(): boolean;
  isDraining(): boolean;
}

/**
 * What may wait for the provider. A client is always read, so that its leaving is seen: one that sends much faster than
 * its provider takes is ended here.
 */
const upstreamBytesMax = 16_777_216;

export class FrameQueue {
  readonly #given: QueueGiven;
  readonly #side: QueueSide;
  #frames: CheckedFrame[] = [];
  #bytes = 0;
  #pumping = false;

  constructor(given: QueueGiven, side: QueueSide) {
    this.#given = given;
    this.#side = side;
  }

  clear(): void {
    this.#frames = [];
    this.#bytes = 0;
  }

  take(frame: CheckedFrame): void {
    const { upstream, ledger } = this.#given;
    // What came before counts, so that one large message is never too much by itself.
    if (this.#bytes + upstream.bufferedBytes > upstreamBytesMax) {
      const message = `More than ${upstreamBytesMax} bytes wait for the provider. Send no faster than it takes them.`;
      this.#side.fail(new GatewayError('rate_limited', message));
      return;
    }
    const isFree = this.#frames.length === 0 && !this.#pumping && frame.moderate === undefined;
    if (isFree && ledger.covers(frame)) {
      this.#side.send(frame);
      return;
    }
    this.#frames.push(frame);
    this.#bytes += frame.text.length;
    if (!this.#pumping) void this.#pump();
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    try {
      for (let frame = this.#frames[0]; frame !== undefined; frame = this.#frames[0]) {
        const passes = frame.moderate === undefined || (await this.#passes(frame));
        if (passes && !this.#given.ledger.covers(frame)) await this.#prepare(frame);
        if (this.#side.isOver()) return;
        this.#frames.shift();
        this.#bytes -= frame.text.length;
        if (passes) this.#side.send(frame);
      }
    } catch (error) {
      this.#refuseAll(error instanceof GatewayError ? error : this.#side.fault(error));
    } finally {
      this.#pumping = false;
    }
  }

  /** A frame that may not pass is answered by an error and dropped. */
  async #passes({ moderate, eventId }: CheckedFrame): Promise<boolean> {
    try {
      await moderate?.();
      return true;
    } catch (error) {
      this.#side.refuse(error instanceof GatewayError ? error : this.#side.fault(error), eventId);
      return false;
    }
  }

  /** What runs is paid for and may cost less than is reserved: what is left for another response shows when one has ended. */
  async #prepare(frame: CostlyFrame): Promise<void> {
    const { ledger } = this.#given;
    for (;;) {
      if (this.#side.isDraining()) {
        while (ledger.expectsReply && !this.#side.isOver()) await ledger.untilChange();
        throw new GatewayError('shutting_down', 'Weir is shutting down. Open a new session.');
      }
      const couldFreeMoney = ledger.mayFreeMoney;
      try {
        await ledger.prepare(frame);
        return;
      } catch (error) {
        if (this.#side.isOver()) throw error;
        if (ledger.mayFreeMoney) await ledger.untilChange();
        // What ended while this was refused may have made room for it.
        else if (!couldFreeMoney) throw error;
      }
    }
  }

  /** Each request for a response that is not passed on gets an error with its event id, then the session ends. */
  #refuseAll(error: GatewayError): void {
    const asked = this.#frames.filter(({ starts }, index) => index === 0 || starts === 'response');
    for (const { eventId } of asked.slice(0, -1)) this.#side.refuse(error, eventId);
    this.#side.fail(error, asked.at(-1)?.eventId);
  }

  /** For a provider that starts a response by itself after a silence. */
  async keepSpare(): Promise<void> {
    if (this.#pumping || this.#side.isOver()) return;
    this.#pumping = true;
    try {
      await this.#prepare({ starts: 'audio', audioBytes: 0, outputLimit: undefined, transcription: [] });
    } catch (error) {
      this.#side.fail(error instanceof GatewayError ? error : this.#side.fault(error));
    } finally {
      this.#pumping = false;
    }
    if (this.#frames.length > 0) void this.#pump();
  }
}
