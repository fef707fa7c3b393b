/** What is charged beside responses, and what is recorded where no price is known. */

import { expect, test } from 'bun:test';
import type { Price } from '../../prices/price.ts';
import { zeroPrice } from '../../prices/prices.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { LiveParts } from '../live-parts.ts';
import { Transcripts } from './transcripts.ts';

const perMinute: Price = { ...zeroPrice('operator'), units: { seconds: 6_000_000n * 1_000_000n } };
const target = { provider: { name: 'up' }, model: 'm' } as unknown as Target;

function transcriptsAt(price: Price | undefined): Transcripts {
  const parts = { catalogue: { resolve: () => undefined }, priceOf: () => price } as unknown as LiveParts;
  return new Transcripts(parts);
}

test('seconds are charged by the minute, and add up', () => {
  const transcripts = transcriptsAt(perMinute);
  transcripts.add(target, 'heard', { usage: undefined, seconds: 30 }, false);
  transcripts.add(target, 'heard', { usage: undefined, seconds: 30 }, true);
  expect(transcripts.take()).toMatchObject({ costNano: 6_000_000n, estimated: true, priceVersion: 'operator' });
  expect(transcripts.take()).toBeUndefined();
});

test('what has no price is not lost: its usage is recorded, and its cost is unknown', () => {
  const transcripts = transcriptsAt(undefined);
  transcripts.add(target, 'heard', { usage: undefined, seconds: 30 }, false);
  transcripts.add(target, 'heard', { usage: { input: { total: 7 }, output: { total: 2 } }, seconds: undefined }, false);
  expect(transcripts.take()).toEqual({
    usage: { input: { total: 7 }, output: { total: 2 } },
    costNano: 0n,
    estimated: false,
    priceVersion: '',
    units: { requests: 2, seconds: 30 },
  });
});
