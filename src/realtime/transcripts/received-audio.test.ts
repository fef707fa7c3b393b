import { expect, test } from 'bun:test';
import { ReceivedAudio } from './received-audio.ts';

function audio(...bytes: readonly number[]): ReceivedAudio {
  const received = new ReceivedAudio();
  for (const each of bytes) {
    received.append(each);
    received.commit();
  }
  return received;
}

test('each transcript takes the oldest turn', () => {
  const received = audio(10, 20);
  received.append(5);
  expect([received.bytes, received.committedBytes]).toEqual([35, 30]);
  expect([received.transcribed().bytes, received.transcribed().bytes, received.bytes]).toEqual([10, 20, 5]);
  // A provider that says nothing of turns: all of it.
  expect([received.transcribed().bytes, received.bytes]).toEqual([5, 0]);
});

test('a turn that the client ended is confirmed once, and one that the provider found ends there', () => {
  const received = audio(10);
  received.append(7);
  received.confirm('m');
  expect(received.committedBytes).toBe(10);
  received.confirm('m');
  expect(received.committedBytes).toBe(17);
});

test('what was not committed can be cleared', () => {
  const received = audio(10);
  received.append(7);
  received.clear();
  expect(received.bytes).toBe(10);
});

test('a turn keeps the model that the provider used when it ended, and without one it is forgotten', () => {
  const received = audio(10, 20, 30);
  received.confirm('first');
  received.confirm(undefined, false);
  expect(received.committed.map(({ bytes, model }) => [bytes, model])).toEqual([
    [10, 'first'],
    [30, undefined],
  ]);
});
