/** Ids that hold their task: everything comes back, and nothing that is damaged or too large does. */

import { expect, test } from 'bun:test';
import { Buffer } from 'node:buffer';
import { deflateRawSync } from 'node:zlib';
import { readTaskId, type SandboxTask, writeTaskId } from './task-id.ts';
import { planOf, readVideoOptions } from './video-options.ts';
import { videoLimits } from './video-plan.ts';

const task: SandboxTask = {
  name: 'a1',
  outcome: 'late',
  createdAtMs: 1_760_000_000_000,
  plan: {
    prompt: 'ein Haus 🏠 am See',
    negativePrompt: 'rain',
    seed: Number.MAX_SAFE_INTEGER,
    width: 640,
    height: 360,
    fps: 24,
    frames: 96,
    first: new Uint8Array([1, 2, 3]),
    last: new Uint8Array(0),
  },
};

test('a task comes back as it was', () => {
  const id = writeTaskId(task);
  expect(id).toMatch(/^sandbox-video_[A-Za-z0-9_-]+$/);
  expect(readTaskId(id)).toEqual(task);
});

test('the longest id fits into a URL and a row', () => {
  const noise = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  // Characters of three bytes that no packing makes smaller.
  const words = Array.from(noise(20_000), (byte, index) => String.fromCharCode(0x4e00 + byte * 64 + (index % 64)));
  const options = readVideoOptions({ prompt: words.join(''), negative_prompt: words.reverse().join('') });
  const image = { file: noise(videoLimits.thumbnailBytesMax), width: 1, height: 1 };
  const longest = { ...task, name: 'x'.repeat(40), plan: planOf(options, image, image) };
  const id = writeTaskId(longest);
  expect(id.length).toBeLessThan(8_000);
  expect(readTaskId(id)).toEqual(longest);
});

test('one damaged letter anywhere, a cut or a stretched end: no task', () => {
  const id = writeTaskId(task);
  for (let at = 0; at < id.length - 1; at += 1) {
    const damaged = id.slice(0, at) + (id[at] === 'x' ? 'y' : 'x') + id.slice(at + 1);
    expect(readTaskId(damaged)).toBeUndefined();
  }
  for (const other of ['', 'sandbox-video_', id.slice(0, -4), `${id}AAAA`, `x${id}`]) {
    expect(readTaskId(other)).toBeUndefined();
  }
});

/** An id with a right checksum around whatever is given. */
function forged(content: string | Buffer): string {
  const packed = deflateRawSync(content);
  const checksum = new Bun.CryptoHasher('sha256').update('weir sandbox video ').update(packed).digest().subarray(0, 6);
  return `sandbox-video_${Buffer.concat([checksum, packed]).toString('base64url')}`;
}

const good = ['a', 0, 1, 'p', '', 1, 64, 64, 24, 24, '', ''];

test('a forged id is read like any other', () => {
  expect(readTaskId(forged(JSON.stringify(good)))?.plan.prompt).toBe('p');
});

test.each([
  [6, 100_000],
  [6, -1],
  [7, 1.5],
  [8, 31],
  [8, 0],
  [9, 601],
  [9, 0],
  [3, 'x'.repeat(2_000)],
  [3, 7],
  [5, -1],
  [1, 9],
  [1, '0'],
  [2, null],
  [10, Buffer.alloc(2_000).toString('base64')],
  [11, 4],
])('field %d beyond its limit: no task', (field, value) => {
  expect(readTaskId(forged(JSON.stringify(good.with(field, value as never))))).toBeUndefined();
});

test('what unpacks to more than a task, or to none, is refused', () => {
  expect(readTaskId(forged(Buffer.alloc(5_000_000)))).toBeUndefined();
  expect(readTaskId(forged('{}'))).toBeUndefined();
  expect(readTaskId(forged('no JSON'))).toBeUndefined();
});
