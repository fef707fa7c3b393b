/** The load generator, a process of its own: runs one kind of load against one port and prints what it saw as one line of JSON. */

import { parseArgs } from 'node:util';
import { chatBody, closingEventCount, jsonBodyBytes } from './chat-bytes.ts';
import { Connection, type Exchange, postRequest } from './http-client.ts';
import { agentBody, translatedRequests } from './wire-bytes.ts';

/** What a load run prints. `units` is what CPU time is divided by: requests, or events of streams. */
export interface LoadResult {
  units: number;
  failures: number;
  /** Reads from the sockets: near `units` if every chunk was sent alone. */
  reads: number;
  elapsedMs: number;
  latenciesMs: number[];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: 'string', default: '0' },
    token: { type: 'string', default: 'weir-bench-token-0000000000' },
    concurrency: { type: 'string', default: '32' },
    requests: { type: 'string', default: '10000' },
    frames: { type: 'string', default: '200' },
    'pace-ms': { type: 'string', default: '10' },
    rate: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '3' },
    translated: { type: 'string', default: '' },
    model: { type: 'string', default: 'gpt-4.1' },
    /** Further headers, as JSON. */
    headers: { type: 'string', default: '{}' },
    /** For gateways that re-encode replies: any whole reply counts, and events are those that the upstream sent. */
    rewritten: { type: 'boolean', default: false },
    /** Of several servers and tokens, connections take turns. */
    ports: { type: 'string', default: '' },
    tokens: { type: 'string', default: '' },
  },
});
const ports = (values.ports === '' ? values.port : values.ports).split(',').map(Number);
const [port = 0] = ports;
const tokens = (values.tokens === '' ? values.token : values.tokens).split(',');
const concurrency = Number(values.concurrency);
const streamShape = { frames: Number(values.frames), paceMs: Number(values['pace-ms']) };

const chatPath = '/v1/chat/completions';
const translated = translatedRequests[values.translated];
const asksAgent = values.translated === 'agent';
const headers = JSON.parse(values.headers) as Readonly<Record<string, string>>;
const jsonRequests = tokens.map((token) =>
  postRequest({ port, token, headers }, chatPath, asksAgent ? agentBody() : chatBody(values.model)),
);
const [jsonRequest = ''] = jsonRequests;
const streamRequest = postRequest(
  { port, token: values.token, headers },
  translated?.path ?? chatPath,
  translated?.body(streamShape.frames) ?? chatBody(values.model, streamShape),
);

async function openAll(count: number): Promise<Connection[]> {
  const connections: Connection[] = [];
  for (let index = 0; index < count; index += 1) {
    const connection = new Connection();
    await connection.open(ports[index % ports.length] ?? port);
    connections.push(connection);
  }
  return connections;
}

function isWholeReply(exchange: Exchange): boolean {
  if (!exchange.complete || exchange.status !== 200) return false;
  return asksAgent || values.rewritten || exchange.bodyBytes === jsonBodyBytes;
}

function isWholeStream(exchange: Exchange): boolean {
  const { complete, status, events } = exchange;
  if (!complete || status !== 200) return false;
  // Each format opens and closes in its own number of events; what counts is that every piece of the text came.
  if (translated !== undefined || values.rewritten) return events >= streamShape.frames;
  return events === streamShape.frames + closingEventCount;
}

/** Closed loop: each connection sends its next request when the reply to the last one is whole. */
async function requests(): Promise<LoadResult> {
  const connections = await openAll(concurrency);
  let left = Number(values.requests);
  let failures = 0;
  const latenciesMs: number[] = [];
  const startedMs = performance.now();
  await Promise.all(
    connections.map(async (connection, at) => {
      const request = jsonRequests[at % jsonRequests.length] ?? jsonRequest;
      while (left > 0) {
        left -= 1;
        const sentMs = performance.now();
        const exchange = await connection.send(request);
        latenciesMs.push(performance.now() - sentMs);
        if (!isWholeReply(exchange)) failures += 1;
      }
    }),
  );
  const elapsedMs = performance.now() - startedMs;
  for (const connection of connections) connection.close();
  return { units: Number(values.requests), reads: 0, failures, elapsedMs, latenciesMs };
}

/** All connections carry one paced stream each, at the same time. */
async function streams(): Promise<LoadResult> {
  const connections = await openAll(concurrency);
  const startedMs = performance.now();
  const exchanges = await Promise.all(connections.map((connection) => connection.send(streamRequest)));
  const elapsedMs = performance.now() - startedMs;
  for (const connection of connections) connection.close();
  const received = exchanges.reduce((sum, exchange) => sum + exchange.events, 0);
  const units = values.rewritten ? concurrency * (streamShape.frames + closingEventCount) : received;
  const reads = exchanges.reduce((sum, exchange) => sum + exchange.reads, 0);
  return {
    units,
    reads,
    failures: exchanges.filter((exchange) => !isWholeStream(exchange)).length,
    elapsedMs,
    latenciesMs: [],
  };
}

/** Open loop: requests start on a fixed timetable whether or not earlier ones were answered, so a stall is not hidden. */
async function rate(): Promise<LoadResult> {
  const idle = await openAll(concurrency);
  const intervalMs = 1_000 / Number(values.rate);
  const total = Math.round(Number(values.rate) * Number(values.seconds));
  const latenciesMs: number[] = [];
  let failures = 0;
  const ask = async (): Promise<void> => {
    const connection = idle.pop() ?? (await openAll(1))[0];
    if (!connection) throw new Error('no connection');
    const sentMs = performance.now();
    const exchange = await connection.send(jsonRequest);
    latenciesMs.push(performance.now() - sentMs);
    if (!isWholeReply(exchange)) failures += 1;
    idle.push(connection);
  };
  const running: Promise<void>[] = [];
  const startedMs = performance.now();
  while (running.length < total) {
    const waitMs = startedMs + running.length * intervalMs - performance.now();
    if (waitMs > 0) await Bun.sleep(waitMs);
    running.push(ask());
  }
  await Promise.all(running);
  for (const connection of idle) connection.close();
  return { units: total, reads: 0, failures, elapsedMs: performance.now() - startedMs, latenciesMs };
}

/**
 * Opens streams that send one frame and then idle; reports when all are idle, and exits when its standard input ends.
 */
async function idleStreams(): Promise<LoadResult> {
  const connections = await openAll(concurrency);
  let resting = 0;
  const startedMs = performance.now();
  await Promise.race([
    Promise.all(
      connections.map(
        (connection) =>
          new Promise<void>((resolve) => {
            connection.onProgress = (events) => {
              if (events === 0) return;
              connection.onProgress = undefined;
              resting += 1;
              resolve();
            };
            void connection.send(streamRequest);
          }),
      ),
    ),
    Bun.sleep(30_000),
  ]);
  const elapsedMs = performance.now() - startedMs;
  return { units: resting, reads: 0, failures: concurrency - resting, elapsedMs, latenciesMs: [] };
}

const kinds: Record<string, () => Promise<LoadResult>> = { requests, streams, rate, idle: idleStreams };
const kind = kinds[positionals[0] ?? ''];
if (!kind) throw new Error(`name the load: ${Object.keys(kinds).join(', ')}`);
console.log(JSON.stringify(await kind()));
if (positionals[0] === 'idle') for await (const _ of Bun.stdin.stream()) void _;
process.exit(0);
