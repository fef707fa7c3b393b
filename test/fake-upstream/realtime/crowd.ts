/**
 * A provider of many live conversations at once, as a program of its own: it numbers what it sends on each connection,
 * checks the numbers of what it receives, and keeps an invoice. Ends when its standard input does.
 */

import type { ServerWebSocket } from 'bun';

/** What a client of the crowd sends; each frame carries the client's nonce and the next number. */
export interface CrowdFrame {
  readonly type: string;
  readonly nonce: string;
  readonly n: number;
  /** Present on the last frame of all. */
  readonly last?: boolean;
}

/** Every frame back carries both nonces, so that either side detects one of another connection. */
export interface CrowdEvent {
  readonly type: string;
  readonly connection: string;
  readonly nonce: string;
  readonly n: number;
  /** On the last frame: how many frames were received. */
  readonly received?: number;
}

export interface CrowdInvoice {
  readonly connections: number;
  readonly framesReceived: number;
  readonly framesSent: number;
  readonly faults: readonly string[];
  readonly responses: readonly { readonly inputTokens: number; readonly outputTokens: number }[];
}

interface Connection {
  readonly id: string;
  nonce: string;
  received: number;
  sent: number;
  over: boolean;
}

type Client = ServerWebSocket<Connection>;

const everyMs = Number(process.argv[2] ?? 100);
/** A tenth of a second of speech at the telephone's rate. */
const audio = 'A'.repeat(1_068);
const open = new Set<Client>();
const faults: string[] = [];
const responses: { inputTokens: number; outputTokens: number }[] = [];
let connections = 0;
let framesReceived = 0;
let framesSent = 0;

function send(socket: Client, type: string, fields: object = {}): void {
  const { data } = socket;
  framesSent++;
  const { id: connection, nonce } = data;
  socket.send(JSON.stringify({ type, connection, nonce, n: data.sent++, ...fields }));
}

function receive(socket: Client, frame: CrowdFrame): void {
  const { data } = socket;
  framesReceived++;
  if (data.nonce === '') data.nonce = frame.nonce;
  if (frame.nonce !== data.nonce) faults.push(`${data.nonce} received a frame of ${frame.nonce}`);
  if (frame.n !== data.received) faults.push(`${data.nonce} received ${frame.n} instead of ${data.received}`);
  data.received++;
  if (frame.last === true) {
    data.over = true;
    send(socket, 'tally', { received: data.received });
  } else if (frame.type === 'response.create') respond(socket);
}

/** Responses differ in what they use, so that rows which were mixed up would show. */
function respond(socket: Client): void {
  const response_id = `resp_${responses.length}`;
  const bill = { inputTokens: 100 + (responses.length % 97), outputTokens: 3 + (responses.length % 5) };
  responses.push(bill);
  send(socket, 'response.created', { response: { id: response_id } });
  for (let piece = 0; piece < bill.outputTokens; piece++) {
    send(socket, 'response.output_text.delta', { response_id, delta: `p${piece}` });
  }
  const usage = { input_tokens: bill.inputTokens, output_tokens: bill.outputTokens };
  send(socket, 'response.done', { response: { id: response_id, status: 'completed', usage } });
}

const server = Bun.serve<Connection>({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request, self) {
    if (new URL(request.url).pathname === '/invoice') {
      const invoice: CrowdInvoice = { connections, framesReceived, framesSent, faults: faults.slice(0, 20), responses };
      return Response.json(invoice);
    }
    const data: Connection = { id: crypto.randomUUID(), nonce: '', received: 0, sent: 0, over: false };
    return self.upgrade(request, { data }) ? undefined : new Response('no upgrade', { status: 426 });
  },
  websocket: {
    idleTimeout: 0,
    open(socket) {
      connections++;
      open.add(socket);
      send(socket, 'session.created', { session: {} });
    },
    message: (socket, message) => receive(socket, JSON.parse(String(message)) as CrowdFrame),
    close: (socket) => void open.delete(socket),
  },
});

setInterval(() => {
  for (const socket of open) {
    if (socket.data.nonce !== '' && !socket.data.over) send(socket, 'response.output_audio.delta', { delta: audio });
  }
}, everyMs);
console.log(server.port);
process.stdin.on('end', () => process.exit(0)).resume();
