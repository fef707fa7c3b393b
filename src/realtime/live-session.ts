/**
 * One relayed conversation: frames pass unchanged and in order, in both directions, within bounds; the ledger is kept beside them,
 * and when one side closes, so does the other.
 */

import { GatewayError } from '../conversation/gateway-error.ts';
import { cancelFrame, cancelFrameFor } from '../formats/openai-realtime/client-frames.ts';
import { errorEvent, expiryEvent } from '../formats/openai-realtime/error-event.ts';
import { scrubFault, tellsFault } from '../formats/openai-realtime/fault-events.ts';
import { readServerEvent } from '../formats/openai-realtime/server-events.ts';
import { isSendable, noCodeGiven, sendableCode } from '../framing/websocket/close-codes.ts';
import type { Watched } from '../http/deadlines.ts';
import type { Socket, SocketHandler } from '../http/websocket/socket-handler.ts';
import { scrubberOf } from '../providers/sign/provider-scrubber.ts';
import type { Target } from '../routing/catalogue.ts';
import type { SocketListener, UpstreamSocket } from '../upstream/socket-transport.ts';
import { type CheckedFrame, type CheckParts, checkFrame, FrameRefusal } from './client-checks.ts';
import { FrameIntake } from './frame-intake.ts';
import { FrameQueue } from './frame-queue.ts';
import type { LiveParts } from './live-parts.ts';
import type { TurnLedger } from './turn-ledger.ts';

interface SessionGiven extends CheckParts {
  readonly upstream: UpstreamSocket;
  readonly target: Target;
  readonly ledger: TurnLedger;
  readonly transcribes: boolean;
  /** The first frame to the provider, before any of the client's. */
  readonly firstFrame: string | undefined;
}

/** What may wait for a client before the provider is read no further. */
const clientBytesMax = 1_048_576;
/** How long a provider may take to report the usage of a cancelled response; together with the rest less than a second. */
const lastWordMs = 900;
const reasonLengthMax = 120;
/** Bad frames and bad text: a fault between the provider and Weir, which writes the client's frames again. */
const betweenUs: ReadonlySet<number> = new Set([1002, 1007]);

/** How it ended, as the ledger records it. */
interface End {
  readonly status: number;
  readonly code: string;
}

/** And how the provider's connection is closed. */
interface Leaving extends End {
  readonly closeCode: number;
  readonly closeReason: string;
}

const ordinaryEnd: End = { status: 200, code: '' };
const clientLeft: End = { status: 499, code: 'client_left' };

export class LiveSession implements Watched {
  readonly #parts: LiveParts;
  readonly #given: SessionGiven;
  readonly #openedAtMs: number;
  #target: Target;
  #socket: Socket | undefined;
  readonly #intake: FrameIntake;
  readonly #queue: FrameQueue;
  #lastFrameAtMs: number;
  /** Since when the provider is not read because the client does not take what waits for it. */
  #pausedAtMs: number | undefined;
  #draining = false;
  /** No frame of the client is taken any more, and none is sent to it. */
  #clientOver = false;
  #upstreamOver = false;
  #leaving: Leaving | undefined;
  #lastWord: Timer | undefined;

