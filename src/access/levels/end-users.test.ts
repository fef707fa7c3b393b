import { beforeEach, describe, expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Caller } from '../caller.ts';
import type { EndUserTerms, LevelBudget, LevelTerms } from '../organization.ts';
import { callerOf } from './caller-of.ts';
import { createEndUsers, digestOf, type EndUserSight, type EndUserStanding, type EndUsers } from './end-users.ts';

const daily: LevelBudget = { id: 'd', unit: 'requests', limit: 3n, period: 'day' };
let clockMs: number;
let sights: EndUserSight[];
let seen: number;
let standing: EndUserStanding | undefined;
let endUsers: EndUsers;

beforeEach(() => {
  clockMs = 1_000;
  sights = [];
  seen = 0;
  standing = { terms: undefined, isBlocked: false };
  endUsers = createEndUsers({
    wallMs: () => clockMs,
    table: {
      async meet(sight) {
        sights.push(sight);
        return standing;
      },
      async seen() {
        seen++;
      },
    },
  });
});

const callerWith = (endUserTerms: EndUserTerms) =>
  callerOf({ id: 'tok', hint: '', createdAtMs: 0, terms: { name: 't', endUsers: endUserTerms } });

async function userOf(caller: Caller, name: string) {
  if (caller.endUsers === undefined) throw new Error('has no terms of end users');
  return endUsers.callerFor(caller, caller.endUsers, name);
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: unknown) => (error instanceof GatewayError ? error.code : 'other'),
  );

describe('an end user', () => {
  test('is the lowest level, with the default budgets and rate limit', async () => {
    const user = await userOf(callerWith({ budgets: [daily], rpm: 5 }), 'kim');
    const id = `tok/${digestOf('kim')}`;
    expect(user.levels.at(-1)).toEqual({ kind: 'user', id, name: 'kim', terms: { budgets: [daily], rpm: 5 } });
    expect(user.userLimits.map(({ key, rpm }) => [key, rpm])).toEqual([[`user:${id}`, 5]]);
    expect(sights).toEqual([
      { scopeId: 'tok', digest: digestOf('kim'), name: 'kim', tokenId: 'tok', max: 10_000, atMs: 1_000 },
    ]);
  });

  test('has terms of its own in place of the defaults', async () => {
    const own: LevelTerms = { rpm: 1, models: ['gpt-*'] };
    standing = { terms: own, isBlocked: false };
    const user = await userOf(callerWith({ budgets: [daily], rpm: 5 }), 'kim');
    expect(user.levels.at(-1)?.terms).toEqual({ budgets: [daily], rpm: 1, models: ['gpt-*'] });
    expect([user.mayUseModel('gpt-4'), user.mayUseModel('claude')]).toEqual([true, false]);
  });

  test('is read once for all of its requests, and again when the caller was loaded again', async () => {
    const caller = callerWith({ rpm: 5 });
    const first = await Promise.all(Array.from({ length: 20 }, () => userOf(caller, 'kim')));
    expect(new Set(first).size).toBe(1);
    expect(caller.endUsers && endUsers.callerFor(caller, caller.endUsers, 'kim')).toBe(first[0] as never);
    await userOf(caller, 'lee');
    await userOf(callerWith({ rpm: 5 }), 'kim');
    expect(sights.map(({ name }) => name)).toEqual(['kim', 'lee', 'kim']);
  });

  test('is written as seen once an hour', async () => {
    const caller = callerWith({});
    for (const atMs of [1_000, 2_000, 3_602_000, 3_603_000]) {
      clockMs = atMs;
      await userOf(caller, 'kim');
    }
    expect([sights.length, seen]).toEqual([1, 1]);
  });

  test('is refused where it is blocked, and where the token has too many', async () => {
    standing = { terms: undefined, isBlocked: true };
    const caller = callerWith({ max: 2 });
    expect(await codeOf(userOf(caller, 'kim'))).toBe('end_user_blocked');
    expect(await codeOf(userOf(caller, 'kim'))).toBe('end_user_blocked');
    expect(sights).toHaveLength(1);
    standing = undefined;
    expect(await codeOf(userOf(caller, 'lee'))).toBe('end_users_exceeded');
    // Room may be made at any time.
    standing = { terms: undefined, isBlocked: false };
    expect(await codeOf(userOf(caller, 'lee'))).toBe('ok');
    expect(sights[0]?.max).toBe(2);
  });

  test('whose name is long is known by a digest of all of it', async () => {
    const caller = callerWith({});
    const [one, other] = [`${'x'.repeat(500)}1`, `${'x'.repeat(500)}2`];
    await userOf(caller, one);
    await userOf(caller, other);
    expect(new Set(sights.map(({ digest }) => digest)).size).toBe(2);
    expect(sights[0]?.name).toHaveLength(128);
  });
});
