/**
 * A streamed reply: frames go through the lane's passage to the client. Nothing is sent before the first real event, so that
 * until then another candidate can still be tried; after it, a failure becomes one error event and the end.
 */

import { heldBytes } from '../../framing/held-bytes.ts';
import type { Watched } from '../../http/deadlines.ts';
import { type ReplyController as Controller, pulledBytesMax, type ReplySource } from '../../http/reply.ts';
import { AttemptFailure } from '../../upstream/faults/verdict.ts';
import { receivePieces } from '../../upstream/piece-flow.ts';
import type { PieceFlow, PieceReceiver, UpstreamReply } from '../../upstream/transport.ts';
import { clientLeft, timedOut } from '../attempts/abort-reasons.ts';
import type { Attempt } from '../attempts/attempt.ts';
import { JsonArrayPassage } from '../lanes/json-array.ts';
import type { ConversationLane, Passage } from '../lanes/lane.ts';
import { keepStreamed } from '../memory/keep-reply.ts';
import { noteMade } from '../memory/made-ids.ts';
import type { RelayParts } from '../relay-parts.ts';
import { followStream } from './follow-reply.ts';
import { FramePassing } from './frame-passing.ts';
import { letGoMs } from './let-go.ts';
import { streamHeaders } from './reply-headers.ts';

const encoder = new TextEncoder();
const checkpointMs = 1_000;

export class StreamReply implements Watched, PieceReceiver {
  readonly #parts: RelayParts;
  readonly #attempt: Attempt;
  readonly #passage: Passage;
  readonly #passing: FramePassing;
  readonly #upstream: UpstreamReply;
  #controller: Controller | undefined;
  /** A fault behind the first events, kept until those are sent. */
  #fault: unknown;
  #over = false;
  #bytesOut = 0;
  #lastSentAtMs: number;
  #lastCheckpointAtMs: number;
  /** How many of the ids that the stream brought are noted, and when they are durable. */
  #noted = 0;
  #noting: Promise<void> | undefined;
  /** Whether the first event arrived: until then only `begin` reads. */
  #hasBegun = false;
  /** The client pulled and has not got data yet; otherwise the stream waits for the client. */
  #pulling = true;
  /** The last bytes wait for the settlement. */
  #isCompleting = false;
  #flow: PieceFlow | undefined;
  /** Present while the client has left and the provider's usage is awaited. */
  #readOnEnded: (() => void) | undefined;
  /** Present where the provider finishes the reply in the background: its cost is not this stream's matter. */
  #endFollowed: (() => Promise<void>) | undefined;
  /** The provider's side is over. */
  #isGone = false;
  /** Present while only the end of the provider's side is awaited. */
  #letGoTimer: Timer | undefined;

  constructor(parts: RelayParts, attempt: Attempt, upstream: UpstreamReply, passage: Passage) {
    this.#parts = parts;
    this.#attempt = attempt;
    this.#passage = passage;
    attempt.reads(passage);
    this.#passing = new FramePassing(parts, attempt, passage);
    this.#upstream = upstream;
    this.#lastSentAtMs = this.#lastCheckpointAtMs = parts.nowMs();
  }

