import { describe, expect, test } from 'bun:test';
import { createBatchQueue } from './batch-queue.ts';

/** A round trip whose end the test decides. */
function heldQueue() {
  const batches: { readonly items: readonly number[]; answer(): void; fail(error: Error): void }[] = [];
  const queue = createBatchQueue<number, number>({
    send: (items) =>
      new Promise((resolve, reject) => {
        batches.push({ items, answer: () => resolve(items.map((item) => item * 2)), fail: reject });
      }),
  });
  const until = async (count: number): Promise<void> => {
    while (batches.length < count) await Bun.sleep(1);
  };
  return { queue, batches, until };
}

describe('a queue of batches', () => {
  test('what is added in one turn travels together, and each gets its own result', async () => {
    const { queue, batches, until } = heldQueue();
    const results = [1, 2, 3].map((item) => queue.add(item));
    await until(1);
    expect(batches[0]?.items).toEqual([1, 2, 3]);
    batches[0]?.answer();
    expect(await Promise.all(results)).toEqual([2, 4, 6]);
  });

  test('one batch at a time: the next one gathers what is added meanwhile, in order', async () => {
    const { queue, batches, until } = heldQueue();
    const first = queue.add(1);
    await until(1);
    const rest = [2, 3, 4].map((item) => queue.add(item));
    await Bun.sleep(20);
    expect(batches).toHaveLength(1);
    batches[0]?.answer();
    await until(2);
    batches[1]?.answer();
    expect(batches[1]?.items).toEqual([2, 3, 4]);
    expect(await Promise.all([first, ...rest])).toEqual([2, 4, 6, 8]);
  });

  test('a large crowd is cut into batches of at most 512', async () => {
    const sizes: number[] = [];
    const queue = createBatchQueue<number, number>({
      send: async (items) => {
        sizes.push(items.length);
        return items;
      },
    });
    const items = Array.from({ length: 1_200 }, (_, at) => at);
    expect(await Promise.all(items.map((item) => queue.add(item)))).toEqual(items);
    expect(Math.max(...sizes)).toBe(512);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1_200);
  });

  test('a batch that fails also ends those that waited behind it; later ones are sent again', async () => {
    const { queue, batches, until } = heldQueue();
    const first = queue.add(1).catch((error: Error) => error.message);
    await until(1);
    const behind = queue.add(2).catch((error: Error) => error.message);
    batches[0]?.fail(new Error('gone'));
    expect(await Promise.all([first, behind])).toEqual(['gone', 'gone']);
    const later = queue.add(3);
    await until(2);
    batches[1]?.answer();
    expect(await later).toBe(6);
  });

  test('one item may fail alone, by a promise as its result', async () => {
    const queue = createBatchQueue<number, number>({
      send: async (items) => items.map((item) => (item === 2 ? Promise.reject(new Error('bad')) : item)),
    });
    const results = await Promise.allSettled([1, 2, 3].map((item) => queue.add(item)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('finish resolves once all has been answered', async () => {
    const { queue, batches, until } = heldQueue();
    await queue.finish();
    const result = queue.add(1);
    let finished = false;
    const finishing = queue.finish().then(() => {
      finished = true;
    });
    await until(1);
    expect(finished).toBe(false);
    batches[0]?.answer();
    await finishing;
    expect(await result).toBe(2);
  });
});
