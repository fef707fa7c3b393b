/** The body of a request as its handler sees it, while the connection below brings it. */

import { describe, expect, test } from 'bun:test';
import { ReceivedHeaders } from '../request-headers.ts';
import { IncomingRequest } from './incoming-request.ts';

function incoming(length: number) {
  const carrier = {
    remoteAddress: '127.0.0.1',
    isPaused: false,
    wanted: () => undefined,
    pause() {
      carrier.isPaused = true;
    },
    resume() {
      carrier.isPaused = false;
    },
  };
  const head = {
    method: 'POST',
    target: '/',
    headers: new ReceivedHeaders([]),
    length,
    isOld: false,
    keepsAlive: true,
    expectsContinue: false,
  };
  return { carrier, request: new IncomingRequest(head, carrier) };
}

describe('a body that nothing reads', () => {
  test('pauses the client, until all of it has arrived: then its leaving would not be noticed', async () => {
    const { carrier, request } = incoming(300_001);
    request.push(new Uint8Array(300_000));
    expect(carrier.isPaused).toBe(true);
    request.push(new Uint8Array(1));
    request.bodyArrived();
    expect(carrier.isPaused).toBe(false);
    expect(await request.bytes()).toHaveLength(300_001);
  });

  test('of single bytes is given in a few pieces', async () => {
    const { request } = incoming(100_000);
    const all = Uint8Array.from({ length: 100_000 }, (_, at) => at);
    for (let at = 0; at < all.length; at += 1) request.push(all.slice(at, at + 1));
    request.bodyArrived();
    const pieces: Uint8Array[] = [];
    for await (const piece of request) pieces.push(piece);
    expect(pieces.length).toBeLessThan(4);
    expect(Buffer.concat(pieces).equals(all)).toBe(true);
  });
});
