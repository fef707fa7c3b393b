/** A binary reply: its bytes are sent as they arrive, and where it breaks off so does the client's connection. */

import { WrittenText } from '../../conversation/texts/written-text.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import type { Watched } from '../../http/deadlines.ts';
import { pulledBytesMax, type Reply, type ReplyController, StreamedReply } from '../../http/reply.ts';
import { spokenTokens } from '../../operations/audio/spoken-length.ts';
import type { Consumption } from '../../operations/consumption.ts';
import type { ByteRewriting } from '../../operations/wire.ts';
import { AttemptFailure } from '../../upstream/faults/verdict.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import { clientLeft, timedOut } from '../attempts/abort-reasons.ts';
import type { Attempt } from '../attempts/attempt.ts';
import type { RelayParts } from '../relay-parts.ts';
import { passedType } from '../replies/content-types.ts';
import { replyHeaders } from '../replies/reply-headers.ts';

type Controller = ReplyController;

const none = new WrittenText();
/** Behind a tag of usual length the first frame has begun by then. */
const beginningBytes = 4_096;

export class RawReply implements Watched {
  readonly #parts: RelayParts;
  readonly #attempt: Attempt;
  readonly #upstream: UpstreamReply;
  readonly #rewriting: ByteRewriting | undefined;
  /** Arrived, and is sent with the next pull. */
  #next: Uint8Array | undefined;
  #controller: Controller | undefined;
  #pulling = true;
  #over = false;
  /** Its end waits for the settlement. */
  #isCompleting = false;
  #bytesOut = 0;
  /** Of the provider's reply: how much, and how it begins. */
  #bytesRead = 0;
  #beginning = new Uint8Array();
  #firstEventMs: number | undefined;
  #lastDataAtMs: number;
  #lastSentAtMs: number;

  constructor(parts: RelayParts, attempt: Attempt, upstream: UpstreamReply, rewriting: ByteRewriting | undefined) {
    this.#parts = parts;
    this.#attempt = attempt;
    this.#upstream = upstream;
    this.#rewriting = rewriting;
    this.#lastDataAtMs = this.#lastSentAtMs = parts.nowMs();
  }

