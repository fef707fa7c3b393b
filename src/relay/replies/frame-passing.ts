/** Reads a provider's stream through the lane's passage: cuts it into frames and gathers what goes to the client. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { scrubberOf } from '../../providers/sign/provider-scrubber.ts';
import { AttemptFailure, verdictOfFault } from '../../upstream/faults/verdict.ts';
import { type Frame, FrameReader } from '../../upstream/frame-reader.ts';
import type { Attempt } from '../attempts/attempt.ts';
import { unreadableReply } from '../attempts/unreadable-reply.ts';
import type { Passage } from '../lanes/lane.ts';
import type { RelayParts } from '../relay-parts.ts';

export class FramePassing {
  readonly #parts: RelayParts;
  readonly #attempt: Attempt;
  readonly #passage: Passage;
  readonly #frames: FrameReader;
  #passing: Uint8Array[] = [];
  /** Bytes that wait to be sent, in their order. */
  readonly ready: Uint8Array[] = [];
  /** Nothing more comes that the client needs. */
  ended = false;
  /** Since the request began. */
  firstEventMs: number | undefined;
  lastDataAtMs: number;

  constructor(parts: RelayParts, attempt: Attempt, passage: Passage) {
    this.#parts = parts;
    this.#attempt = attempt;
    this.#passage = passage;
    this.#frames = new FrameReader(parts.limits.streamEventBytesMax);
    this.lastDataAtMs = parts.nowMs();
  }

  /** Reads one chunk through the passage and gives back what of it goes to the client. */
  take(chunk: Uint8Array): Uint8Array | undefined {
    this.lastDataAtMs = this.#parts.nowMs();
    this.#frames.push(chunk, this.#onFrame);
    return this.collect();
  }

  /** The provider ended its side: in good order only after a terminal marker. */
  finish(): Uint8Array | undefined {
    const whole = this.#passing.length;
    this.#frames.end(this.#onFrame);
    // Some formats know only now that the stream was complete.
    const last = this.#passage.finish();
    if (!this.#passage.finished) {
      // An event that no blank line closed would swallow the error that follows it.
      this.#passing.length = whole;
      throw this.#cutOff();
    }
    if (last !== undefined) this.#pass(last);
    this.ended = true;
    return this.collect();
  }

  /** The provider broke off after the terminal marker: nothing is missing. */
  endsWell(): boolean {
    if (this.ended || this.#attempt.signal.aborted) return false;
    const last = this.#passage.finish();
    if (!this.#passage.finished) return false;
    if (last !== undefined) this.#pass(last);
    const first = this.collect();
    if (first !== undefined) this.ready.unshift(first);
    this.ended = true;
    return true;
  }

  /** What passes of this read: the first piece; the others are queued. A read that passes whole is one piece and never copied. */
  collect(): Uint8Array | undefined {
    const passing = this.#passing;
    if (passing.length === 0) return undefined;
    this.#passing = [];
    for (let index = 1; index < passing.length; index++) {
      const piece = passing[index];
      if (piece !== undefined) this.ready.push(piece);
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
    // Some hosts send events without data as keep-alives; clients fail on them.
    if (this.ended || frame.data === '') return;
    const bytes = this.#read(frame);
    if (this.#passage.ended) this.ended = true;
    if (bytes === undefined) return;
    this.firstEventMs ??= this.lastDataAtMs - this.#attempt.call.startedAtMs;
    this.#pass(bytes);
  };

  #read(frame: Frame): Uint8Array | undefined {
    const passage = this.#passage;
    let bytes: ReturnType<Passage['take']>;
    try {
      bytes = passage.take(frame);
    } catch (cause) {
      throw unreadableReply(this.#attempt, cause);
    }
    if (bytes !== 'fault') return bytes;
    const { target, lane } = this.#attempt;
    const { provider } = target;
    throw new AttemptFailure(verdictOfFault(passage.fault, provider.name, scrubberOf(provider), lane.providerFormat));
  }

  #cutOff(): AttemptFailure {
    const message = `The provider ${this.#attempt.target.provider.name} broke off in the middle of its reply.`;
    return new AttemptFailure({
      kind: 'uncertain',
      error: new GatewayError('upstream_failed', message),
      retryAfterMs: undefined,
    });
  }
}
