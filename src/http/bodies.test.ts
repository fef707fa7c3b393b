/** Large and small bodies read the same way, and the memory that all of them may take. */

import { describe, expect, test } from 'bun:test';
import { scriptedBodies } from '../../test/harness/scripted-bodies.ts';
import type { Watched } from './deadlines.ts';
import { editBody, editFields, readJsonBody } from './json/json-body.ts';
import { smallBytesMax } from './json/read-in-slices.ts';
import { BodyMemory } from './memory/body-memory.ts';

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
const filler = (bytes: number): string => `"${'é\\n\\u0041'.repeat(Math.ceil(bytes / 10))}"`;
const large = `{"model":"m","messages":[${Array.from({ length: 40 }, () => filler(9_000)).join(',')}],"n":1}`;

describe('large bodies', () => {
  test('are read as small ones are', async () => {
    const bytes = encode(large);
    expect(bytes.length).toBeGreaterThan(2 * smallBytesMax);
    const reading = scriptedBodies().read(bytes);
    expect(reading).toBeInstanceOf(Promise);
    const unlimited = { valuesMax: Infinity, keysMax: Infinity };
    expect(await reading).toEqual(readJsonBody(bytes, 64, unlimited));
  });

  test.each([
    ['deeper than', `{"a":${'['.repeat(65)}${' '.repeat(smallBytesMax)}`],
    ['not valid JSON', `{"a":${filler(smallBytesMax)}`],
    ['must be a JSON object', `[${filler(smallBytesMax)}]`],
    ['must differ', `{"a":1,"a":${filler(smallBytesMax)}}`],
    ['no escapes', `{"\\u0061":${filler(smallBytesMax)}}`],
    ['more than 500000 values', `{"a":[${'1,'.repeat(600_000)}`],
    ['more than 100000 keys', `{"a":{${'"b":1,'.repeat(110_000)}`],
  ])('%s: refused', async (words, text) => {
    await expect(Promise.resolve(scriptedBodies().read(encode(text)))).rejects.toThrow(words);
  });
});

test('limits hold for small bodies too', () => {
  const bodies = scriptedBodies({ jsonValuesMax: 10, jsonKeysMax: 3 });
  expect(bodies.readSmall(encode('{"a":[1,2,3,4,5,6,7,8,9]}')).tree).toBeDefined();
  expect(() => bodies.readSmall(encode('{"a":[1,2,3,4,5,6,7,8,9,10]}'))).toThrow('more than 10 values');
  expect(() => bodies.readSmall(encode('{"a":{"b":{"c":{"d":1}}}}'))).toThrow('more than 3 keys');
});

describe('editing a body', () => {
  const edits = new Map([
    ['a', undefined],
    ['c', '"C"'],
    ['z', '[1]'],
    ['absent', undefined],
  ]);
  test.each([
    '{"a":1, "b" :2 ,"c":{"a":1}}',
    '{"a":1}',
    '{}',
    '{"__proto__":{"x":1},"c":null,"10":1,"9":2}',
    '{"b":1,"b":2,"a":3}',
  ])('is as reading the edited bytes: %s', (text) => {
    const body = readJsonBody(encode(text), 64);
    const edited = editBody(body, edits);
    expect(edited.tree).toEqual(readJsonBody(editFields(body, edits), 64).tree);
    expect(edited).toEqual(readJsonBody(edited.bytes, 64));
  });
});

describe('memory of bodies', () => {
  const request = (bytes: number): Request =>
    new Request('http://weir/', { method: 'POST', body: `{"a":"${'x'.repeat(bytes - 8)}"}` });

  test('is counted while a body is in use, and refused beyond the limit', async () => {
    const memory = new BodyMemory({ bodyMemoryBytesMax: 400_000, jsonBodyBytesMax: 100_000 });
    const bodies = scriptedBodies({}, memory);
    const release = Promise.withResolvers<void>();
    const using = ['a', 'b', 'c', 'd'].map((tokenId) =>
      bodies.within(request(100_000), tokenId, () => release.promise),
    );
    while (memory.bytes < 400_000) await Bun.sleep(0);
    await expect(bodies.within(request(70_000), 'e', async () => 1)).rejects.toMatchObject({
      code: 'gateway_overloaded',
    });
    await expect(bodies.within(request(70_000), 'a', async () => 1)).rejects.toMatchObject({
      code: 'concurrency_limited',
    });
    release.resolve();
    await Promise.all(using);
    expect(memory.bytes).toBe(0);
    expect(await bodies.within(request(70_000), 'e', async () => 1)).toBe(1);
    expect(memory.bytes).toBe(0);
  });

  test('is not taken by what arrives after the request was answered as too slow', async () => {
    const memory = new BodyMemory({ bodyMemoryBytesMax: 400_000, jsonBodyBytesMax: 100_000 });
    const watched: Watched[] = [];
    const deadlines = { add: (each: Watched) => void watched.push(each), delete: () => undefined };
    const bodies = scriptedBodies({}, memory, deadlines);
    let pulled = 0;
    let left = 0;
    let arrive = (): void => undefined;
    async function* body(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
      try {
        for (; ; pulled += 1) {
          yield new Uint8Array(70_000);
          await new Promise<void>((resolve) => {
            arrive = resolve;
          });
        }
      } finally {
        left += 1;
      }
    }
    const signal = new AbortController().signal;
    const slow = { method: 'POST', headers: new Headers(), body: body(), bytes: () => Promise.reject(), signal };
    const reading = bodies.within(slow, 'a', async () => 1);
    while (memory.bytes === 0) await Bun.sleep(0);
    for (const nowMs of [0, 5_000]) for (const each of watched) each.tick(nowMs);
    await expect(reading).rejects.toMatchObject({ code: 'body_timeout' });
    expect(memory.bytes).toBe(0);
    arrive();
    for (let turns = 0; turns < 10; turns += 1) await Bun.sleep(0);
    expect([memory.bytes, pulled, left]).toEqual([0, 1, 1]);
  });

  test('a share is never smaller than the largest body', () => {
    const memory = new BodyMemory({ bodyMemoryBytesMax: 100, jsonBodyBytesMax: 80 });
    memory.take('a', 80);
    expect(() => memory.take('a', 1)).toThrow('80 bytes');
    memory.take('b', 20);
    expect(() => memory.take('b', 1)).toThrow('Try again');
    memory.release('a', 80);
    memory.take('b', 60);
  });
});