  /** Waits for the first bytes; until then nothing was sent and another candidate can be tried. */
  async begin(): Promise<Reply> {
    this.#parts.deadlines.add(this);
    try {
      this.#next = await this.#upstream.read();
    } catch (thrown) {
      this.#parts.deadlines.delete(this);
      const verdict = this.#attempt.verdictOf(thrown);
      this.#attempt.abandon(verdict);
      throw new AttemptFailure(verdict);
    }
    this.#firstEventMs = this.#parts.nowMs() - this.#attempt.call.startedAtMs;
    this.#pulling = false;
    if (this.#attempt.left) void this.#clientLeft();
    const source = {
      start: (controller: Controller) => {
        this.#controller = controller;
      },
      pull: (controller: Controller) => this.#pull(controller),
      heldBytes: () => (this.#next?.buffer.byteLength ?? 0) + (this.#upstream.heldBytes ?? 0),
      cancel: () => this.#clientLeft(),
    };
    return new StreamedReply(source, this.#headers);
  }

  get #headers(): Record<string, string> {
    const own = this.#rewriting?.contentType ?? passedType(this.#upstream.header('content-type') ?? '');
    return replyHeaders(this.#attempt, own);
  }

  async #pull(controller: Controller): Promise<void> {
    this.#pulling = true;
    try {
      const arrived = this.#next ?? (await this.#upstream.read());
      const isMuch = arrived !== undefined && arrived.length > pulledBytesMax;
      this.#next = isMuch ? arrived.subarray(pulledBytesMax) : undefined;
      this.#lastDataAtMs = this.#parts.nowMs();
      if (this.#over) return;
      this.#note(arrived?.subarray(0, pulledBytesMax));
      if (arrived === undefined) return await this.#complete(controller);
      const piece = arrived.subarray(0, pulledBytesMax);
      this.#send(controller, this.#rewriting === undefined ? piece : this.#rewriting.piece(piece));
    } catch (thrown) {
      await this.#fail(controller, thrown);
    } finally {
      this.#pulling = false;
    }
  }

  #note(piece: Uint8Array | undefined): void {
    if (piece === undefined) return;
    if (this.#bytesRead === 0) this.#beginning = piece.slice(0, beginningBytes);
    this.#bytesRead += piece.length;
  }

  /** Audio that is billed by tokens says by its length how many it is; elsewhere what was asked for counts. */
  get #audioUse(): Consumption | undefined {
    const { tokensLikely } = this.#attempt.call.facts.most ?? {};
    if (tokensLikely?.output.audio === undefined || this.#rewriting !== undefined) return undefined;
    const type = this.#upstream.header('content-type') ?? '';
    const tokens = spokenTokens(type, this.#bytesRead, this.#beginning);
    return tokens === 0 ? undefined : { tokens: { ...tokensLikely, output: { total: tokens, audio: tokens } } };
  }

  #send(controller: Controller, bytes: Uint8Array): void {
    this.#bytesOut += bytes.length;
    this.#lastSentAtMs = this.#parts.nowMs();
    this.#attempt.call.claim?.add(bytes);
    controller.enqueue(bytes);
  }

  async #complete(controller: Controller): Promise<void> {
    const last = this.#rewriting?.end();
    const { claim } = this.#attempt.call;
    if (last !== undefined) {
      this.#bytesOut += last.length;
      claim?.add(last);
    }
    this.#isCompleting = true;
    await this.#settle(200, '');
    // The cost is settled: a failure to mark the key must not turn a whole reply into a failed one.
    await claim?.finish(this.#headers).catch(() => undefined);
    if (this.#over) return;
    this.#over = true;
    if (last !== undefined) controller.enqueue(last);
    controller.close();
  }

  /** A body without a frame has no place for an error: only a broken connection shows that it is not whole. */
  async #fail(controller: Controller, thrown: unknown): Promise<void> {
    if (this.#over) return;
    const verdict = this.#attempt.verdictOf(thrown);
    if (verdict.error.code === 'client_left') return this.#clientLeft();
    this.#over = true;
    this.#attempt.abandon(verdict);
    await this.#settle(verdict.error.status, verdict.error.code);
    await this.#attempt.call.claim?.spend();
    controller.error(verdict.error);
  }

  async #clientLeft(): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    // It came whole, and is being settled.
    if (this.#isCompleting) return;
    this.#attempt.abandon(clientLeft());
    await this.#settle(499, 'client_left');
    await this.#attempt.call.claim?.spend();
  }

  async #settle(status: number, code: string): Promise<void> {
    this.#parts.deadlines.delete(this);
    try {
      const derived = this.#audioUse;
      await this.#attempt.settle({
        status,
        code,
        usage: unknownUsage,
        // The reply reports no usage: what was asked for counts, and its length.
        units: {},
        derived,
        written: none,
        firstEventMs: this.#firstEventMs,
        bytesOut: this.#bytesOut,
        served: true,
      });
    } catch (cause) {
      this.#parts.warn('A finished reply could not be settled; the sweeper will.', {
        requestId: this.#attempt.call.requestId,
        cause,
      });
    }
  }

  tick(nowMs: number): void {
    const { clocks } = this.#parts;
    if (this.#attempt.left) return void this.#clientLeft();
    // Nothing reads from the provider at the moment, so the abort was not noticed.
    const isEnded = this.#attempt.signal.aborted && !this.#pulling && !this.#over;
    if (isEnded && this.#controller !== undefined) return void this.#fail(this.#controller, undefined);
    if (!this.#pulling) {
      if (this.#controller === undefined || nowMs - this.#lastSentAtMs <= clocks.clientStallTimeoutMs) return;
      const controller = this.#controller;
      void this.#clientLeft();
      controller.error(new Error('The client stopped reading the response.'));
      return;
    }
    if (nowMs - this.#lastDataAtMs <= clocks.idleTimeoutMs) return;
    const name = this.#attempt.target.provider.name;
    this.#attempt.abandon(timedOut(`The provider ${name} sent nothing for ${clocks.idleTimeoutMs} ms.`));
  }
}
