/**
 * A streamed reply that must pass the gate: held whole until it is moderated, while keep-alives keep the client's connection
 * open. Nothing of it is sent before that, so a provider that breaks off can still be replaced by a fallback.
 */

import { Folding } from '../../conversation/events/fold.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { TextReply } from '../../conversation/text-reply.ts';
import type { StreamReader } from '../../formats/codec.ts';
import type { Watched } from '../../http/deadlines.ts';
import { pulledBytesMax } from '../../http/reply.ts';
import { scrubberOf } from '../../providers/sign/provider-scrubber.ts';
import { AttemptFailure, type Verdict, verdictOfFault } from '../../upstream/faults/verdict.ts';
import { type Frame, FrameReader } from '../../upstream/frame-reader.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import { clientLeft, timedOut } from '../attempts/abort-reasons.ts';
import type { Attempt } from '../attempts/attempt.ts';
import { unreadableReply } from '../attempts/unreadable-reply.ts';
import { jsonArrayOf } from '../lanes/json-array.ts';
import type { ConversationLane, Passage } from '../lanes/lane.ts';
import { keepStreamed } from '../memory/keep-reply.ts';
import { noteMade } from '../memory/made-ids.ts';
import type { RelayParts } from '../relay-parts.ts';
import type { OpenedStream } from '../replies/hold-head.ts';
import { letGoMs } from '../replies/let-go.ts';
import { streamHeaders } from '../replies/reply-headers.ts';
import { type GatedReply, readContext, withheld } from './gated-reply.ts';

export class GatedStream implements Watched {
  readonly #parts: RelayParts;
  readonly #attempt: Attempt<ConversationLane>;
  readonly #upstream: UpstreamReply;
  readonly #passage: Passage;
  readonly #frames: FrameReader;
  /** Reads what the client would get. */
  readonly #shownFrames: FrameReader;
  readonly #shown: StreamReader;
  readonly #folding = new Folding();
  /** Why what the client would get cannot be read, and so not be moderated. */
  #illegible: unknown;
  readonly #held: Uint8Array[] = [];
  #heldBytes = 0;
  #firstEventMs: number | undefined;
  #lastDataAtMs: number;

