/**
 * A scripted provider of live conversations: a client's text decides how it misbehaves. It keeps an invoice of every
 * response it began, and everything it was sent.
 */

import type { Server, ServerWebSocket } from 'bun';

export interface BilledResponse {
  readonly id: string;
  readonly model: string;
  inputTokens: number;
  outputTokens: number;
  /** Was the usage reported? A response that its provider never finished is not billed. */
  usageReported: boolean;
}

export interface SeenConnection {
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly frames: string[];
  closed: { code: number; reason: string; atMs: number } | undefined;
}

export interface RealtimeProvider {
  readonly base: string;
  readonly connections: SeenConnection[];
  readonly invoice: BilledResponse[];
  /** The next handshakes are answered with these statuses; 0 means no answer at all. */
  refuse(...statuses: number[]): void;
  /** Handshakes that were left without an answer. */
  readonly unanswered: number;
  last(): SeenConnection;
  stop(): void;
}

interface Data {
  readonly seen: SeenConnection;
  readonly model: string;
  turns: number;
  running: { bill: BilledResponse; timer: Timer | undefined } | undefined;
}

type Client = ServerWebSocket<Data>;

export function startRealtimeProvider(): RealtimeProvider {
  const connections: SeenConnection[] = [];
  const invoice: BilledResponse[] = [];
  const refusals: number[] = [];
  let unanswered = 0;
  const server: Server<Data> = Bun.serve<Data>({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch(request, self): Response | Promise<Response> | undefined {
      const url = new URL(request.url);
      const status = refusals.shift();
      if (status === 0) {
        unanswered++;
        return new Promise<Response>(() => undefined);
      }
      if (status !== undefined) {
        const error = { message: `scripted ${status}`, type: 'scripted', code: 'scripted', param: null };
        return Response.json({ error }, { status });
      }
      const headers = Object.fromEntries(request.headers.entries());
      const seen: SeenConnection = { url, headers, frames: [], closed: undefined };
      const model = url.searchParams.get('model') ?? '';
      if (self.upgrade(request, { data: { seen, model, turns: 0, running: undefined } })) {
        connections.push(seen);
        return undefined;
      }
      return new Response('no upgrade', { status: 426 });
    },
    websocket: {
      maxPayloadLength: 64 * 1024 * 1024,
      open: (socket) => say(socket, { type: 'session.created', session: { model: socket.data.model } }),
      message: (socket, message) => hear(socket, String(message), invoice),
      close(socket, code, reason) {
        socket.data.seen.closed = { code, reason, atMs: performance.now() };
        clearTimeout(socket.data.running?.timer);
      },
    },
  });
  return {
    base: `http://127.0.0.1:${server.port}/v1`,
    connections,
    invoice,
    refuse: (...statuses) => void refusals.push(...statuses),
    get unanswered() {
      return unanswered;
    },
    last() {
      const seen = connections.at(-1);
      if (seen === undefined) throw new Error('no client connected');
      return seen;
    },
    stop: () => void server.stop(true),
  };
}

let events = 0;

function say(socket: Client, event: object): void {
  socket.send(JSON.stringify({ event_id: `event_${++events}`, ...event }));
}

interface Frame {
  readonly type: string;
  /** What the provider does; clients of the tests put it into their frames. */
  readonly script?: {
    readonly deltas?: number;
    readonly die?: 'silently' | number;
    readonly hang?: boolean;
    readonly flood?: number;
    readonly binary?: boolean;
    /** One message of so many bytes. */
    readonly whole?: number;
    /** The connection breaks without a close frame. */
    readonly vanish?: boolean;
    readonly transcript?: object;
    readonly usage?: object;
    /** The response begins so much later; it is billed all the same. */
    readonly lateMs?: number;
    /** The response is never reported, but billed. */
    readonly mute?: boolean;
    /** Refused with this code. */
    readonly refuse?: string;
    /** The provider starts so many responses by itself. */
    readonly starts?: number;
  };
  readonly event_id?: string;
  readonly response?: object;
  readonly session?: object;
}

