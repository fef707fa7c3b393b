/** One voice for many sessions: none is refused, nothing is spoken twice, and a failure is not cached. */

import { expect, test } from 'bun:test';
import { sentenceVoice } from './sentence-voice.ts';

function counted(secondsEach = 1, fails: () => boolean = () => false) {
  const asked: string[] = [];
  let runAtOnce = 0;
  let atOnceMax = 0;
  const voice = sentenceVoice({
    async speak({ text }) {
      asked.push(text);
      atOnceMax = Math.max(atOnceMax, ++runAtOnce);
      await Bun.sleep(1);
      if (fails()) {
        runAtOnce--;
        throw new Error('no voice');
      }
      async function* pieces() {
        yield new Uint8Array(24_000 * secondsEach);
        yield new Uint8Array(24_000 * secondsEach).fill(1);
        runAtOnce--;
      }
      return { mediaType: 'audio/pcm', pieces: pieces(), seconds: () => secondsEach };
    },
  });
  return { voice, asked, mostAtOnce: () => atOnceMax };
}

test('five hundred at once wait in line and are all spoken', async () => {
  const { voice, asked, mostAtOnce } = counted(0.01);
  const said = await Promise.all(Array.from({ length: 500 }, (_, index) => voice.say(`sentence ${index}`, 'slt', 1)));
  expect(said.every(({ length }) => length === 240)).toBe(true);
  expect(asked).toEqual(Array.from({ length: 500 }, (_, index) => `sentence ${index}`));
  expect(mostAtOnce()).toBe(4);
});

test('the same sentence is spoken once, also for those who ask meanwhile', async () => {
  const { voice, asked } = counted();
  const [one, other] = await Promise.all([voice.say('hello', 'slt', 1), voice.say('hello', 'slt', 1)]);
  expect(other).toBe(one);
  expect([one?.[0], one?.at(-1)]).toEqual([0, 0x0101]);
  expect(await voice.say('hello', 'slt', 1)).toBe(one);
  await voice.say('hello', 'slt', 1.5);
  await voice.say('hello', 'rms', 1);
  expect(asked).toEqual(['hello', 'hello', 'hello']);
});

test('what was asked for long ago is forgotten first', async () => {
  const { voice, asked } = counted(20);
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names) await voice.say(name, 'slt', 1);
  await voice.say('a', 'slt', 1);
  await voice.say('e', 'slt', 1);
  await voice.say('a', 'slt', 1);
  expect(asked).toEqual([...names, 'e']);
  await voice.say('b', 'slt', 1);
  expect(asked).toEqual([...names, 'e', 'b']);
});

test('a failure is sent to all who wait, and tried again for the next', async () => {
  let broken = true;
  const { voice, asked } = counted(0.01, () => broken);
  const failed = await Promise.allSettled([voice.say('x', 'slt', 1), voice.say('x', 'slt', 1)]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  broken = false;
  expect(await voice.say('x', 'slt', 1)).toHaveLength(240);
  expect(asked).toHaveLength(2);
});
