/**
 * One open WebSocket of the responses format: reads its messages, runs them through the relay, and keeps its state
 * until it closes.
 */

import type { Caller } from '../../access/caller.ts';
import type { Carrier } from '../../access/credential.ts';
import type { TokenUse, TokenWatch } from '../../access/token-watch.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { openaiResponses } from '../../formats/openai-responses/format.ts';
import {
  type CreateFrame,
  errorFrame,
  inLane,
  lifetimeFrame,
  readFrame,
} from '../../formats/openai-responses/stream/socket-frames.ts';
import type { Bodies } from '../../http/bodies.ts';
import { editBody, type JsonBody } from '../../http/json/json-body.ts';
import { countedBytesMin } from '../../http/memory/body-memory.ts';
import type { Reply } from '../../http/reply.ts';
import type { RequestHeaders } from '../../http/request-headers.ts';
import type { Socket, SocketHandler } from '../../http/websocket/socket-handler.ts';
import { modelNamed } from '../../relay/admission/model-named.ts';
import { BoundedConnectionMemory, type MemoryBudget } from '../../relay/memory/connection-memory.ts';
import type { Refusals } from '../../relay/refusals/refusals.ts';
import type { Relay } from '../../relay/relay.ts';
import { EventReader } from '../../relay/replies/event-reader.ts';
import type { Admit, Entry, EntryHead, EntryRule } from '../admit.ts';
import type { Report } from '../error-reply.ts';
import { holding } from '../take-body.ts';
import { responses } from './responses.ts';

export const socketCarriers: readonly Carrier[] = ['bearer', 'api-key', 'subprotocol'];

const rule: EntryRule = { endpoint: responses.name, carriers: socketCarriers, counted: 'requests' };
const againRule: EntryRule = { ...rule, counted: 'elsewhere' };

export interface SessionParts {
  readonly admit: Admit;
  readonly relay: Relay;
  readonly report: Report;
  readonly bodies: Bodies;
  readonly bodyBytesMax: number;
  readonly eventBytesMax: number;
  readonly clocks: { readonly clientStallTimeoutMs: number };
  readonly budget: MemoryBudget;
  readonly lifetimeMs?: number;
  /** Ends connections whose token may no longer call. */
  readonly tokens: Pick<TokenWatch, 'watch'>;
  readonly refusals: Pick<Refusals, 'record'>;
  newRequestId(): string;
  nowMs(): number;
}

interface Request {
  readonly id: string;
  readonly frame: CreateFrame;
  readonly body: JsonBody;
  readonly startedAtMs: number;
  /** Present if the message was so large that its request was counted before it was read. */
  readonly entry: Entry | undefined;
  /** The relay records its outcome. */
  recorded: boolean;
}

const defaultLifetimeMs = 3_600_000;
/** Requests that run or are queued on one connection. */
const requestsMax = 16;
/** Bytes that may be buffered for a client before reading from the provider pauses. */
const bufferedBytesMax = 1_048_576;
const encoder = new TextEncoder();
/** Errors of the credential: they end the connection. */
const finalCodes: ReadonlySet<string> = new Set([
  'token_unknown',
  'token_expired',
  'token_disabled',
  'address_not_allowed',
  'endpoint_not_allowed',
]);

export class ResponsesSession implements SocketHandler, TokenUse {
  readonly #parts: SessionParts;
  readonly #head: EntryHead & { readonly request: { readonly headers: RequestHeaders } };
  readonly #memory: BoundedConnectionMemory;
  readonly #lanes = new Map<string | undefined, Promise<void>>();
  readonly #reading = new Set<EventReader>();
  #socket: Socket | undefined;
  #lifetime: Timer | undefined;
  #requests = 0;
  #requestBytes = 0;
  /** Queued messages and their length: they are parsed one after the other, since a large one takes long. */
  #incoming: Promise<void> | undefined;
  #incomingLength = 0;
  /** Set if the connection closes once nothing runs on it. */
  #ending: 'shutdown' | 'lifetime' | undefined;
  #closed = false;
  #wake: (() => void)[] = [];
  readonly caller: Caller;
  readonly #openedAtMs: number;
  #unwatch: (() => void) | undefined;

  /** `caller` is the one that the handshake authenticated, at `openedAtMs`. */
  constructor(
    parts: SessionParts,
    head: EntryHead & { readonly request: { readonly headers: RequestHeaders } },
    { caller, openedAtMs }: { readonly caller: Caller; readonly openedAtMs: number },
  ) {
    this.#parts = parts;
    this.#head = head;
    this.#memory = new BoundedConnectionMemory(parts.budget);
    this.caller = caller;
    this.#openedAtMs = openedAtMs;
  }

  async readmit(): Promise<Caller> {
    const { caller } = await this.#parts.admit(this.#head, againRule, this.#parts.newRequestId());
    return caller;
  }

  endUse(error: GatewayError): void {
    this.#refuse(error, this.#parts.newRequestId(), undefined);
  }

