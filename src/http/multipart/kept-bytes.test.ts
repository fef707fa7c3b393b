/** Ranges of what was kept, over pieces that are kept as they came, collected ones, and those of a file. */

import { afterAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { SpoolFolder } from '../../../test/harness/scripted-form.ts';
import { KeptBytes } from './kept-bytes.ts';

const folder = new SpoolFolder();
afterAll(() => folder.remove());

/** As a socket gives them: large ones, the rest of a request, many small ones. */
const sizes = [
  196_279,
  10,
  262_144,
  65_536,
  65_535,
  1,
  1_048_576,
  130_966,
  130_966,
  ...new Array<number>(90).fill(4_000),
];
const sent = Buffer.from(randomBytes(sizes.reduce((sum, size) => sum + size, 0)));
const places = [0, 1, 196_278, 196_279, 196_289, 458_433, 523_969, 589_505, 1_638_081, sent.length - 1, sent.length];

for (const memoryBytesMax of [sent.length, sent.length - 1, 500_000, 0]) {
  test(`every range, with ${memoryBytesMax} bytes in memory`, async () => {
    const kept = new KeptBytes({ folder: folder.path, memoryBytesMax });
    let at = 0;
    for (const size of sizes) {
      // Memory of its own.
      await kept.append(new Uint8Array(sent.subarray(at, at + size)));
      at += size;
    }
    await kept.finish();
    expect(kept.bytes).toBe(sent.length);
    expect(kept.inFile).toBe(memoryBytesMax < sent.length);
    for (const start of places) {
      for (const end of places.filter((place) => place >= start)) {
        const range = sent.subarray(start, end);
        expect(range.equals(await kept.whole(start, end))).toBe(true);
        expect(range.equals(Buffer.concat(await Array.fromAsync(kept.range(start, end))))).toBe(true);
        const copies: Buffer[] = [];
        for await (const lent of kept.range(start, end, 'lent')) copies.push(Buffer.from(lent));
        expect(range.equals(Buffer.concat(copies))).toBe(true);
      }
    }
    await kept.dispose();
    expect(folder.left).toEqual({ named: 0, open: 0 });
  });
}

test('small pieces between large ones keep no more memory in use than they have', async () => {
  const kept = new KeptBytes({ folder: folder.path });
  for (let round = 0; round < 20; round += 1) {
    await kept.append(new Uint8Array(65_536));
    await kept.append(new Uint8Array(1));
  }
  await kept.finish();
  const buffers = new Set((await Array.fromAsync(kept.range(0, kept.bytes))).map(({ buffer }) => buffer));
  const heldBytes = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
  expect(heldBytes).toBeLessThanOrEqual(2 * kept.bytes);
  await kept.dispose();
});

test('a piece that keeps much more memory in use than it has is copied', async () => {
  const kept = new KeptBytes({ folder: folder.path });
  const whole = new Uint8Array(1_000_000).fill(1);
  kept.append(whole.subarray(0, 100_000));
  whole.fill(2);
  await kept.finish();
  expect(await kept.whole(99_999, 100_000)).toEqual(Uint8Array.of(1));
  await kept.dispose();
});
