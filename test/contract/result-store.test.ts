/** The contract of the places where results are kept, run over a folder, a bucket and both databases: whole or not at all, and ranges of it. */

import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resultReply } from '../../src/http/file-reply.ts';
import { createSealing } from '../../src/secrets/sealing.ts';
import { BucketResults, BucketStalledError } from '../../src/store/results/bucket-results.ts';
import { DatabaseResults } from '../../src/store/results/database-results.ts';
import { FolderResults } from '../../src/store/results/folder-results.ts';
import { type OpenedResult, type ResultStore, ResultTooLargeError } from '../../src/store/results/result-store.ts';
import { fixedKeys } from '../harness/fixed-keys.ts';
import { hasDatabase } from '../harness/needs.ts';
import { failure, startBucket } from '../harness/scripted-bucket.ts';
import { sized } from '../harness/size.ts';
import { engines } from '../harness/store-places.ts';
import { until } from '../harness/until.ts';

const mebibyte = 1_024 * 1_024;
const partBytes = 5 * mebibyte;
const access = {
  bucket: 'kept-results',
  region: 'eu-test-1',
  accessKeyId: 'AKIATESTTESTTEST',
  secretAccessKey: 'a/secret+with=signs',
};

const root = mkdtempSync(join(tmpdir(), 'weir-results-'));
const folder = join(root, 'kept');
const bucket = startBucket(access);
const foreign = { bytes: new Uint8Array(1), mediaType: 'text/plain', changedAtMs: 0 };

function openBucket(changes: Partial<ConstructorParameters<typeof BucketResults>[0]> = {}): BucketResults {
  return new BucketResults({ ...access, endpoint: bucket.endpoint, prefix: 'weir/videos', partBytes, ...changes });
}

interface Subject {
  readonly name: string;
  readonly store: ResultStore;
  /** What it keeps in one part, or a size in its place where it has no parts: results are as large as two or three. */
  readonly unit: number;
  /** Everything that is stored, unfinished files too. */
  kept(): readonly string[] | Promise<readonly string[]>;
  age(name: string, changedAtMs: number): unknown;
}

const sealing = createSealing(fixedKeys(new Uint8Array(32).fill(3)));
const databases = await Promise.all(
  engines
    .filter(({ name }) => hasDatabase(name))
    .map(async ({ name, place: open }) => {
      const place = await open();
      return { name: `database ${name}`, place, parts: (await place.open()).resultParts };
    }),
);

const subjects: readonly Subject[] = [
  ...databases.map(({ name, place, parts }) => ({
    name,
    store: new DatabaseResults({ parts, sealing, wallMs: Date.now }),
    unit: sized(mebibyte, partBytes),
    kept: async () => (await place.query('SELECT DISTINCT name FROM result_parts')).map(([each]) => String(each)),
    age: (each: string, changedAtMs: number) =>
      place.query(`UPDATE result_parts SET at_ms = ${changedAtMs} WHERE name = '${each}'`),
  })),
  {
    name: 'folder',
    store: new FolderResults({ folder }),
    unit: sized(mebibyte, partBytes),
    kept: () => readdirSync(folder),
    age: (name, changedAtMs) => utimesSync(join(folder, name), changedAtMs / 1_000, changedAtMs / 1_000),
  },
  {
    name: 'bucket',
    store: openBucket(),
    unit: partBytes,
    kept: () => [
      ...[...bucket.objects.keys()]
        .filter((key) => key.startsWith('weir/'))
        .map((key) => key.replace('weir/videos/', '')),
      ...[...bucket.uploads.keys()].map((id) => `${id}.part`),
    ],
    age: (name, changedAtMs) => {
      const found = bucket.objects.get(`weir/videos/${name}`);
      if (found !== undefined) bucket.objects.set(`weir/videos/${name}`, { ...found, changedAtMs });
    },
  },
];

afterEach(async () => {
  for (const { place } of databases) await place.query('DELETE FROM result_parts');
  bucket.fault = undefined;
  bucket.objects.clear();
  bucket.uploads.clear();
  bucket.seen.length = 0;
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
});
afterAll(async () => {
  for (const { place } of databases) {
    await place.dispose();
  }
  await bucket.stop();
  rmSync(root, { recursive: true, force: true });
});