  constructor(parts: RelayParts, attempt: Attempt<ConversationLane>, upstream: UpstreamReply) {
    this.#parts = parts;
    this.#attempt = attempt;
    this.#upstream = upstream;
    this.#passage = attempt.lane.stream();
    attempt.reads(this.#passage);
    this.#frames = new FrameReader(parts.limits.streamEventBytesMax);
    // An event may grow on its way into another format.
    this.#shownFrames = new FrameReader(parts.limits.replyBytesMax);
    this.#shown = attempt.call.format.codec.streamReader(readContext(parts, attempt));
    this.#lastDataAtMs = parts.nowMs();
  }

  /** Reads to the end, asks for the verdict and settles. Throws AttemptFailure where there is nothing to send. */
  async open(gated: GatedReply): Promise<OpenedStream> {
    await this.#readAll(gated);
    const { gate, call, trail } = gated;
    // Nothing was held since: there is nothing to moderate or to send.
    if (this.#attempt.left) throw await this.#ended(clientLeft().error, gated);
    const refusal = await gate.checkReply(call, () => this.#reply());
    const bytes = refusal === undefined ? this.#bytes() : undefined;
    await this.#settle(refusal, bytes?.length ?? 0);
    trail.settled = true;
    if (refusal !== undefined || bytes === undefined) throw await withheld(call, refusal ?? this.#cutOff());
    // It was read whole, so that its losses are known before its head.
    const headers = streamHeaders(this.#attempt, this.#passage.losses);
    call.claim?.add(bytes);
    await call.claim?.finish(headers).catch(() => undefined);
    const noting = noteMade(this.#parts, this.#attempt, this.#passage.made);
    if (noting !== undefined) await noting;
    const keeping = keepStreamed(this.#attempt, this.#passage);
    if (keeping !== undefined) await keeping;
    return { headers, source: sourceOf(bytes) };
  }

  async #readAll(gated: GatedReply): Promise<void> {
    this.#parts.deadlines.add(this);
    try {
      while (!this.#passage.ended) {
        const piece = await this.#upstream.read();
        this.#lastDataAtMs = this.#parts.nowMs();
        if (piece === undefined) this.#finish();
        else this.#frames.push(piece, this.#onFrame);
      }
    } catch (thrown) {
      // A reply that reached its terminal marker is complete.
      if (this.#passage.finished && !this.#attempt.signal.aborted) this.#hold(this.#passage.finish());
      else throw await this.#brokenOff(this.#attempt.verdictOf(thrown), gated);
    } finally {
      this.#parts.deadlines.delete(this);
    }
    this.#letGo();
  }

  /** A client that disconnects in the middle is charged for what came so far, though it got nothing of it. */
  async #brokenOff(verdict: Verdict, gated: GatedReply): Promise<AttemptFailure> {
    if (verdict.kind !== 'limit' || this.#firstEventMs === undefined) return new AttemptFailure(verdict);
    this.#attempt.abandon(verdict);
    return this.#ended(verdict.error, gated);
  }

  async #ended(error: GatewayError, { call, trail }: GatedReply): Promise<AttemptFailure> {
    await this.#settle(error, 0);
    trail.settled = true;
    return withheld(call, error);
  }

  readonly #onFrame = (frame: Frame): void => {
    if (this.#passage.ended) return;
    let bytes: ReturnType<Passage['take']>;
    try {
      bytes = this.#passage.take(frame);
    } catch (cause) {
      throw unreadableReply(this.#attempt, cause);
    }
    if (bytes === 'fault') {
      const { target, lane } = this.#attempt;
      const { provider } = target;
      throw new AttemptFailure(
        verdictOfFault(this.#passage.fault, provider.name, scrubberOf(provider), lane.providerFormat),
      );
    }
    this.#hold(bytes);
  };

  #finish(): void {
    this.#frames.end(this.#onFrame);
    this.#hold(this.#passage.finish());
    if (!this.#passage.finished) {
      throw new AttemptFailure({ kind: 'uncertain', error: this.#cutOff(), retryAfterMs: undefined });
    }
  }

  #hold(bytes: Uint8Array | undefined): void {
    if (bytes === undefined) return;
    this.#firstEventMs ??= this.#lastDataAtMs - this.#attempt.call.startedAtMs;
    if (this.#attempt.left) return;
    this.#heldBytes += bytes.length;
    const { replyBytesMax } = this.#parts.limits;
    if (this.#heldBytes > replyBytesMax) {
      const message = `The reply is larger than the ${replyBytesMax} bytes that can be held for moderation.`;
      const error = new GatewayError('upstream_failed', message);
      throw new AttemptFailure({ kind: 'limit', error, retryAfterMs: undefined });
    }
    // A copy: the connection reuses its read buffer.
    this.#held.push(new Uint8Array(bytes));
    this.#shownFrames.push(bytes, this.#onShown);
  }

  readonly #onShown = ({ data, event }: Frame): void => {
    if (data === undefined || this.#illegible !== undefined) return;
    try {
      for (const each of this.#shown.read(data, event)) this.#folding.add(each);
    } catch (cause) {
      this.#illegible = cause;
    }
  };

  #reply(): TextReply {
    this.#shownFrames.end(this.#onShown);
    if (this.#illegible !== undefined) throw this.#illegible;
    for (const each of this.#shown.end()) this.#folding.add(each);
    return this.#folding.reply;
  }

  #bytes(): Uint8Array {
    const events = Buffer.concat(this.#held);
    if (this.#attempt.call.format.framing !== 'json-array') return events;
    return new TextEncoder().encode(jsonArrayOf(events.toString('utf8')));
  }

  async #settle(refusal: GatewayError | undefined, bytesOut: number): Promise<void> {
    const { usage, usageIsFinal, finished, units, written } = this.#passage;
    try {
      await this.#attempt.settle({
        status: refusal?.status ?? 200,
        code: refusal?.code ?? '',
        usage,
        usageIsFinal: usageIsFinal || finished,
        units,
        written,
        firstEventMs: this.#firstEventMs,
        bytesOut,
        losses: this.#passage.losses,
        served: this.#firstEventMs !== undefined,
      });
    } catch (cause) {
      const { requestId } = this.#attempt.call;
      this.#parts.warn('A held stream could not be settled; the sweeper will.', { requestId, cause });
    }
  }

  #cutOff(): GatewayError {
    const message = `The provider ${this.#attempt.target.provider.name} broke off in the middle of its reply.`;
    return new GatewayError('upstream_failed', message);
  }

  /** Lets the provider end its side, so that the connection can be reused. */
  #letGo(): void {
    const timer = setTimeout(() => this.#upstream.cancel(), letGoMs).unref();
    void this.#upstream
      .read()
      .then(
        (piece) => {
          if (piece !== undefined) this.#upstream.cancel();
        },
        () => undefined,
      )
      .finally(() => clearTimeout(timer));
  }

  tick(nowMs: number): void {
    const { idleTimeoutMs } = this.#parts.clocks;
    if (nowMs - this.#lastDataAtMs <= idleTimeoutMs) return;
    const { name } = this.#attempt.target.provider;
    this.#attempt.abandon(timedOut(`The provider ${name} sent nothing for ${idleTimeoutMs} ms.`));
  }
}

/** The moderated bytes, as fast as the client reads them. */
function sourceOf(bytes: Uint8Array): OpenedStream['source'] {
  let sent = 0;
  return {
    start: () => undefined,
    heldBytes: () => bytes.buffer.byteLength,
    async pull(controller) {
      if (sent < bytes.length) controller.enqueue(bytes.subarray(sent, sent + pulledBytesMax));
      sent += pulledBytesMax;
      if (sent >= bytes.length) controller.close();
    },
    cancel: async () => undefined,
  };
}
