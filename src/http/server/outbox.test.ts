/** What goes out in a turn of the event loop. */

import { expect, test } from 'bun:test';
import { writeBytesMax } from '../../framing/writable.ts';
import { Outbox } from './outbox.ts';

test('a socket that takes everything gets a megabyte in a turn', () => {
  let sent = 0;
  let asked = 0;
  const socket = {
    write(_data: Uint8Array, _from: number, length: number): number {
      sent += length;
      return length;
    },
  };
  const outbox = new Outbox(socket, () => (asked += 1));
  outbox.write('', new Uint8Array(2_500_000), '');
  outbox.write('before', new Uint8Array(300_000), 'after');
  outbox.write('', new Uint8Array(4_000_000), '');
  const turns = [sent];
  for (let done = false; !done; ) {
    expect(asked).toBe(turns.length);
    done = outbox.drained();
    turns.push(sent);
  }
  expect(asked).toBe(turns.length - 1);
  for (const [index, after] of turns.entries())
    expect(after - (turns[index - 1] ?? 0)).toBeLessThanOrEqual(writeBytesMax);
  expect(sent).toBe(6_800_011);
});