/** Bytes that give their own offset. */
function bytesOf(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let index = 0; index < length; index++) bytes[index] = (index * 7 + (index >> 10)) % 251;
  return bytes;
}

async function* inPieces(
  bytes: Uint8Array,
  each: number,
  breaksAt = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += each) {
    if (at >= breaksAt) throw new Error('the source broke off');
    yield bytes.subarray(at, at + each);
  }
}

async function contentOf(opened: OpenedResult | undefined): Promise<Uint8Array> {
  if (opened === undefined) throw new Error('nothing was found');
  return new Uint8Array(await new Response(opened.body).arrayBuffer());
}

for (const { name, store, unit, kept, age } of subjects) {
  describe(name, () => {
    test.each([
      [0, 1_000],
      [1, 1_000],
      [3_000, 1_000],
      [unit, mebibyte],
      [2 * unit + 12_345, 300_001],
    ])('%i bytes in pieces of %i come back as they were', async (length, each) => {
      const bytes = bytesOf(length);
      expect(await store.write('task_1-0.mp4', 'video/mp4', inPieces(bytes, each), length)).toEqual({ bytes: length });
      expect(await kept()).toEqual(['task_1-0.mp4']);
      expect(await store.size('task_1-0.mp4')).toBe(length);
      const opened = await store.open('task_1-0.mp4');
      expect(opened?.bytes).toBe(length);
      expect(Buffer.compare(await contentOf(opened), bytes)).toBe(0);
    });

    test('ranges, at their edges', async () => {
      const bytes = bytesOf(2 * unit + 10);
      await store.write('a', 'video/mp4', inPieces(bytes, mebibyte), bytes.length);
      const last = bytes.length - 1;
      for (const [start, end] of [
        [0, 0],
        [0, last],
        [last, last],
        [unit - 2, unit + 1],
      ] as const) {
        const opened = await store.open('a', { start, end });
        expect(opened?.bytes).toBe(bytes.length);
        expect(Buffer.compare(await contentOf(opened), bytes.subarray(start, end + 1))).toBe(0);
      }
    });

    test('a source that breaks off leaves nothing, early or late', async () => {
      const bytes = bytesOf(3 * unit);
      for (const breaksAt of [0, 1_000, unit + 1, 2 * unit + 1]) {
        const broken = store.write('a', 'video/mp4', inPieces(bytes, mebibyte / 2, breaksAt), bytes.length);
        await expect(broken).rejects.toThrow('the source broke off');
        await until(async () => (await kept()).length === 0);
        expect(await store.open('a')).toBeUndefined();
      }
    });

    test('a broken source leaves what had the name before', async () => {
      await store.write('a', 'video/mp4', inPieces(bytesOf(10), 10), 10);
      const bytes = bytesOf(2 * unit);
      await expect(store.write('a', 'video/mp4', inPieces(bytes, mebibyte / 2, unit + 1), 1e9)).rejects.toThrow();
      await until(async () => (await kept()).length === 1);
      expect(await store.size('a')).toBe(10);
    });

    test.each([
      [100, 99],
      [2 * unit + 1, 2 * unit],
    ])('%i bytes are too large for %i, and the source is let go', async (length, bytesMax) => {
      let letGo = false;
      async function* source(): AsyncGenerator<Uint8Array> {
        try {
          yield* inPieces(bytesOf(length + 1_000), 50_000);
        } finally {
          letGo = true;
        }
      }
      await expect(store.write('a', 'video/mp4', source(), bytesMax)).rejects.toBeInstanceOf(ResultTooLargeError);
      await until(async () => (await kept()).length === 0 && letGo);
      await store.write('a', 'video/mp4', inPieces(bytesOf(length), 50_000), length);
      expect(await store.size('a')).toBe(length);
    });

    test('writing again replaces, removing twice is no fault, and what is gone is not found', async () => {
      await store.write('a', 'video/mp4', inPieces(bytesOf(10), 3), 10);
      await store.write('a', 'video/mp4', inPieces(bytesOf(20), 3), 20);
      expect(Buffer.compare(await contentOf(await store.open('a')), bytesOf(20))).toBe(0);
      await store.remove('a');
      await store.remove('a');
      expect(await store.open('a')).toBeUndefined();
      expect(await store.open('a', { start: 0, end: 1 })).toBeUndefined();
      expect(await store.size('a')).toBeUndefined();
      expect(await kept()).toEqual([]);
    });

    test('two writers of one name at once: one of them, whole', async () => {
      const [one, other] = [bytesOf(unit + 10), bytesOf(unit + 20).fill(7)];
      await Promise.all([
        store.write('a', 'video/mp4', inPieces(one, 100_000), 1e9),
        store.write('a', 'video/mp4', inPieces(other, 100_000), 1e9),
      ]);
      expect(await kept()).toEqual(['a']);
      const found = await contentOf(await store.open('a'));
      expect([one, other].some((bytes) => Buffer.compare(bytes, found) === 0)).toBe(true);
    });

    test('what is older than a time goes, and nothing else', async () => {
      for (const each of ['old-1', 'old-2', 'new']) await store.write(each, 'video/mp4', inPieces(bytesOf(5), 5), 5);
      await age('old-1', 1_700_000_000_000);
      await age('old-2', 1_700_000_100_000);
      expect(await store.expire(1_700_000_100_000)).toBe(1);
      expect(await store.expire(1_700_000_100_001)).toBe(1);
      expect(await kept()).toEqual(['new']);
    });

    test.each([
      ...['', '.', '..', '../a', 'a/b', 'A', 'a b', 'a\0', 'ä', 'a.part', '%2e%2e', 'x'.repeat(81)],
    ])('%j is no name', async (wrong) => {
      await expect(store.write(wrong, 'video/mp4', inPieces(bytesOf(1), 1), 1)).rejects.toBeInstanceOf(TypeError);
      await expect(store.open(wrong)).rejects.toBeInstanceOf(TypeError);
      await expect(store.size(wrong)).rejects.toBeInstanceOf(TypeError);
      await expect(store.remove(wrong)).rejects.toBeInstanceOf(TypeError);
      expect(await kept()).toEqual([]);
    });

    test('served over HTTP: whole, a range, no such range, gone', async () => {
      const bytes = bytesOf(unit + 100);
      await store.write('a.mp4', 'video/mp4', inPieces(bytes, mebibyte), 1e9);
      const server = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        async fetch({ headers }) {
          const open = (range?: { start: number; end: number }) => store.open('a.mp4', range);
          const served = { mediaType: 'video/mp4', bytes: bytes.length, filename: 'a"\r\n.mp4', open };
          return (await resultReply(served, headers)) ?? new Response(null, { status: 404 });
        },
      });
      const ask = (headers: Record<string, string> = {}) => fetch(`http://127.0.0.1:${server.port}/`, { headers });
      try {
        const whole = await ask();
        expect(whole.status).toBe(200);
        expect(whole.headers.get('content-type')).toBe('video/mp4');
        expect(whole.headers.get('accept-ranges')).toBe('bytes');
        expect(whole.headers.get('cache-control')).toStartWith('private');
        expect(whole.headers.get('content-disposition')).toBe('inline; filename="a___.mp4"');
        expect(Buffer.compare(await whole.bytes(), bytes)).toBe(0);

        const part = await ask({ range: 'bytes=10-19' });
        expect(part.status).toBe(206);
        expect(part.headers.get('content-range')).toBe(`bytes 10-19/${bytes.length}`);
        expect([...(await part.bytes())]).toEqual([...bytes.subarray(10, 20)]);
        const tail = await ask({ range: 'bytes=-5' });
        expect([...(await tail.bytes())]).toEqual([...bytes.subarray(-5)]);

        const conditional = await ask({ range: 'bytes=10-19', 'if-range': '"unknown"' });
        expect([conditional.status, (await conditional.bytes()).length]).toEqual([200, bytes.length]);

        const outside = await ask({ range: `bytes=${bytes.length}-` });
        expect([outside.status, outside.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`]);
        expect((await outside.bytes()).length).toBe(0);

        await store.remove('a.mp4');
        expect((await ask()).status).toBe(404);
        expect((await ask({ range: 'bytes=0-1' })).status).toBe(404);
      } finally {
        await server.stop(true);
      }
    });
  });
}

describe('the database', () => {
  test.each(
    databases,
  )('$name takes so much and not a byte more, and shows nothing to who has no key', async (given) => {
    const { parts, place } = given;
    const resultBytesMax = 2 * mebibyte;
    const store = new DatabaseResults({ parts, sealing, wallMs: Date.now, resultBytesMax });
    const bytes = bytesOf(resultBytesMax);
    expect(await store.write('a', 'image/png', inPieces(bytes, mebibyte), 1e9)).toEqual({ bytes: bytes.length });
    const larger = store.write('b', 'image/png', inPieces(bytesOf(bytes.length + 1), mebibyte), 1e9);
    await expect(larger).rejects.toBeInstanceOf(ResultTooLargeError);
    const rows = await place.query('SELECT name, part, substr(content, 1, 2) FROM result_parts ORDER BY part');
    expect(rows).toEqual([
      ['a', '0000', '2.'],
      ['a', '0001', '2.'],
    ]);
    const stranger = createSealing(fixedKeys(new Uint8Array(32)));
    const opened = await new DatabaseResults({ parts, sealing: stranger, wallMs: Date.now }).open('a');
    const fault = await contentOf(opened).catch((error: unknown) => error);
    expect(String(fault)).toContain('cannot be opened');
  });
});

describe('the folder', () => {
  test('no other user can read it', async () => {
    const store = new FolderResults({ folder: join(root, 'deep', 'kept') });
    await store.write('a', 'video/mp4', inPieces(bytesOf(3), 1), 3);
    expect(statSync(join(root, 'deep', 'kept')).mode & 0o777).toBe(0o700);
    expect(statSync(join(root, 'deep', 'kept', 'a')).mode & 0o777).toBe(0o600);
  });

  test('what a crash left half-written goes with its time', async () => {
    const store = new FolderResults({ folder });
    await Bun.write(join(folder, 'a.0123.part'), 'half');
    expect(await store.expire(Date.now() - 60_000)).toBe(0);
    utimesSync(join(folder, 'a.0123.part'), 1, 1);
    expect(await store.expire(Date.now() - 60_000)).toBe(1);
    expect(existsSync(join(folder, 'a.0123.part'))).toBe(false);
  });

  test('a folder that is gone is an error, and what was in it is not there', async () => {
    const store = new FolderResults({ folder: join(root, 'gone') });
    await store.write('a', 'video/mp4', inPieces(bytesOf(3), 1), 3);
    rmSync(join(root, 'gone'), { recursive: true });
    await expect(store.write('b', 'video/mp4', inPieces(bytesOf(3), 1), 3)).rejects.toThrow('ENOENT');
    await expect(store.expire(1)).rejects.toThrow('ENOENT');
    expect(await store.open('a')).toBeUndefined();
  });
});

describe('the bucket', () => {
  test('keeps what it is and lies below its prefix; other objects are not touched', async () => {
    bucket.objects.set('other', foreign);
    const store = openBucket();
    await store.write('a.webm', 'video/webm', inPieces(bytesOf(2 * partBytes), mebibyte), 1e9);
    await store.write('b.mp4', 'video/mp4', inPieces(bytesOf(10), 5), 1e9);
    expect(bucket.objects.get('weir/videos/a.webm')?.mediaType).toBe('video/webm');
    expect(bucket.objects.get('weir/videos/b.mp4')?.mediaType).toBe('video/mp4');
    expect(await store.expire(Date.now() + 60_000)).toBe(2);
    expect([...bucket.objects.keys()]).toEqual(['other']);
  });

  test('a long list is read page by page', async () => {
    const store = openBucket();
    for (let index = 0; index < 2_500; index++) {
      bucket.objects.set(`weir/videos/${String(index).padStart(5, '0')}`, { ...foreign, changedAtMs: 1_000 });
    }
    expect(await store.expire(Date.now())).toBe(2_500);
    expect(bucket.seen.filter(({ method }) => method === 'GET')).toHaveLength(3);
  });

  test('a slow bucket slows the source down: no more than a part is read ahead', async () => {
    let read = 0;
    let ahead = 0;
    let taken = 0;
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let index = 0; index < 30; index++) {
        read += mebibyte;
        ahead = Math.max(ahead, read - taken);
        yield new Uint8Array(mebibyte);
      }
    }
    bucket.fault = async ({ bytes }) => {
      await Bun.sleep(20);
      taken += bytes;
      return undefined;
    };
    expect(await openBucket().write('a', 'video/mp4', source(), 1e9)).toEqual({ bytes: 30 * mebibyte });
    expect(bucket.seen.filter(({ call }) => call.includes('partNumber'))).toHaveLength(6);
    expect(ahead).toBeLessThanOrEqual(2 * partBytes);
  });

  test.each([
    ['the upload cannot begin', (call: string, method: string) => method === 'POST' && call === 'uploads'],
    ['a part is refused', (call: string) => call.includes('partNumber')],
    ['it cannot be completed', (call: string, method: string) => method === 'POST' && call === 'uploadId'],
  ])('%s: an error, and nothing is left', async (_, fits) => {
    bucket.fault = ({ call, method }) => (fits(call, method) ? failure(500, 'InternalError') : undefined);
    const writing = openBucket().write('a', 'video/mp4', inPieces(bytesOf(2 * partBytes), mebibyte), 1e9);
    await expect(writing).rejects.toThrow('InternalError');
    await until(() => bucket.uploads.size === 0);
    expect(bucket.objects.size).toBe(0);
  });

  test('one fault is tried again', async () => {
    let faults = 1;
    bucket.fault = ({ call }) => (call.includes('partNumber') && faults-- > 0 ? failure(503, 'SlowDown') : undefined);
    await openBucket().write('a', 'video/mp4', inPieces(bytesOf(2 * partBytes), mebibyte), 1e9);
    expect(bucket.objects.get('weir/videos/a')?.bytes.length).toBe(2 * partBytes);
  });

  test('a bucket that answers nothing is given up, and takes nothing for whole when it comes back', async () => {
    const { promise: back, resolve: comeBack } = Promise.withResolvers<undefined>();
    bucket.fault = () => back;
    const store = openBucket({ stallMs: 200 });
    const stalled = inPieces(bytesOf(3 * partBytes), mebibyte);
    await expect(store.write('a', 'video/mp4', stalled, 1e9)).rejects.toBeInstanceOf(BucketStalledError);
    await expect(store.size('a')).rejects.toBeInstanceOf(BucketStalledError);
    await expect(store.remove('a')).rejects.toBeInstanceOf(BucketStalledError);
    comeBack(undefined);
    await until(() => bucket.seen.some(({ method, call }) => method === 'DELETE' && call === 'uploadId'));
    expect(bucket.objects.size).toBe(0);
    expect(bucket.uploads.size).toBe(0);
  });

  test('a slow source does not count as a fault of the bucket', async () => {
    const stallMs = 2_000;
    async function* source(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(10);
      await Bun.sleep(stallMs * 1.5);
      yield new Uint8Array(10);
    }
    expect(await openBucket({ stallMs }).write('a', 'video/mp4', source(), 100)).toEqual({ bytes: 20 });
  });

  test('faults are errors and not missing results', async () => {
    bucket.objects.set('weir/videos/a', foreign);
    bucket.fault = () => failure(500, 'InternalError');
    await expect(openBucket().open('a')).rejects.toThrow();
    await expect(openBucket().expire(1)).rejects.toThrow();
    bucket.fault = undefined;
    await expect(openBucket({ secretAccessKey: 'wrong' }).size('a')).rejects.toThrow();
    await expect(openBucket({ accessKeyId: 'AKIAOTHER' }).open('a')).rejects.toThrow();
    const wrong = openBucket({ secretAccessKey: 'wrong' }).write('b', 'video/mp4', inPieces(bytesOf(3), 1), 3);
    await expect(wrong).rejects.toThrow();
    expect([...bucket.objects.keys()]).toEqual(['weir/videos/a']);
  });

  test('a result that breaks off while it is read is an error, not a shorter result', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n';
    const cutting = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        if (data.toString().startsWith('HEAD')) socket.write(head);
        else socket.write(head + 'x'.repeat(10), () => socket.destroySoon());
      });
    });
    await once(cutting.listen(0, '127.0.0.1'), 'listening');
    const { port } = cutting.address() as AddressInfo;
    try {
      const opened = await openBucket({ endpoint: `http://127.0.0.1:${port}` }).open('a');
      expect(opened?.bytes).toBe(1_000);
      await expect(contentOf(opened)).rejects.toThrow();
    } finally {
      cutting.close();
    }
  });
});
