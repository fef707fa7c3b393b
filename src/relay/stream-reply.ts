/**
 * A streamed reply: frames go through the lane's passage to the client. Nothing is sent before the first real event, so that
 * until then another candidate can still be asked; after it, a failure becomes one error event and the end.
 */

import { GatewayError } from '../conversation/gateway-error.ts';
import type { Watched } from '../http/deadlines.ts';
import { type Frame, FrameReader } from '../upstream/frame-reader.ts';
import type { UpstreamReply } from '../upstream/transport.ts';
import { AttemptFailure, verdictOfFault } from '../upstream/verdict.ts';
import { type Attempt, clientLeft, timedOut } from './attempt.ts';
import type { RelayParts } from './call.ts';
import { JsonArrayPassage } from './lanes/json-array.ts';
import type { ConversationLane, Passage } from './lanes/lane.ts';
import { unreadable } from './no-reply.ts';
import { streamHeaders } from './reply-headers.ts';

type Controller = ReadableStreamDefaultController<Uint8Array>;

/** A reply's body as the runtime pulls it. */
export interface StreamSource {
  start(controller: Controller): void;
  pull(controller: Controller): Promise<void>;
  cancel(): Promise<void>;
}

const encoder = new TextEncoder();
const checkpointMs = 1_000;
const sentBytesMax = 65_536;

export class StreamReply implements Watched {
  readonly #parts: RelayParts;
  readonly #attempt: Attempt;
  readonly #passage: Passage;
  readonly #frames: FrameReader;
  readonly #upstream: UpstreamReply;
  #controller: Controller | undefined;
  /** Bytes that became ready before the head was sent. */
  #ready: Uint8Array[] = [];
  #passing: Uint8Array[] = [];
  /** What was wrong after the first events, kept until those are sent. */
  #fault: unknown;
  #ended = false;
  #over = false;
  #firstEventMs: number | undefined;
  #bytesOut = 0;
  #lastDataAtMs: number;
  #lastSentAtMs: number;
  #lastCheckpointAtMs: number;
  /** The client asked for more and has not got it yet; otherwise it is the client we wait for. */
  #pulling = true;

  constructor(parts: RelayParts, attempt: Attempt, upstream: UpstreamReply, passage: Passage) {
    this.#parts = parts;
    this.#attempt = attempt;
    this.#passage = passage;
    this.#frames = new FrameReader(parts.limits.streamEventBytesMax);
    this.#upstream = upstream;
    this.#lastDataAtMs = this.#lastSentAtMs = this.#lastCheckpointAtMs = parts.nowMs();
  }