function hear(socket: Client, text: string, invoice: BilledResponse[]): void {
  socket.data.seen.frames.push(text);
  const frame = JSON.parse(text) as Frame;
  const { script = {} } = frame;
  if (script.binary === true) socket.send(new Uint8Array([1, 2, 3]));
  if (script.whole !== undefined) say(socket, { type: 'whole', text: 'x'.repeat(script.whole) });
  if (script.vanish === true) {
    socket.terminate();
    return;
  }
  if (script.flood !== undefined) flood(socket, script.flood);
  if (script.transcript !== undefined) {
    say(socket, {
      type: 'conversation.item.input_audio_transcription.completed',
      transcript: 'hello',
      usage: script.transcript,
    });
  }
  switch (frame.type) {
    case 'session.update':
      say(socket, { type: 'session.updated', session: frame.session });
      break;
    case 'response.create':
      if (script.refuse !== undefined) {
        say(socket, { type: 'error', error: { ...refusal(script.refuse), event_id: frame.event_id ?? null } });
      } else respond(socket, frame, invoice);
      break;
    case 'response.cancel':
      finish(socket, 'cancelled');
      break;
    default:
      for (let count = 0; count < (script.starts ?? 0); count++) respond(socket, frame, invoice);
      say(socket, { type: 'echo', text });
  }
}

function refusal(code: string): object {
  return { type: 'invalid_request_error', code, message: 'As scripted.' };
}

/** Each response costs 100 tokens in, and one out for each piece that was sent, or what the script says. */
function respond(socket: Client, { script = {}, response = {} }: Frame, invoice: BilledResponse[]): void {
  const id = `resp_${Bun.randomUUIDv7()}`;
  const bill = { id, model: socket.data.model, inputTokens: 100, outputTokens: 0, usageReported: false };
  invoice.push(bill);
  socket.data.turns++;
  if (script.mute === true) return;
  const begin = (): void => {
    socket.data.running = { bill, timer: undefined };
    say(socket, { type: 'response.created', response: { ...response, id, status: 'in_progress' } });
    const deltas = script.deltas ?? 3;
    for (let piece = 0; piece < deltas; piece++) {
      bill.outputTokens++;
      say(socket, { type: 'response.output_text.delta', response_id: id, delta: `p${piece} ` });
    }
    if (script.die === 'silently') socket.terminate();
    else if (script.die !== undefined) socket.close(script.die, 'as scripted');
    else if (script.hang !== true) finish(socket, 'completed', script.usage);
  };
  if (script.lateMs === undefined) begin();
  else setTimeout(begin, script.lateMs);
}

function finish(socket: Client, status: string, usage?: object): void {
  const { running } = socket.data;
  if (running === undefined) {
    say(socket, { type: 'error', error: refusal('response_cancel_not_active') });
    return;
  }
  socket.data.running = undefined;
  const { bill } = running;
  bill.usageReported = true;
  const said = usage ?? {
    total_tokens: bill.inputTokens + bill.outputTokens,
    input_tokens: bill.inputTokens,
    output_tokens: bill.outputTokens,
    input_token_details: { text_tokens: bill.inputTokens, audio_tokens: 0, cached_tokens: 0 },
    output_token_details: { text_tokens: bill.outputTokens, audio_tokens: 0 },
  };
  say(socket, { type: 'response.done', response: { id: bill.id, status, usage: said } });
}

/** As fast as the other side takes it, and no faster. */
function flood(socket: Client, megabytes: number): void {
  const piece = JSON.stringify({ type: 'response.output_audio.delta', delta: 'A'.repeat(65_536) });
  let left = megabytes * 16;
  const pour = (): void => {
    while (left > 0 && socket.readyState === 1) {
      if (socket.getBufferedAmount() > 1_000_000) {
        setTimeout(pour, 5);
        return;
      }
      left--;
      socket.send(piece);
    }
  };
  pour();
}
