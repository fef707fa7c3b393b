/** The listener alone: what it counts, and how it answers when something fails. */

import { afterAll, afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { connect } from 'node:net';
import { GatewayError } from '../conversation/gateway-error.ts';
import { listen } from './listener.ts';
import { WholeReply } from './reply.ts';
import type { Route } from './route-table.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function start(route: Partial<Route>) {
  const answered: number[] = [];
  const listener = listen({
    host: '127.0.0.1',
    port: 0,
    routes: [
      {
        method: 'GET',
        path: '/a',
        handle: () => new WholeReply('a', {}),
        writeError: (error) => new WholeReply(String(error), {}, undefined, 500),
        ...route,
      },
    ],
    writeUnknown: () => new WholeReply('unknown', {}, undefined, 404),
    bodyTimeoutMs: 60_000,
    limits: { concurrentRequestsMax: 100 },
    messageBytesMax: 1_000,
    backlogBytesMax: 1_000,
    streaming: () => 0,
    onRefused: () => undefined,
    onAnswer: (status) => void answered.push(status),
    newRequestId: () => 'r',
    nowMs: () => 0,
    clientAddress: (peer) => peer,
    isTrustedProxy: () => false,
  });
  stops.push(() => listener.stop(true));
  return { listener, answered, get: () => fetch(`http://127.0.0.1:${listener.port}/a`) };
}

/** Whose headers cannot be set. */
function unsettable(): WholeReply {
  const reply = new WholeReply('a', {});
  reply.headers.set = () => {
    throw new TypeError('immutable');
  };
  return reply;
}

describe('requests in flight are counted once', () => {
  // The last resort of the listener.
  const printing = spyOn(console, 'error');
  beforeEach(() => void printing.mockImplementation(() => undefined));
  afterAll(() => void printing.mockRestore());
  const failing = () => {
    throw new Error('a bug');
  };
  const routes: readonly (readonly [string, Partial<Route>])[] = [
    ['that are answered', {}],
    ['whose handler fails', { handle: failing }],
    ['whose handler fails later', { handle: () => Promise.reject(new Error('a bug')) }],
    ['whose reply cannot be stamped', { handle: unsettable }],
    ['whose later reply cannot be stamped', { handle: async () => unsettable() }],
    ['whose error cannot be written', { handle: failing, writeError: failing }],
    ['whose error cannot be stamped', { handle: failing, writeError: unsettable }],
  ];
  test.each(routes)('%s', async (_name, route) => {
    const { listener, get } = start(route);
    for (let count = 0; count < 2; count += 1) {
      await (await get()).text();
      expect(listener.inFlight).toBe(0);
    }
  });
});

test('a refused WebSocket ends its connection: frames that were sent ahead are no requests', async () => {
  const { listener, answered } = start({
    upgrade: () => Promise.reject(new GatewayError('header_invalid', 'No.', { param: 'x' })),
    writeError: () => new WholeReply('refused', {}, undefined, 400),
  });
  const handshake = [
    'GET /a HTTP/1.1',
    'host: h',
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    `sec-websocket-key: ${Buffer.alloc(16).toString('base64')}`,
  ];
  const socket = connect(listener.port, '127.0.0.1');
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
  });
  const ended = new Promise((resolve) => socket.once('close', resolve));
  // As a frame: its text could be a request.
  socket.write(`${handshake.join('\r\n')}\r\n\r\nGET /a HTTP/1.1\r\nhost: h\r\n\r\n`);
  await ended;
  expect(text).toMatch(/^HTTP\/1.1 400 .*\r\nconnection: close\r\n.*refused$/s);
  expect(answered).toEqual([400]);
});
