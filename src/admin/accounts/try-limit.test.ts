/** Tries of a whole network are let through at a pace once they are too many; only what belongs to one is locked. */

import { expect, test } from 'bun:test';
import type { SignInTryStore } from '../../store/accounts/account-store.ts';
import { signInBounds } from '../contracts/account-contract.ts';
import { createTryLimit, networkScope, type TryScope } from './try-limit.ts';

function scene() {
  let now = 0;
  const windows = new Map<string, { tries: number; startedAtMs: number }>();
  const tries = {
    async count(name: string, atMs: number, windowMs: number) {
      const known = windows.get(name);
      const open = known !== undefined && atMs < known.startedAtMs + windowMs;
      const next = open ? { ...known, tries: known.tries + 1 } : { tries: 1, startedAtMs: atMs };
      windows.set(name, next);
      return next;
    },
    giveBack: async () => undefined,
  } as unknown as SignInTryStore;
  const limit = createTryLimit(tries, () => now);
  /** How many of these tries, one each second, are let through. */
  const passed = async (scope: TryScope, count: number): Promise<number> => {
    let sum = 0;
    for (let index = 0; index < count; index++) {
      now += 1_000;
      await limit.count([scope]).then(
        () => sum++,
        () => undefined,
      );
    }
    return sum;
  };
  return { passed };
}

test('a network is never locked: behind a stranger’s tries others still come through', async () => {
  const { passed } = scene();
  const scope = networkScope('invitation', '192.0.2.0/24', signInBounds.triesMax);
  expect(await passed(scope, signInBounds.triesMax)).toBe(signInBounds.triesMax);
  const further = await passed(scope, 600);
  expect(further).toBeGreaterThan(10);
  expect(further).toBeLessThan(200);
});

test('what belongs to one account or secret is locked until the window is over', async () => {
  const { passed } = scene();
  const scope = { name: 'account:a', triesMax: signInBounds.triesMax, paced: undefined };
  expect(await passed(scope, 600)).toBe(signInBounds.triesMax);
  expect(await passed(scope, 600)).toBe(signInBounds.triesMax);
});
