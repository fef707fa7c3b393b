/** However the network cuts a stream's bytes, the events are the same. */

import { describe, expect, test } from 'bun:test';
import type { FormatName } from '../../../src/formats/format.ts';
import { eventsOf, formatNames, framesOf, originOf, streamThrough } from '../../harness/journeys.ts';
import { Random, randomReply } from '../../harness/random-conversation.ts';
import { bytesOf, recordings } from '../../harness/recorded-replies.ts';
import { sized } from '../../harness/size.ts';
import { unfold } from '../../harness/unfold.ts';

const seed = 7;
/** Up to this size a stream is cut at every byte. */
const shortBytes = sized(600, 1_500);
const randomCuts = sized(8, 25);

/** Ids that a reader makes differ from one reading to the next. */
function spoken(format: FormatName, bytes: Uint8Array, cuts: readonly number[]): string {
  const { value, losses } = eventsOf(format, framesOf(bytes, cuts));
  return JSON.stringify([value, losses]).replace(/made\d+/g, 'made');
}

function cutsOf(bytes: Uint8Array, random: Random): number[][] {
  const each = Array.from({ length: bytes.length }, (_, index) => index);
  const single = bytes.length <= shortBytes ? each.map((at) => [at]) : [];
  const many = Array.from({ length: randomCuts }, () => random.some(each, random.pick([0.001, 0.01, 0.2])));
  return [...single, ...many, each];
}

function checkSplits(format: FormatName, text: string, random: Random): number {
  const bytes = new TextEncoder().encode(text);
  const whole = spoken(format, bytes, []);
  expect(whole.length).toBeGreaterThan(10);
  const cuts = cutsOf(bytes, random);
  for (const cut of cuts) {
    const got = spoken(format, bytes, cut);
    if (got !== whole) expect({ cut, got }).toEqual({ cut, got: whole });
  }
  return cuts.length;
}

let splits = 0;

describe('written streams', () => {
  test.each(formatNames)('%s', (format) => {
    for (let number = 0; number < sized(4, 12); number += 1) {
      const random = new Random(seed + number);
      const { text } = streamThrough(format, unfold(randomReply(random, originOf(format), { without: ['logprobs'] })));
      splits += checkSplits(format, text, random);
      // Line ends of every kind mean the same.
      const firstFrames = `${text.split('\n\n').slice(0, 4).join('\n\n')}\n\n`;
      splits += checkSplits(format, firstFrames.replaceAll('\n', '\r\n'), random);
    }
  });
});

const streams = recordings().filter(({ streamed }) => streamed);

describe('recorded streams', () => {
  test.each(formatNames)('%s', (format) => {
    const random = new Random(seed);
    for (const recording of streams.filter((one) => one.format === format)) {
      const text = bytesOf(recording);
      if (text.length < 20_000) splits += checkSplits(format, text, random);
    }
  });

  test('the count', () => {
    console.log(`splits: seed ${seed}, ${splits} splits of written and recorded streams`);
    expect(splits).toBeGreaterThan(1_000);
  });
});
