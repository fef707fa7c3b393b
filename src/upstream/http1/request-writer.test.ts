/** What of a request goes out in a turn of the event loop. */

import { expect, test } from 'bun:test';
import { writeBytesMax } from '../../framing/writable.ts';
import type { Outgoing } from './exchange.ts';
import { RequestWriter } from './request-writer.ts';

const bodyBytes = 5_000_000;
const head = 'POST / HTTP/1.1\r\n\r\n';

/** What was sent at the end of each turn; a socket that takes everything. */
async function turnsOf(outgoing: Partial<Outgoing>): Promise<readonly number[]> {
  const turns = [0];
  let isDue = false;
  let sent = 0;
  const socket = {
    write(_data: Uint8Array, _from: number, length: number): number {
      sent += length;
      return length;
    },
  };
  const writer = new RequestWriter({
    bodyBroken: () => undefined,
    goSoon() {
      isDue = true;
    },
  });
  writer.begin(socket, { head, bodyBytes, ...outgoing } as Outgoing);
  while (!writer.done) {
    await new Promise((resolve) => setImmediate(resolve));
    turns.push(sent);
    if (isDue) {
      isDue = false;
      writer.go(socket);
    }
  }
  return [...turns, sent];
}

test.each([
  ['in one piece', { body: new Uint8Array(bodyBytes) }],
  [
    'in pieces that are there at once',
    {
      streamed: {
        bytes: bodyBytes,
        async *open() {
          for (let sent = 0; sent < bodyBytes; sent += 50_000) yield new Uint8Array(50_000);
        },
      },
    },
  ],
])('a socket that takes everything gets a megabyte in a turn of a body %s', async (_name, outgoing) => {
  const turns = await turnsOf(outgoing as Partial<Outgoing>);
  const steps = turns.slice(1).map((sent, index) => sent - (turns[index] ?? 0));
  // The head, and the part of the body that goes with it, are beside the bound.
  for (const step of steps) expect(step).toBeLessThanOrEqual(writeBytesMax + 131_072);
  expect(turns.at(-1)).toBe(head.length + bodyBytes);
});