  /** Waits for the first event; until then nothing was sent and another candidate can be asked. Throws AttemptFailure. */
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
    this.#attempt.eventArrived();
    this.#lastSentAtMs = this.#parts.nowMs();
    this.#pulling = false;
  }

  get headers(): Record<string, string> {
    return streamHeaders(this.#attempt);
  }

  get source(): StreamSource {
    return {
      start: (controller) => {
        this.#controller = controller;
      },
      pull: (controller) => this.#pull(controller),
      cancel: () => this.#clientLeft(),
    };
  }

  async #firstEvent(): Promise<void> {
    while (this.#ready.length === 0 && !this.#ended) {
      const piece = await this.#upstream.read();
      let bytes: Uint8Array | undefined;
      try {
        bytes = piece === undefined ? this.#finish() : this.#take(piece);
      } catch (fault) {
        // Good events that came in the same read as a bad one have been worked for: the client gets them, then the fault.
        bytes = this.#collect();
        if (bytes === undefined) throw fault;
        this.#fault = fault;
      }
      // The rest of the same read was put by already; this is what came before it.
      if (bytes !== undefined) this.#ready.unshift(bytes);
    }
  }

  async #pull(controller: Controller): Promise<void> {
    this.#pulling = true;
    try {
      let bytes = this.#ready.shift();
      if (bytes === undefined && this.#fault !== undefined) throw this.#fault;
      while (bytes === undefined && !this.#ended) {
        const piece = await this.#upstream.read();
        bytes = piece === undefined ? this.#finish() : this.#take(piece);
      }
      const closing = this.#over ? undefined : this.#deliver(controller, bytes);
      if (closing !== undefined) await closing;
    } catch (thrown) {
      if (this.#endsWell()) await this.#deliver(controller, this.#ready.shift());
      else await this.#fail(controller, thrown);
    } finally {
      this.#pulling = false;
    }
  }

  /** A promise only where this was the end of the reply. */
  #deliver(controller: Controller, bytes: Uint8Array | undefined): Promise<void> | undefined {
    if (this.#ended && this.#ready.length === 0 && (bytes?.length ?? 0) <= sentBytesMax)
      return this.#complete(controller, bytes);
    if (bytes !== undefined) this.#send(controller, bytes);
    return undefined;
  }

  /** The provider broke off after it had told the end: what is missing does not matter. */
  #endsWell(): boolean {
    if (this.#over || this.#ended || this.#attempt.signal.aborted) return false;
    const last = this.#passage.finish();
    if (!this.#passage.finished) return false;
    if (last !== undefined) this.#pass(last);
    const first = this.#collect();
    if (first !== undefined) this.#ready.unshift(first);
    this.#ended = true;
    return true;
  }

  #send(controller: Controller, bytes: Uint8Array): void {
    if (bytes.length > sentBytesMax) {
      // A slow client that takes a large piece in small sips must not look like one that takes nothing.
      this.#ready.unshift(bytes.subarray(sentBytesMax));
      bytes = bytes.subarray(0, sentBytesMax);
    }
    this.#bytesOut += bytes.length;
    this.#lastSentAtMs = this.#parts.nowMs();
    this.#attempt.call.claim?.add(bytes);
    controller.enqueue(bytes);
  }

  /** Reads one chunk through the passage and gives back what of it goes to the client. */
  #take(chunk: Uint8Array): Uint8Array | undefined {
    this.#lastDataAtMs = this.#parts.nowMs();
    this.#frames.push(chunk, this.#onFrame);
    return this.#collect();
  }

  /** The provider ended its side: in good order only after a terminal marker. */
  #finish(): Uint8Array | undefined {
    const whole = this.#passing.length;
    this.#frames.end(this.#onFrame);
    // Some formats can tell only now that what they said was the end.
    const last = this.#passage.finish();
    if (!this.#passage.finished) {
      // An event that no blank line closed would swallow the error that follows it.
      this.#passing.length = whole;
      throw this.#cutOff();
    }
    if (last !== undefined) this.#pass(last);
    this.#ended = true;
    return this.#collect();
  }

  /** What passes of this read: the first piece, the others put by. A read that passes whole is one piece and never copied. */
  #collect(): Uint8Array | undefined {
    const passing = this.#passing;
    if (passing.length === 0) return undefined;
    this.#passing = [];
    for (let index = 1; index < passing.length; index++) {
      const piece = passing[index];
      if (piece !== undefined) this.#ready.push(piece);
    }
    return passing[0];
  }

  #pass(raw: Uint8Array): void {
    const last = this.#passing.length - 1;
    const before = this.#passing[last];
    if (before === undefined || before.buffer !== raw.buffer || before.byteOffset + before.length !== raw.byteOffset) {
      this.#passing.push(raw);
    } else this.#passing[last] = new Uint8Array(raw.buffer, before.byteOffset, before.length + raw.length);
  }

  readonly #onFrame = (frame: Frame): void => {
    if (this.#ended) return;
    const bytes = this.#read(frame);
    if (this.#passage.ended) this.#ended = true;
    if (bytes === undefined) return;
    this.#firstEventMs ??= this.#lastDataAtMs - this.#attempt.call.startedAtMs;
    this.#pass(bytes);
  };

  #read(frame: Frame): Uint8Array | undefined {
    const passage = this.#passage;
    let bytes: ReturnType<Passage['take']>;
    try {
      bytes = passage.take(frame);
    } catch (cause) {
      throw unreadable(this.#attempt, cause);
    }
    if (bytes !== 'fault') return bytes;
    const { provider } = this.#attempt.target;
    throw new AttemptFailure(verdictOfFault(passage.fault, provider.name, this.#attempt.key.value));
  }

  #cutOff(): AttemptFailure {
    const message = `The provider ${this.#attempt.target.provider.name} broke off in the middle of its reply.`;
    return new AttemptFailure({
      kind: 'uncertain',
      error: new GatewayError('upstream_failed', message),
      retryAfterMs: undefined,
    });
  }

  /** The last bytes wait until the money is recorded: a client that saw the end of a reply finds it in the ledger, whatever happens. */
  async #complete(controller: Controller, last: Uint8Array | undefined): Promise<void> {
    if (last !== undefined) {
      this.#bytesOut += last.length;
      this.#attempt.call.claim?.add(last);
    }
    await this.#settle(200, '');
    // The money is settled: a key that could not be marked must not turn a whole reply into a failed one.
    await this.#attempt.call.claim?.finish(streamHeaders(this.#attempt)).catch(() => undefined);
    const keeping = this.#keep();
    if (keeping !== undefined) await keeping;
    if (this.#over) return;
    this.#over = true;
    if (last !== undefined) controller.enqueue(last);
    controller.close();
    this.#letGo();
  }

  /** A client that saw the end may refer to the reply at once, so that it is kept before that. */
  #keep(): Promise<void> | undefined {
    const { call, target, key } = this.#attempt;
    const { lastEvent, usage } = this.#passage;
    if (call.memory === undefined || lastEvent === undefined) return undefined;
    const reply = call.memory.replyIn(lastEvent);
    return reply && call.memory.keep(target, key.id, reply, Buffer.byteLength(lastEvent), usage);
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
      const first = this.#collect();
      if (first !== undefined) this.#ready.unshift(first);
      for (const piece of this.#ready) controller.enqueue(piece);
      controller.enqueue(event);
      controller.close();
    } catch {
      // The client's side is gone already; the money still has to be settled.
    }
    await this.#settle(error.status, error.code);
    await this.#attempt.call.claim?.spend();
  }

  async #clientLeft(): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    this.#attempt.abandon(clientLeft());
    const complete = this.#passage.finished && this.#passage.usageIsFinal;
    await this.#settle(complete ? 200 : 499, 'client_left');
    await this.#attempt.call.claim?.spend();
  }

  async #settle(status: number, code: string): Promise<void> {
    this.#parts.deadlines.delete(this);
    try {
      await this.#attempt.settle({
        status,
        code,
        usage: this.#passage.usage,
        // A stream that ended in good order reports nothing more.
        usageIsFinal: code === '' || this.#passage.usageIsFinal,
        units: this.#passage.units,
        written: this.#passage.written,
        firstEventMs: this.#firstEventMs,
        bytesOut: this.#bytesOut,
        served: this.#firstEventMs !== undefined,
      });
    } catch (cause) {
      this.#parts.warn('A finished stream could not be settled; the sweeper will.', {
        requestId: this.#attempt.call.requestId,
        cause,
      });
    }
  }

  /** Lets the provider end its side by itself, so that the connection can be used again. */
  #letGo(): void {
    void this.#upstream.read().then(
      (piece) => {
        if (piece !== undefined) this.#upstream.cancel();
      },
      () => undefined,
    );
  }

  tick(nowMs: number): void {
    const { clocks } = this.#parts;
    if (nowMs - this.#lastCheckpointAtMs >= checkpointMs && this.#firstEventMs !== undefined) {
      this.#lastCheckpointAtMs = nowMs;
      this.#attempt.checkpoint(this.#passage.written.characters);
    }
    if (!this.#pulling) {
      if (this.#controller !== undefined && nowMs - this.#lastSentAtMs > clocks.clientStallTimeoutMs)
        this.#dropStalledClient();
      return;
    }
    if (nowMs - this.#lastDataAtMs > clocks.idleTimeoutMs) {
      this.#attempt.abandon(
        timedOut(`The provider ${this.#attempt.target.provider.name} sent nothing for ${clocks.idleTimeoutMs} ms.`),
      );
      return;
    }
    if (this.#controller !== undefined && nowMs - this.#lastSentAtMs >= clocks.keepAliveMs && !this.#over) {
      this.#lastSentAtMs = nowMs;
      this.#controller.enqueue(encoder.encode(this.#attempt.call.format.keepAlive));
    }
  }

  #dropStalledClient(): void {
    const controller = this.#controller;
    void this.#clientLeft();
    try {
      controller?.error(new Error('The client read nothing for too long.'));
    } catch {
      // Already closed.
    }
  }
}

export function passageOf({ call, lane }: Attempt<ConversationLane>, eventBytesMax: number): Passage {
  const passage = lane.stream();
  return call.format.framing === 'json-array' ? new JsonArrayPassage(passage, eventBytesMax) : passage;
}