  /** Waits for the first event; until then nothing was sent and another candidate can be tried. Throws AttemptFailure. */
  async begin(): Promise<void> {
    this.#parts.deadlines.add(this);
    try {
      await this.#firstEvent();
    } catch (thrown) {
      this.#parts.deadlines.delete(this);
      const verdict = this.#attempt.verdictOf(thrown);
      this.#attempt.abandon(verdict);
      throw new AttemptFailure(verdict);
    }
    this.#hasBegun = true;
    this.#attempt.eventArrived();
    this.#note();
    if (this.#attempt.call.followed) this.#endFollowed = await followStream(this.#attempt, this.#passage);
    this.#lastSentAtMs = this.#parts.nowMs();
    this.#pulling = false;
    if (this.#attempt.left) void this.#clientLeft();
  }

  get headers(): Record<string, string> {
    return streamHeaders(this.#attempt);
  }
  get source(): ReplySource {
    return {
      start: (controller) => {
        this.#controller = controller;
      },
      pull: (controller) => this.#pull(controller),
      heldBytes: () => heldBytes(this.#passing.ready) + (this.#upstream.heldBytes ?? 0),
      cancel: () => this.#clientLeft(),
    };
  }

  async #firstEvent(): Promise<void> {
    const passing = this.#passing;
    while (passing.ready.length === 0 && !passing.ended) {
      const piece = await this.#upstream.read();
      let bytes: Uint8Array | undefined;
      try {
        bytes = piece === undefined ? passing.finish() : passing.take(piece);
      } catch (fault) {
        // Good events in the same read as a bad one are sent first, then the fault.
        bytes = passing.collect();
        if (bytes === undefined) throw fault;
        this.#fault = fault;
      }
      // The rest of the same read is queued already; this precedes it.
      if (bytes !== undefined) passing.ready.unshift(bytes);
    }
  }

  #pull(controller: Controller): undefined {
    // After the client disconnected only `#readOn` reads.
    if (this.#over || this.#isCompleting) return;
    const { ready, ended } = this.#passing;
    this.#pulling = true;
    if (ready.length > 0 || ended) this.#deliverAll(controller, ready.shift());
    else if (this.#fault !== undefined) this.#failLater(this.#fault);
    else this.#read();
  }

  /** The provider's further pieces come by themselves until they are held. Its silence counts from now. */
  #read(): void {
    this.#passing.lastDataAtMs = this.#parts.nowMs();
    this.#flow ??= receivePieces(this.#upstream, this);
    this.#flow.release();
  }

  // Called by the flow.
  piece(piece: Uint8Array): void {
    const passing = this.#passing;
    const controller = this.#controller;
    try {
      if (controller === undefined || this.#over) this.#readPast(piece);
      else if (!passing.ended) this.#deliverAll(controller, passing.take(piece));
    } catch (thrown) {
      this.#failLater(thrown);
    }
  }

  ended(): void {
    const controller = this.#controller;
    this.#gone();
    try {
      if (this.#readOnEnded !== undefined) {
        this.#passing.finish();
        this.#readOnEnded();
      } else if (controller !== undefined && !this.#over && !this.#passing.ended) {
        this.#deliverAll(controller, this.#passing.finish());
      }
    } catch (thrown) {
      this.#failLater(thrown);
    }
  }

  failed(error: unknown): void {
    this.#gone();
    // After the end of the reply nothing is missing, though its cost may still be on its way to the ledger.
    if (!this.#passing.ended) this.#failLater(error);
  }

  /** The client left: what still comes is read for its usage alone, or not at all. */
  #readPast(piece: Uint8Array): void {
    const passing = this.#passing;
    if (this.#readOnEnded === undefined) {
      this.#upstream.cancel();
      return;
    }
    passing.take(piece);
    passing.ready.length = 0;
    if (passing.ended) this.#readOnEnded();
  }

  /**
   * Sends as much as the client has room for; then the flow is held, and the next pull continues. A piece of which
   * nothing is sent answers no pull.
   */
  #deliverAll(controller: Controller, first: Uint8Array | undefined): void {
    const passing = this.#passing;
    for (let bytes = first; bytes !== undefined || passing.ended; bytes = passing.ready.shift()) {
      const closing = this.#deliver(controller, bytes);
      if (closing !== undefined) {
        closing.catch((thrown: unknown) => this.#failLater(thrown));
        return;
      }
      if ((controller.desiredSize ?? 0) > 0) continue;
      this.#pulling = false;
      this.#flow?.hold();
      return;
    }
  }

  #failLater(thrown: unknown): void {
    if (this.#readOnEnded !== undefined) this.#readOnEnded();
    // The reply is over then, and its cost settled: a key that could not be marked as used stays in progress.
    else if (this.#controller !== undefined) this.#broke(this.#controller, thrown).catch(() => undefined);
  }

  async #broke(controller: Controller, thrown: unknown): Promise<void> {
    if (!this.#over && this.#passing.endsWell()) this.#deliverAll(controller, this.#passing.ready.shift());
    else await this.#fail(controller, thrown);
  }

  /** A promise only where this was the end of the reply. */
  #deliver(controller: Controller, bytes: Uint8Array | undefined): Promise<void> | undefined {
    const { ended, ready } = this.#passing;
    if (ended && ready.length === 0 && (bytes?.length ?? 0) <= pulledBytesMax) return this.#complete(controller, bytes);
    if (bytes !== undefined) this.#send(controller, bytes);
    return undefined;
  }

  #send(controller: Controller, bytes: Uint8Array): void {
    if (bytes.length > pulledBytesMax) {
      // A slow client that reads a large piece bit by bit must not look like a stalled one.
      this.#passing.ready.unshift(bytes.subarray(pulledBytesMax));
      bytes = bytes.subarray(0, pulledBytesMax);
    }
    this.#bytesOut += bytes.length;
    this.#lastSentAtMs = this.#parts.nowMs();
    this.#attempt.call.claim?.add(bytes);
    controller.enqueue(bytes);
  }

  /** The last bytes wait until the cost is recorded: a reply whose end a client saw is in the ledger, even after a crash. */
  async #complete(controller: Controller, last: Uint8Array | undefined): Promise<void> {
    this.#isCompleting = true;
    if (last !== undefined) {
      this.#bytesOut += last.length;
      this.#attempt.call.claim?.add(last);
    }
    await this.#settle(200, '');
    // The cost is settled: a failure to mark the key must not turn a whole reply into a failed one.
    await this.#attempt.call.claim?.finish(streamHeaders(this.#attempt)).catch(() => undefined);
    if (this.#noting !== undefined) await this.#noting;
    const keeping = keepStreamed(this.#attempt, this.#passage);
    if (keeping !== undefined) await keeping;
    if (this.#over) {
      this.#letGo();
      return;
    }
    this.#over = true;
    if (last !== undefined) controller.enqueue(last);
    controller.close();
    this.#letGo();
  }

  /** An id belongs to its token before the client can read it, however the stream continues. */
  #note(): void {
    const { made } = this.#passage;
    if (made === undefined || made.length === this.#noted) return;
    this.#noting = noteMade(this.#parts, this.#attempt, made.slice(this.#noted)) ?? this.#noting;
    this.#noted = made.length;
  }

  async #fail(controller: Controller, thrown: unknown): Promise<void> {
    if (this.#over) return;
    const { error } = this.#attempt.verdictOf(thrown);
    if (error.code === 'client_left') return this.#clientLeft();
    this.#over = true;
    this.#attempt.abandon(this.#attempt.verdictOf(thrown));
    const event = encoder.encode(this.#passage.failureText(error));
    this.#bytesOut += event.length;
    try {
      // Events that came whole in the same read as the fault still belong to the client.
      const first = this.#passing.collect();
      if (first !== undefined) controller.enqueue(first);
      for (const piece of this.#passing.ready) controller.enqueue(piece);
      controller.enqueue(event);
      controller.close();
    } catch {
      // The client disconnected; the cost still has to be settled.
    }
    await this.#settle(error.status, error.code);
    await this.#attempt.call.claim?.spend();
  }

  async #clientLeft(): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    // The whole reply is being settled: it came, though its last bytes are not sent.
    if (this.#isCompleting) return;
    if (this.#attempt.leave()) await this.#readOn();
    if (!this.#passing.ended) this.#attempt.abandon(clientLeft());
    await this.#settle(this.#passage.finished && this.#passage.usageIsFinal ? 200 : 499, 'client_left');
    await this.#attempt.call.claim?.spend();
    if (this.#passing.ended) this.#letGo();
  }

  /** Reads until the provider reported its usage, or the attempt's timeout expires. Nothing is sent, and nothing is kept. */
  async #readOn(): Promise<void> {
    if (this.#passing.ended || this.#fault !== undefined) return;
    this.#pulling = true;
    // The provider may break off, or the timeout expire: what came until then is charged.
    await new Promise<void>((resolve) => {
      this.#readOnEnded = resolve;
      this.#read();
    });
  }

  async #settle(status: number, code: string): Promise<void> {
    this.#parts.deadlines.delete(this);
    const { finished, written } = this.#passage;
    const { firstEventMs } = this.#passing;
    this.#note();
    try {
      if (this.#endFollowed !== undefined) return await this.#endFollowed();
      if (this.#attempt.left && !finished && written.characters === 0) {
        return await this.#attempt.settleEnded({ status, code, firstEventMs, bytesOut: this.#bytesOut });
      }
      await this.#attempt.settle({
        status,
        code,
        usage: this.#passage.usage,
        // A complete stream reports nothing more.
        usageIsFinal: code === '' || this.#passage.usageIsFinal,
        units: this.#passage.units,
        written,
        firstEventMs,
        bytesOut: this.#bytesOut,
        losses: this.#passage.losses,
        served: firstEventMs !== undefined,
      });
    } catch (cause) {
      this.#parts.warn('A finished stream could not be settled; the sweeper will.', {
        requestId: this.#attempt.call.requestId,
        cause,
      });
    }
  }

  /** Lets the provider end its side, so that the connection can be reused. */
  #letGo(): void {
    this.#read();
    if (!this.#isGone) this.#letGoTimer = setTimeout(() => this.#upstream.cancel(), letGoMs).unref();
  }

  #gone(): void {
    this.#isGone = true;
    clearTimeout(this.#letGoTimer);
  }

  tick(nowMs: number): void {
    const { clocks } = this.#parts;
    if (nowMs - this.#lastCheckpointAtMs >= checkpointMs && this.#passing.firstEventMs !== undefined) {
      this.#lastCheckpointAtMs = nowMs;
      this.#attempt.checkpoint(this.#passage.written.characters);
    }
    if (this.#over) return;
    if (this.#attempt.left) {
      // Otherwise the read that waits for the first event finds out.
      if (this.#hasBegun) void this.#clientLeft();
      return;
    }
    if (this.#attempt.signal.aborted && !this.#pulling && this.#controller !== undefined) {
      // Nothing reads from the provider at the moment, so the abort was not noticed.
      return void this.#fail(this.#controller, undefined);
    }
    if (!this.#pulling) {
      if (this.#controller !== undefined && nowMs - this.#lastSentAtMs > clocks.clientStallTimeoutMs)
        this.#dropStalledClient();
      return;
    }
    if (nowMs - this.#passing.lastDataAtMs > clocks.idleTimeoutMs) {
      this.#attempt.abandon(
        timedOut(`The provider ${this.#attempt.target.provider.name} sent nothing for ${clocks.idleTimeoutMs} ms.`),
      );
      return;
    }
    if (this.#controller !== undefined && nowMs - this.#lastSentAtMs >= clocks.keepAliveMs) {
      this.#lastSentAtMs = nowMs;
      this.#controller.enqueue(encoder.encode(this.#attempt.call.format.keepAlive));
    }
  }

  #dropStalledClient(): void {
    const controller = this.#controller;
    void this.#clientLeft();
    try {
      controller?.error(new Error('The client stopped reading the response.'));
    } catch {
      // Already closed.
    }
  }
}

export function passageOf({ call, lane }: Attempt<ConversationLane>, eventBytesMax: number): Passage {
  const passage = lane.stream();
  return call.format.framing === 'json-array' ? new JsonArrayPassage(passage, eventBytesMax) : passage;
}
