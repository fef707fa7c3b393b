/** Proves with the real thread that counts are plausible, and that no caller waits for a count that will not come. */

import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { createTokenCounter, type TokenCounter } from './count-tokens.ts';

const english =
  'A weir is a low wall across a river. It holds the water back, raises its level, and lets what is too much flow over ' +
  'the top. People have built weirs for a very long time: to drive the wheel of a mill, to keep a channel deep enough for ' +
  'boats, to lead water into fields, or to measure how much of it passes in an hour. The measure is simple. The higher ' +
  'the water rises above the edge, the more of it goes by, and a table tells the rest. Fish find a weir difficult, so ' +
  'newer ones have a ladder beside them, a row of small pools that a salmon can climb one after the other.';
const tokensPerWord = 1.3;

describe('the count', () => {
  // Its thread takes half a second of processor time to start.
  const { count, stop } = createTokenCounter({ answerMs: 120_000 });
  afterAll(stop);

  test('of English text is about 1.3 tokens a word', async () => {
    const expected = english.split(' ').length * tokensPerWord;
    const tokens = await count(english);
    expect(Math.abs(tokens - expected) / expected).toBeLessThan(0.2);
    // Not the estimate that is used when the thread does not answer.
    expect(tokens).not.toBe(Math.ceil(english.length / 4));
  });

  test('of no text is 0, and of each text its own', async () => {
    const empty = count('');
    // Known without the thread.
    expect(Bun.peek.status(empty)).toBe('fulfilled');
    expect(await empty).toBe(0);
    expect(await Promise.all([count('one'), count('one two'), count('one two three')])).toEqual([1, 2, 3]);
  });

  test('of one run of a million characters does not take forever', async () => {
    expect(await count('ab'.repeat(500_000))).toBeGreaterThan(10_000);
  });

  test('of more than a million characters is a quarter of them, without asking the thread', async () => {
    expect(await count('a'.repeat(1_000_004))).toBe(250_001);
  });
});

describe('stop', () => {
  let counter: TokenCounter | undefined;
  afterEach(() => counter?.stop());

  function start(): TokenCounter {
    counter = createTokenCounter({ answerMs: 120_000 });
    return counter;
  }

  test('answers every waiting caller with the rough count', async () => {
    const { count, stop } = start();
    const waiting = ['a'.repeat(8), 'a'.repeat(4_001)].map(count);
    stop();
    expect(await Promise.all(waiting)).toEqual([2, 1_001]);
  });

  test('does not keep a later call from being counted', async () => {
    const { count, stop } = start();
    await count('one');
    stop();
    expect(await count('one two three')).toBe(3);
  });
});
