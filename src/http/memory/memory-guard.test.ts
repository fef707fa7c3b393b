import { expect, test } from 'bun:test';
import { MemoryGuard, memoryLimits } from './memory-guard.ts';

const megabyte = 1_048_576;
const auto = { memoryBytesMax: 'auto', bodyMemoryBytesMax: 'auto' } as const;

test.each([
  [128, 1, 128, 32, 32],
  [512, 1, 512, 64, 32],
  [1_024, 1, 1_024, 128, 64],
  [4_096, 1, 4_096, 512, 256],
  [65_536, 1, 65_536, 512, 256],
  [4_096, 4, 1_024, 128, 64],
])('a machine or container of %d MB with %d processes', (machine, processes, ofProcess, ofBodies, ahead) => {
  const limits = memoryLimits(auto, processes, machine * megabyte);
  expect([limits.processBytesMax / megabyte, limits.bodyBytesMax / megabyte]).toEqual([ofProcess, ofBodies]);
  expect(limits.aheadBytesMax / 1_024).toBe(ahead);
});

test('what is set counts', () => {
  const given = { memoryBytesMax: 2_048 * megabyte, bodyMemoryBytesMax: 'auto' } as const;
  expect(memoryLimits(given, 1, 100 * megabyte).bodyBytesMax).toBe(256 * megabyte);
  expect(memoryLimits({ ...given, bodyMemoryBytesMax: 7 }, 1, megabyte).bodyBytesMax).toBe(7);
});

test('refuses above four fifths, accepts again below seven tenths, and collects garbage once a second', () => {
  const state = { bytes: 0, ms: 0, collected: 0 };
  const guard = new MemoryGuard({
    processBytesMax: 1_000,
    residentBytes: () => state.bytes,
    collect: () => {
      state.collected += 1;
    },
    nowMs: () => state.ms,
  });
  const at = (bytes: number) => {
    state.bytes = bytes;
    state.ms += 100;
    guard.look();
    return guard.isShort;
  };
  expect([500, 799, 800, 900, 750, 700, 699, 790].map(at)).toEqual([
    false,
    false,
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(state.collected).toBe(2);
  for (let count = 0; count < 20; count += 1) at(650);
  // What was collected because memory was short counts too.
  expect(state.collected).toBe(4);
});

test('a reading that fails leaves things as they were', () => {
  const state: { bytes: number | undefined } = { bytes: 900 };
  const guard = new MemoryGuard({
    processBytesMax: 1_000,
    residentBytes: () => state.bytes,
    collect: () => {},
    nowMs: () => 0,
  });
  guard.look();
  state.bytes = undefined;
  guard.look();
  expect(guard.isShort).toBe(true);
});

test('disconnects clients that are behind above four fifths, twice a second or as fast as replies flood in', () => {
  const state = { bytes: 0, ms: 0, collected: 0 };
  const shed: number[] = [];
  const guard = new MemoryGuard({
    processBytesMax: 1_000,
    residentBytes: () => state.bytes,
    collect: () => {
      state.collected += 1;
    },
    nowMs: () => state.ms,
  });
  guard.relieveBy((bytes) => shed.push(bytes));
  const after = (ms: number, bytes: number): void => {
    state.ms += ms;
    state.bytes = bytes;
    guard.look();
  };
  after(100, 790);
  expect(shed).toEqual([]);
  after(100, 800);
  after(100, 900);
  expect(shed).toEqual([200]);
  after(400, 900);
  expect(shed).toEqual([200, 300]);
  // A sixteenth of the memory was read: the time does not matter.
  for (let reads = 0; reads < 10; reads += 1) guard.read(8);
  expect(shed).toEqual([200, 300, 300]);
  const { collected } = state;
  state.bytes = 650;
  for (let reads = 0; reads < 10; reads += 1) guard.read(8);
  expect(shed).toHaveLength(3);
  expect(state.collected).toBe(collected + 1);
});
