/** What a budget has no room for is refused by what was spent; what others hold may become free. */

import { expect, test } from 'bun:test';
import { callerOf } from '../../access/levels/caller-of.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { zeroPrice } from '../../prices/prices.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { Call } from '../admission/call.ts';
import { type RoomParts, requireRoom } from './require-room.ts';

const target = { model: 'm', provider: { name: 'up', quirks: {} } } as unknown as Target;
const price = { ...zeroPrice('test'), input: { nanoPerMillion: 1_000_000n, tiers: [] } };
const terms = { name: 't', budget: { limitNano: 1_000n, period: 'total' } } as const;
const caller = callerOf({ id: 't', hint: '', createdAtMs: 0, terms });
const call = (inputTokensMax: number) =>
  ({
    caller,
    facts: { model: 'm', stream: false, candidates: 1, inputTokensMax, outputTokensMax: 0 },
  }) as unknown as Call;

async function codeFor(inputTokensMax: number, spentNano: bigint | Error, heldNano = 0n): Promise<string> {
  const parts = {
    budgetOf: async () => {
      if (spentNano instanceof Error) throw spentNano;
      return { spentNano, heldNano };
    },
    contextTokensOf: () => undefined,
    outputBoundOf: () => 0,
    priceOf: () => price,
    priceTables: { guesses: 'display' },
    wallMs: () => 0,
  } as unknown as RoomParts;
  try {
    await requireRoom(parts, call(inputTokensMax), target);
    return 'room';
  } catch (error) {
    return error instanceof GatewayError ? error.code : String(error);
  }
}

test('by what was spent and what it needs, to the nano-dollar', async () => {
  expect(await codeFor(1_000, 0n)).toBe('room');
  expect(await codeFor(1_001, 0n)).toBe('budget_spent');
  expect(await codeFor(400, 600n)).toBe('room');
  expect(await codeFor(400, 601n)).toBe('budget_spent');
});

test('not by what is held, and not where the database does not answer', async () => {
  expect(await codeFor(1_000, 0n, 1_000n)).toBe('room');
  expect(await codeFor(1_001, new Error('away'))).toBe('room');
});
