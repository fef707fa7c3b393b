/** Proves when a connection counts as lost, that one failure by chance does not, and that it recovers by itself. */

import { expect, test } from 'bun:test';
import { createConnection } from './connection.ts';

function scripted() {
  const state = { isThere: true, isSeen: true, nowMs: 0, asked: 0 };
  const connection = createConnection({
    reach: async () => {
      state.asked += 1;
      return state.isThere;
    },
    isSeen: () => state.isSeen,
    nowMs: () => state.nowMs,
  });
  const heard: boolean[] = [];
  connection.subscribe(() => heard.push(connection.isLost()));
  return { state, connection, heard };
}

test('a call without an answer is checked, and only a second failure means that Weir is away', async () => {
  const { state, connection, heard } = scripted();
  connection.failed();
  await connection.check();
  expect([state.asked, heard]).toEqual([1, []]);
  state.isThere = false;
  connection.failed();
  await connection.check();
  expect([connection.isLost(), heard]).toEqual([true, [true]]);
});

test('further failures say nothing new, and any answer ends it', async () => {
  const { state, connection, heard } = scripted();
  state.isThere = false;
  await connection.check();
  await connection.check();
  expect(heard).toEqual([true]);
  connection.answered();
  connection.answered();
  expect([connection.isLost(), heard]).toEqual([false, [true, false]]);
});

test('checks at the same time are one', async () => {
  const { state, connection } = scripted();
  await Promise.all([connection.check(), connection.check(), connection.check()]);
  expect(state.asked).toBe(1);
});

test('who no longer listens hears nothing', async () => {
  const { state, connection } = scripted();
  let heard = 0;
  connection.subscribe(() => {
    heard += 1;
  })();
  state.isThere = false;
  await connection.check();
  expect(heard).toBe(0);
});
