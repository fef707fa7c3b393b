/**
 * A provider of many live conversations at once, as a program of its own: it numbers what it says on each connection, checks the
 * numbers of what it hears, and keeps an invoice. Ends when its standard input does.
 */

import type { ServerWebSocket } from 'bun';

/** What a client of the crowd says; each frame carries the client's nonce and the next number. */
export interface CrowdFrame {
  readonly type: string;
  readonly nonce: string;
  readonly n: number;
  /** Present on the last frame of all. */
  readonly last?: boolean;
}

/** Every frame back carries both nonces, so that one that strayed is known on either side. */
export interface CrowdEvent {
  readonly type: string;
  readonly connection: string;
  readonly nonce: string;
  readonly n: number;
  /** On the last frame: how many frames were heard. */
  readonly heard?: number;
}

export interface CrowdInvoice {
  readonly connections: number;
  readonly framesHeard: number;
  readonly framesSaid: number;
  readonly faults: readonly string[];
  readonly responses: readonly { readonly inputTokens: number; readonly outputTokens: number }[];
}

interface Connection {
  readonly id: string;
  nonce: string;
  heard: number;
  said: number;
  over: boolean;
}

type Client = ServerWebSocket<Connection>;

const everyMs = Number(process.argv[2] ?? 100);
/** What a tenth of a second of speech is at the telephone's rate. */
const sound = 'A'.repeat(1_068);
const open = new Set<Client>();
const faults: string[] = [];
const responses: { inputTokens: number; outputTokens: number }[] = [];
let connections = 0;
let framesHeard = 0;
let framesSaid = 0;

function say(socket: Client, type: string, fields: object = {}): void {
  const { data } = socket;
  framesSaid++;
  const { id: connection, nonce } = data;
  socket.send(JSON.stringify({ type, connection, nonce, n: data.said++, ...fields }));
}

function hear(socket: Client, frame: CrowdFrame): void {
  const { data } = socket;
  framesHeard++;
  if (data.nonce === '') data.nonce = frame.nonce;
  if (frame.nonce !== data.nonce) faults.push(`${data.nonce} heard a frame of ${frame.nonce}`);
  if (frame.n !== data.heard) faults.push(`${data.nonce} heard ${frame.n} instead of ${data.heard}`);
  data.heard++;
  if (frame.last === true) {
    data.over = true;
    say(socket, 'tally', { heard: data.heard });
  } else if (frame.type === 'response.create') respond(socket);
}

/** Responses differ in what they use, so that rows which were mixed up would show. */
function respond(socket: Client): void {
  const response_id = `resp_${responses.length}`;
  const bill = { inputTokens: 100 + (responses.length % 97), outputTokens: 3 + (responses.length % 5) };
  responses.push(bill);
  say(socket, 'response.created', { response: { id: response_id } });
  for (let piece = 0; piece < bill.outputTokens; piece++) {
    say(socket, 'response.output_text.delta', { response_id, delta: `p${piece}` });
  }
  const usage = { input_tokens: bill.inputTokens, output_tokens: bill.outputTokens };
  say(socket, 'response.done', { response: { id: response_id, status: 'completed', usage } });
}

const server = Bun.serve<Connection>({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request, self) {
    if (new URL(request.url).pathname === '/invoice') {
      const invoice: CrowdInvoice = { connections, framesHeard, framesSaid, faults: faults.slice(0, 20), responses };
      return Response.json(invoice);
    }
    const data: Connection = { id: crypto.randomUUID(), nonce: '', heard: 0, said: 0, over: false };
    return self.upgrade(request, { data }) ? undefined : new Response('no upgrade', { status: 426 });
  },
  websocket: {
    idleTimeout: 0,
    open(socket) {
      connections++;
      open.add(socket);
      say(socket, 'session.created', { session: {} });
    },
    message: (socket, message) => hear(socket, JSON.parse(String(message)) as CrowdFrame),
    close: (socket) => void open.delete(socket),
  },
});

setInterval(() => {
  for (const socket of open) {
    if (socket.data.nonce !== '' && !socket.data.over) say(socket, 'response.output_audio.delta', { delta: sound });
  }
}, everyMs);
console.log(server.port);
process.stdin.on('end', () => process.exit(0)).resume();
