/** A ticket has one spelling: its use and the tries with it are counted by its text. */

import { expect, test } from 'bun:test';
import { fixedKeys } from '../../../test/harness/fixed-keys.ts';
import { createSigning } from '../../secrets/signing.ts';
import { createTickets } from './tickets.ts';

function setUp() {
  const used = new Set<string>();
  let nowMs = 1_000;
  const tickets = createTickets({
    signing: createSigning(fixedKeys(new Uint8Array(32).fill(1))),
    used: {
      async useTicket(digest) {
        const isNew = !used.has(digest);
        used.add(digest);
        return isNew;
      },
    },
    nowMs: () => nowMs,
  });
  const later = (ms: number): void => {
    nowMs += ms;
  };
  return { tickets, later };
}

test('is read as it was issued, for its own step, until it expires, and spent once', async () => {
  const { tickets, later } = setUp();
  const ticket = tickets.issue('second-factor', ['acc_1', 'b']);
  expect(await tickets.read('second-factor', ticket)).toEqual(['acc_1', 'b']);
  expect(await tickets.read('passkey-sign-in', ticket)).toBeUndefined();
  expect([await tickets.spend(ticket), await tickets.spend(ticket)]).toEqual([true, false]);
  later(24 * 3_600_000);
  expect(await tickets.read('second-factor', ticket)).toBeUndefined();
});

test('no other text is read as the same ticket', async () => {
  const { tickets } = setUp();
  const ticket = tickets.issue('second-factor', ['acc_1']);
  const others = new Set<string>([ticket.toUpperCase(), ticket.toLowerCase(), `${ticket}${ticket}`]);
  const added = ['.', '.x', 'x', ' ', '=', '\n', '\u0000', '%20', 'A', '/', '+'];
  for (let at = 0; at <= ticket.length; at++) {
    others.add(ticket.slice(0, at) + ticket.slice(at + 1));
    for (const text of added) {
      others.add(ticket.slice(0, at) + text + ticket.slice(at));
      others.add(ticket.slice(0, at) + text + ticket.slice(at + 1));
    }
  }
  others.delete(ticket);
  const read: string[] = [];
  for (const other of others) if ((await tickets.read('second-factor', other)) !== undefined) read.push(other);
  expect(read).toEqual([]);
});