  open(socket: Socket): void {
    this.#socket = socket;
    this.#unwatch = this.#parts.tokens.watch(this, this.#openedAtMs);
    this.#lifetime = setTimeout(() => this.#end('lifetime'), this.#lifetimeMs);
  }

  message(text: string | undefined): void {
    if (text === undefined) {
      this.#socket?.close(1003, 'Send JSON as text.');
      return;
    }
    const id = this.#parts.newRequestId();
    const isSmall = text.length < countedBytesMin;
    const turn = isSmall ? this.#parts.bodies.turnFor(text.length) : undefined;
    if (this.#incoming === undefined && isSmall && turn === undefined) {
      this.#takeSmall(text, id);
      return;
    }
    if (this.#incomingLength > 0 && this.#incomingLength + text.length > this.#parts.bodyBytesMax) {
      const error = tooMuchAtOnce(this.#parts.bodyBytesMax);
      this.#record(error, id);
      this.#refuse(error, id, undefined);
      return;
    }
    this.#incomingLength += text.length;
    const before = this.#incoming ?? Promise.resolve();
    const reading = before
      .then(() => turn)
      .then(() => (isSmall ? this.#takeSmall(text, id) : this.#takeLarge(text, id)))
      .then(() => {
        this.#incomingLength -= text.length;
        if (this.#incoming === reading) this.#incoming = undefined;
      });
    this.#incoming = reading;
  }

  #takeSmall(text: string, id: string): void {
    let lane: string | undefined;
    try {
      const whole = this.#parts.bodies.readSmall(encoder.encode(text));
      const frame = readFrame(whole.tree);
      if (frame.kind === 'answered') {
        if (frame.answer !== undefined) this.#socket?.send(frame.answer);
        return;
      }
      lane = frame.lane;
      const wrapped = frame.wrapped && this.#parts.bodies.readSmall(wrappedBytes(whole, frame.wrapped));
      this.#accept(this.#requestOf(id, frame, editBody(wrapped ?? whole, frame.edits), undefined));
    } catch (error) {
      this.#record(error, id);
      this.#refuse(error, id, lane);
    }
  }

  /** Counted as a request before it is parsed, whatever it contains. */
  async #takeLarge(text: string, id: string): Promise<void> {
    if (this.#closed) return;
    const { bodies } = this.#parts;
    let entry: Entry | undefined;
    let lane: string | undefined;
    try {
      const bytes = await bodies.encode(text);
      entry = holding(bodies, await this.#parts.admit(this.#head, rule, id), bytes.length);
      const whole = await bodies.read(bytes);
      const frame = readFrame(whole.tree);
      if (frame.kind === 'answered') {
        entry.admission.leave(0);
        if (frame.answer !== undefined) this.#socket?.send(frame.answer);
        return;
      }
      lane = frame.lane;
      const wrapped = frame.wrapped && (await bodies.read(wrappedBytes(whole, frame.wrapped)));
      const body = await bodies.edit(wrapped ?? whole, frame.edits);
      this.#accept(this.#requestOf(id, frame, body, entry));
    } catch (error) {
      entry?.admission.leave(0);
      this.#record(error, id);
      this.#refuse(error, id, lane);
    }
  }

  #requestOf(id: string, frame: CreateFrame, body: JsonBody, entry: Entry | undefined): Request {
    return { id, frame, body, startedAtMs: this.#parts.nowMs(), entry, recorded: false };
  }

  drained(): void {
    this.#wakeAll();
  }

  drain(): void {
    this.#end('shutdown');
  }

  closed(): void {
    this.#closed = true;
    this.#unwatch?.();
    clearTimeout(this.#lifetime);
    for (const reader of this.#reading) reader.cancel();
    this.#memory.forget();
    this.#wakeAll();
  }

  get #lifetimeMs(): number {
    return this.#parts.lifetimeMs ?? defaultLifetimeMs;
  }

  /** Requests of one lane run one after the other, those of different lanes concurrently. */
  #accept(request: Request): void {
    const { lane } = request.frame;
    const bytes = request.body.bytes.length;
    const isFull = this.#requestBytes > 0 && this.#requestBytes + bytes > this.#parts.bodyBytesMax;
    if (this.#requests >= requestsMax || isFull) {
      throw tooMuchAtOnce(this.#parts.bodyBytesMax);
    }
    this.#requests++;
    this.#requestBytes += bytes;
    const before = this.#lanes.get(lane) ?? Promise.resolve();
    const work = before
      .then(() => this.#run(request))
      .then(() => {
        this.#requests--;
        this.#requestBytes -= bytes;
        if (this.#lanes.get(lane) === work) this.#lanes.delete(lane);
        this.#endWhenIdle();
      });
    this.#lanes.set(lane, work);
  }

  async #run(request: Request): Promise<void> {
    if (this.#closed) {
      request.entry?.admission.leave(0);
      return;
    }
    try {
      const refusal = this.#socket?.refusal();
      if (refusal !== undefined) {
        request.entry?.admission.leave(0);
        throw refusal;
      }
      await this.#relay(request, await this.#answer(request));
    } catch (error) {
      this.#dropEarlier(request, error);
      if (!request.recorded) this.#record(error, request.id, modelNamed(request.body.tree));
      this.#refuse(error, request.id, request.frame.lane);
    }
  }

  /**
   * As in the original service, the response that a refused request continued is forgotten: its client sends the whole
   * conversation.
   */
  #dropEarlier({ body }: Request, error: unknown): void {
    const earlier = openaiResponses.memory?.previousId(body.tree);
    if (earlier !== undefined && error instanceof GatewayError && error.status === 400) this.#memory.drop(earlier);
  }

  /** The credential is checked each time: a token that was revoked meanwhile starts no more requests. */
  async #answer(request: Request): Promise<Reply> {
    const { id, frame, body, startedAtMs, entry } = request;
    const { caller, admission } = entry === undefined ? await this.#enter(rule, id) : await this.#enterAgain(entry, id);
    request.recorded = true;
    return this.#parts.relay.handle({
      requestId: id,
      endpoint: responses.name,
      format: openaiResponses,
      caller,
      admission,
      body,
      startedAtMs,
      hasLeft: () => this.#closed,
      headers: this.#head.request.headers,
      connection: this.#memory,
      warmUp: !frame.generates,
    });
  }

  async #enter(asked: EntryRule, id: string): Promise<Entry> {
    return this.#parts.admit(this.#head, asked, id);
  }

  async #enterAgain({ admission }: Entry, id: string): Promise<Entry> {
    try {
      return { caller: (await this.#enter(againRule, id)).caller, admission };
    } catch (error) {
      admission.leave(0);
      throw error;
    }
  }

  async #relay({ id, frame }: Request, reply: Reply): Promise<void> {
    const events = new EventReader(reply, this.#parts.eventBytesMax * 2);
    this.#reading.add(events);
    if (this.#closed) events.cancel();
    try {
      for (let batch = await events.next(); batch !== undefined; batch = await events.next()) {
        for (const event of batch) if (!(await this.#send(inLane(event, frame.lane)))) return;
      }
    } catch (cause) {
      if (this.#closed) return;
      this.#parts.report('A reply over a WebSocket broke off.', { requestId: id, cause });
      this.#socket?.close(1011, 'The reply broke off.');
    } finally {
      this.#reading.delete(events);
    }
  }

  /** Waits while the client is behind; false if the connection is closed. */
  async #send(event: string): Promise<boolean> {
    const socket = this.#socket;
    if (socket === undefined || this.#closed) return false;
    if (!socket.send(event)) {
      socket.terminate();
      return false;
    }
    if (socket.bufferedBytes <= bufferedBytesMax) return true;
    while (!this.#closed && socket.bufferedBytes > bufferedBytesMax) {
      // Begins again each time that the client has read some of it.
      const timer = setTimeout(() => socket.terminate(), this.#parts.clocks.clientStallTimeoutMs);
      await new Promise<void>((resolve) => this.#wake.push(resolve));
      clearTimeout(timer);
    }
    return !this.#closed;
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  #record(error: unknown, requestId: string, model = ''): void {
    const { refusals, nowMs } = this.#parts;
    const { tokenId } = this.caller;
    refusals.record({ requestId, tokenId, endpoint: responses.name, model, startedAtMs: nowMs() }, error);
  }

  #refuse(thrown: unknown, requestId: string, lane: string | undefined): void {
    if (this.#closed) return;
    const error = thrown instanceof GatewayError ? thrown : this.#fault(thrown, requestId);
    this.#socket?.send(errorFrame(error, requestId, lane));
    if (finalCodes.has(error.code)) this.#socket?.close(1008, error.code);
  }

  #fault(cause: unknown, requestId: string): GatewayError {
    this.#parts.report('A request failed inside Weir.', { requestId, cause });
    const message = `Internal error. Search the log for ${requestId}.`;
    return new GatewayError('internal_error', message);
  }

  #end(why: 'shutdown' | 'lifetime'): void {
    this.#ending ??= why;
    this.#endWhenIdle();
  }

  #endWhenIdle(): void {
    if (this.#ending === undefined || this.#requests > 0 || this.#closed) return;
    if (this.#ending === 'shutdown') {
      this.#socket?.close(1001, 'Weir is shutting down.');
      return;
    }
    this.#socket?.send(lifetimeFrame(this.#lifetimeMs));
    this.#socket?.close(1000, 'This connection reached its maximum duration.');
  }
}

/** The bytes of the request inside a frame; a small frame whose keys are escaped or doubled is printed again. */
function wrappedBytes({ bytes, fields }: JsonBody, wrapped: object): Uint8Array<ArrayBuffer> {
  const range = fields?.get('response');
  return range === undefined ? encoder.encode(JSON.stringify(wrapped)) : bytes.subarray(range.start, range.end);
}

function tooMuchAtOnce(bytesMax: number): GatewayError {
  const message = `At most ${requestsMax} requests can run or wait on one connection, and ${bytesMax} bytes of them.`;
  return new GatewayError('concurrency_limited', message, { retryAfterMs: 1000 });
}