  constructor(parts: LiveParts, given: SessionGiven) {
    this.#parts = parts;
    this.#given = given;
    this.#target = given.target;
    this.#openedAtMs = parts.nowMs();
    this.#lastFrameAtMs = this.#openedAtMs;
    this.#queue = new FrameQueue(given, {
      send: (frame) => this.#send(frame),
      refuse: (error, about) => this.#tell(errorEvent(error, this.#newEventId(), about)),
      fail: (error, about) => this.#fail(error, closeCodeOf(error), about),
      fault: (cause) => this.#fault(cause),
      isOver: () => this.#clientOver || this.#upstreamOver,
      isDraining: () => this.#draining,
    });
    this.#intake = new FrameIntake({
      check: (text) => checkFrame(given, this.#target, text),
      take: (frame) => this.#queue.take(frame),
      refuse: (error) => this.#refuseFrame(error),
      fail: (error) => this.#fail(error, closeCodeOf(error)),
      isOver: () => this.#clientOver,
      turn: () => parts.slices.turn(),
    });
  }

  readonly clientSide: SocketHandler = {
    open: (socket) => this.#open(socket),
    message: (text) => this.#fromClient(text),
    drained: () => this.#clientDrained(),
    drain: () => this.#drain(),
    closed: (code, reason) => this.#clientClosed(code, reason),
  };

  readonly upstreamSide: SocketListener = {
    message: (message) => this.#fromUpstream(message),
    drained: () => undefined,
    closed: (code, reason) => this.#upstreamClosed(code, reason),
  };

  /** The token may do no more. */
  refuse(error: GatewayError): void {
    this.#fail(error, closeCodeOf(error));
  }

  tick(nowMs: number): void {
    const { sessionIdleMs, sessionTotalMs, clocks } = this.#parts;
    this.#given.ledger.tick(nowMs);
    if (this.#pausedAtMs !== undefined && nowMs - this.#pausedAtMs > clocks.clientStallTimeoutMs) {
      this.#close(1008, 'The client does not read.', clientLeft);
    } else if (nowMs - this.#openedAtMs > sessionTotalMs) this.#expire('lifetime', sessionTotalMs);
    else if (nowMs - this.#lastFrameAtMs > sessionIdleMs) this.#expire('idle', sessionIdleMs);
  }

  #open(socket: Socket): void {
    this.#socket = socket;
    if (this.#upstreamOver) {
      this.#tellUpstreamEnd(1006, '');
      return;
    }
    this.#parts.deadlines.add(this);
    const { upstream, firstFrame } = this.#given;
    if (firstFrame !== undefined) this.#fromClient(firstFrame);
    upstream.resume();
    if (this.#draining) this.#endWhenIdle();
  }

  // From the client to the provider.

  #fromClient(text: string | undefined): void {
    if (this.#clientOver) return;
    if (text === undefined) {
      this.#close(1003, 'Send JSON as text.', { status: 400, code: 'content_type_unsupported' });
      return;
    }
    this.#lastFrameAtMs = this.#parts.nowMs();
    this.#intake.take(text);
  }

  #refuseFrame(error: unknown): void {
    if (error instanceof FrameRefusal) this.#tell(errorEvent(error.error, this.#newEventId(), error.eventId));
    else this.#fail(this.#fault(error), 1011);
  }

  #send(frame: CheckedFrame): void {
    const { upstream, ledger } = this.#given;
    if (frame.target !== undefined && frame.target !== this.#target) {
      this.#target = frame.target;
      ledger.retarget(frame.target);
    }
    ledger.sent(frame);
    upstream.send(frame.text);
  }

  // From the provider to the client.

  #fromUpstream(message: string | Uint8Array): void {
    if (this.#upstreamOver) return;
    if (typeof message !== 'string') {
      const error = new GatewayError('upstream_failed', 'The provider sent a message that is no text.');
      this.#fail(error, 1011);
      return;
    }
    this.#lastFrameAtMs = this.#parts.nowMs();
    this.#note(message);
    this.#tell(tellsFault(message) ? scrubFault(message, scrubberOf(this.#target.provider)) : message);
    const socket = this.#socket;
    if (!this.#clientOver && socket !== undefined && socket.bufferedBytes > clientBytesMax) {
      this.#pausedAtMs ??= this.#parts.nowMs();
      this.#given.upstream.pause();
    }
    if (this.#leaving !== undefined && !this.#given.ledger.expectsReply) this.#endUpstream();
    else if (this.#draining) this.#endWhenIdle();
  }

  #note(text: string): void {
    const { ledger, transcribes } = this.#given;
    ledger.delivered(text.length);
    const event = readServerEvent(text);
    if (event.kind === 'session') ledger.session(event.facts);
    else if (event.kind === 'response-created') ledger.created(event.id, event);
    else if (event.kind === 'response-done') ledger.done(event.id, event.usage, event.failed);
    else if (event.kind === 'audio') ledger.wrote(event.responseId, { audioBytes: event.bytes });
    else if (event.kind === 'text') ledger.wrote(event.responseId, { characters: event.characters });
    else if (event.kind === 'transcribed') ledger.transcribed(event.usage, event.seconds, transcribes);
    else if (event.kind === 'committed') ledger.transcripts.committed();
    else if (event.kind === 'cleared') ledger.transcripts.cleared();
    else if (event.kind === 'untranscribed') ledger.transcripts.untranscribed();
    else if (event.kind === 'error') ledger.refusedByProvider(event.eventId, event.ofResponse);
    if (ledger.lacksSpare) void this.#queue.keepSpare();
  }

  #tell(text: string): void {
    if (this.#clientOver || this.#socket === undefined) return;
    if (!this.#socket.send(text)) this.#socket.terminate();
  }

  #clientDrained(): void {
    if (this.#pausedAtMs === undefined) return;
    // A slow client is not one that does not read.
    this.#pausedAtMs = this.#parts.nowMs();
    if ((this.#socket?.bufferedBytes ?? 0) > clientBytesMax) return;
    this.#pausedAtMs = undefined;
    this.#given.upstream.resume();
  }

  // The end.

  #clientClosed(code: number, reason: string): void {
    this.#overWithClient();
    this.#leaveUpstream({ ...clientLeft, closeCode: sendableCode(code), closeReason: reason });
  }

  #upstreamClosed(code: number, reason: string): void {
    if (this.#upstreamOver) return;
    this.#upstreamOver = true;
    clearTimeout(this.#lastWord);
    const end = this.#leaving ?? (isOrderly(code) ? ordinaryEnd : { status: 502, code: 'upstream_failed' });
    this.#finish(end);
    if (this.#socket !== undefined) this.#tellUpstreamEnd(code, scrubberOf(this.#target.provider)(reason));
  }

  #tellUpstreamEnd(code: number, reason: string): void {
    if (code === noCodeGiven) this.#close(1000, reason, ordinaryEnd);
    else if (isSendable(code) && !betweenUs.has(code)) this.#close(code, reason, ordinaryEnd);
    else this.#fail(new GatewayError('upstream_failed', 'The connection to the provider broke off.'), 1011);
  }

  #drain(): void {
    this.#draining = true;
    this.#endWhenIdle();
  }

  #endWhenIdle(): void {
    if (this.#given.ledger.expectsReply || this.#clientOver || this.#socket === undefined) return;
    this.#close(1001, 'Weir is shutting down.', ordinaryEnd);
  }

  #expire(why: 'idle' | 'lifetime', afterMs: number): void {
    this.#tell(expiryEvent(why, afterMs, this.#newEventId()));
    this.#close(
      1000,
      why === 'idle' ? 'The session was idle for too long.' : 'The session reached its maximum duration.',
      ordinaryEnd,
    );
  }

  #fail(error: GatewayError, closeCode: number, about?: string): void {
    this.#tell(errorEvent(error, this.#newEventId(), about));
    this.#close(closeCode, error.code, { status: error.status, code: error.code });
  }

  /** Closes both sides: the client at once, the provider when it has reported its usage. */
  #close(code: number, reason: string, end: End): void {
    if (!this.#clientOver) {
      this.#overWithClient();
      const socket = this.#socket;
      // First, because the socket reports its end from inside `close`, which is not why the session ends.
      this.#leaveUpstream({ ...end, closeCode: 1000, closeReason: '' });
      socket?.close(code, reason.slice(0, reasonLengthMax));
      return;
    }
    this.#leaveUpstream({ ...end, closeCode: 1000, closeReason: '' });
  }

  #overWithClient(): void {
    this.#clientOver = true;
    this.#intake.clear();
    this.#queue.clear();
    this.#pausedAtMs = undefined;
    this.#parts.deadlines.delete(this);
  }

  /** A response without a client is cancelled; its provider may still report its usage. */
  #leaveUpstream(end: Leaving): void {
    if (this.#upstreamOver || this.#leaving !== undefined) return;
    const { upstream, ledger } = this.#given;
    const expected = ledger.expectsReply;
    // Nothing was cut short: whatever ended the session did not end a response.
    this.#leaving = expected || end.code !== clientLeft.code ? end : { ...end, ...ordinaryEnd };
    if (!expected) {
      this.#endUpstream();
      return;
    }
    const ids = ledger.runningIds;
    if (ids.length < 2) upstream.send(cancelFrame);
    else for (const id of ids) upstream.send(cancelFrameFor(id));
    upstream.resume();
    this.#lastWord = setTimeout(() => this.#endUpstream(), lastWordMs);
  }

  #endUpstream(): void {
    if (this.#upstreamOver) return;
    this.#upstreamOver = true;
    clearTimeout(this.#lastWord);
    const { closeCode, closeReason, ...end } = this.#leaving ?? { ...ordinaryEnd, closeCode: 1000, closeReason: '' };
    this.#finish(end);
    this.#given.upstream.close(closeCode, closeReason);
  }

  #finish({ status, code }: End): void {
    this.#given.ledger
      .finish(status, code)
      .catch((cause: unknown) => this.#parts.warn('A live session could not be closed in the ledger.', { cause }));
  }

  #newEventId(): string {
    return this.#parts.newId('event_');
  }

  #fault(cause: unknown): GatewayError {
    this.#parts.warn('A live session failed inside Weir.', { cause });
    return new GatewayError('internal_error', 'Weir failed to continue the session.');
  }
}

function closeCodeOf({ code }: GatewayError): number {
  if (code === 'shutting_down') return 1001;
  return code === 'internal_error' ? 1011 : 1008;
}

function isOrderly(code: number): boolean {
  return code === 1000 || code === noCodeGiven;
}
