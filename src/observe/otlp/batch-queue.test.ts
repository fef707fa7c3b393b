import { expect, test } from 'bun:test';
import { BatchQueue } from './batch-queue.ts';
import type { Batch } from './encoding.ts';

class SizedBatch implements Batch {
  count = 0;
  bytes = 0;
  addSpan(): void {}
  addLog(): void {}
  addMetric(): void {}
  body(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.bytes);
  }
  add(bytes: number): void {
    this.count++;
    this.bytes += bytes;
  }
}

function queueOf(bytesMax: number) {
  const seen = { full: 0, dropped: 0 };
  const queue = new BatchQueue({
    signal: 'traces',
    newBatch: () => new SizedBatch(),
    bytesMax,
    onFull: () => {
      seen.full++;
    },
    onDropped: (count) => {
      seen.dropped += count;
    },
  });
  const add = (bytes: number, times = 1): void => {
    for (let index = 0; index < times; index++) {
      (queue.filling as SizedBatch).add(bytes);
      queue.added();
    }
  };
  return { queue, add, seen };
}

test('a batch ends at 512 records or at 1 MiB', () => {
  const { queue, add, seen } = queueOf(100_000_000);
  add(10, 511);
  expect(seen.full).toBe(0);
  add(10, 2);
  expect(seen.full).toBe(1);
  expect(queue.take()?.count).toBe(512);
  expect(queue.take()?.count).toBe(1);
  expect(queue.take()).toBeUndefined();
  add(1_048_575);
  expect(seen.full).toBe(1);
  add(1);
  expect(seen.full).toBe(2);
});

test('beyond the bound the oldest are dropped and counted; one batch always has room', () => {
  const { queue, add, seen } = queueOf(512_000);
  add(1_000, 512);
  expect(seen.dropped).toBe(0);
  add(1_000);
  expect(seen.dropped).toBe(512);
  expect(queue.take()?.count).toBe(1);
  expect(queue.isEmpty).toBe(true);
});

test('a batch that could not be sent comes first again, within the bound', () => {
  const { queue, add, seen } = queueOf(1_200_000);
  add(1_000, 512);
  add(1_000, 512);
  const first = queue.take();
  add(1_000, 100);
  if (first !== undefined) queue.putBack(first);
  expect(queue.take()).toBe(first as Batch);
  if (first !== undefined) queue.putBack(first);
  add(1_000, 200);
  expect(seen.dropped).toBe(512);
  queue.dropAll();
  expect(seen.dropped).toBe(512 + 512 + 300);
  expect(queue.isEmpty).toBe(true);
});
