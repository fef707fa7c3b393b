/** Every limit at its edge: one below and exactly on it a form passes, one above it is refused. */

import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import {
  bodyOf,
  boundary,
  contentType,
  field,
  file,
  ManualClock,
  optionsIn,
  pieces,
  read,
  SpoolFolder,
} from '../../../test/harness/scripted-form.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { defaultFormLimits, type FormLimits } from './limits.ts';
import { readRequestForm } from './read-form.ts';

const folder = new SpoolFolder();
afterEach(() => expect(folder.left).toEqual({ named: 0, open: 0 }));
afterAll(() => folder.remove());

/** The code and field of a refusal, `taken` where there is none. */
async function outcome(reading: Promise<{ dispose(): Promise<void> }>): Promise<string> {
  try {
    await (await reading).dispose();
    return 'taken';
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return `${error.status} ${error.code} ${error.param}`.trim();
  }
}

interface Edge {
  readonly limit: keyof FormLimits;
  readonly max: number;
  /** A body that has this much of what is limited. */
  body(amount: number): Buffer;
  readonly refusal: string;
}

const headOf = (bytes: number): string => {
  const start = 'Content-Disposition: form-data; name="a"\r\nx-filler: ';
  return start + 'y'.repeat(bytes - start.length);
};
const emptyBytes = bodyOf([file('file', '')]).length;

const edges: Edge[] = [
  {
    limit: 'partsMax',
    max: 5,
    body: (count) => bodyOf(Array.from({ length: count }, (_, index) => field(`f${index}`, ''))),
    refusal: '400 field_invalid',
  },
  {
    limit: 'fieldNameBytesMax',
    max: 20,
    body: (bytes) => bodyOf([field('ü' + 'n'.repeat(bytes - 2), '')]),
    refusal: '400 field_invalid',
  },
  {
    limit: 'partHeadBytesMax',
    max: 300,
    body: (bytes) => bodyOf([{ head: headOf(bytes), content: '' }]),
    refusal: '400 field_invalid',
  },
  {
    limit: 'partHeadBytesMax',
    max: 300,
    body: (bytes) => Buffer.concat([Buffer.from(`${'p'.repeat(bytes - 2)}\r\n`), bodyOf([field('a', '')])]),
    refusal: '400 field_invalid',
  },
  {
    limit: 'partHeadBytesMax',
    max: 300,
    body: (bytes) => bodyOf([field('a', '')], `--${boundary}--\r\n${'e'.repeat(bytes - 2)}`),
    refusal: '400 field_invalid',
  },
  {
    limit: 'fieldBytesMax',
    max: 1_000,
    body: (bytes) => bodyOf([field('prompt', 'x'.repeat(bytes))]),
    refusal: '413 body_too_large prompt',
  },
  {
    limit: 'fieldsBytesMax',
    max: 1_000,
    body: (bytes) => bodyOf([field('one', 'x'.repeat(bytes - 600)), field('two', 'x'.repeat(600))]),
    refusal: '413 body_too_large two',
  },
  {
    limit: 'fileBytesMax',
    max: 5_000,
    body: (bytes) => bodyOf([file('file', 'x'.repeat(bytes))]),
    refusal: '413 body_too_large file',
  },
  {
    limit: 'totalBytesMax',
    max: 5_000,
    body: (bytes) => bodyOf([file('file', 'x'.repeat(bytes - emptyBytes))]),
    refusal: '413 body_too_large',
  },
];

describe.each(edges)('$limit', ({ limit, max, body, refusal }) => {
  test.each([1, 13, 1_000_000])('in pieces of %d', async (size) => {
    const given = { limits: { [limit]: max }, memoryBytesMax: 100 };
    expect(await outcome(read(folder, pieces(body(max - 1), size), given))).toBe('taken');
    expect(await outcome(read(folder, pieces(body(max), size), given))).toBe('taken');
    expect(await outcome(read(folder, pieces(body(max + 1), size), given))).toBe(refusal);
  });
});

test('an announced length is refused before a byte is read', async () => {
  const bytes = bodyOf([field('a', 'b')]);
  const ask = (totalBytesMax: number) => {
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled += 1;
          controller.enqueue(bytes);
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { 'content-type': contentType, 'content-length': String(bytes.length) };
    const request = new Request('http://x/', { method: 'POST', headers, body });
    const reading = readRequestForm(request, optionsIn(folder, { limits: { totalBytesMax } }));
    return outcome(reading).then((result) => ({ result, pulled }));
  };
  expect(await ask(bytes.length)).toEqual({ result: 'taken', pulled: 1 });
  expect(await ask(bytes.length - 1)).toEqual({ result: '413 body_too_large', pulled: 0 });
});

test.each([
  [-1, 'taken'],
  [0, '408 body_timeout'],
  [1, '408 body_timeout'],
])('timeoutMs: %d ms past it the form is %s', async (past, expected) => {
  const clock = new ManualClock();
  const bytes = bodyOf([file('file', Buffer.alloc(2_000_000))]);
  const started = 1_000_000;
  const source = (async function* () {
    yield bytes.subarray(0, 1_500_000);
    clock.tick(started);
    clock.tick(started + 60_000 + past);
    if (expected !== 'taken') await new Promise(() => {});
    yield bytes.subarray(1_500_000);
  })();
  expect(await outcome(read(folder, source, { clock, limits: { timeoutMs: 60_000 } }))).toBe(expected);
  expect(clock.watched.size).toBe(0);
});

test('the defaults take what official clients send', () => {
  expect(defaultFormLimits.totalBytesMax).toBe(128 * 1_048_576);
  expect(defaultFormLimits.partsMax).toBeGreaterThan(40);
});

test.each([
  'totalBytesMax',
  'fileBytesMax',
])('1 GB is refused at 20 MB by %s, and no more of it is read', async (limit) => {
  const megabyte = 1_048_576;
  let asked = 0;
  async function* lazy() {
    yield Buffer.from(`--${boundary}\r\n${file('file', '').head}\r\n\r\n`);
    for (; asked < 1_024 * megabyte; asked += 65_536) yield Buffer.alloc(65_536, 'x');
  }
  const limits = { totalBytesMax: 2 ** 31, fileBytesMax: 2 ** 31, [limit]: 20 * megabyte };
  expect(await outcome(read(folder, lazy(), { limits }))).toStartWith('413 body_too_large');
  expect(asked).toBeWithin(19 * megabyte, 21 * megabyte);
});
