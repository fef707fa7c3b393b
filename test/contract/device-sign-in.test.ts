/** What sign-ins of programs promise over time and over two replicas, on both engines. */

import { expect } from 'bun:test';
import type { AccountRecord } from '../../src/access/account.ts';
import { mintToken } from '../../src/access/token-format.ts';
import { createAudit } from '../../src/admin/accounts/audit.ts';
import type { Actor } from '../../src/admin/accounts/sessions.ts';
import { deviceBounds } from '../../src/admin/contracts/device-contract.ts';
import { OAuthError } from '../../src/admin/device/oauth-error.ts';
import { createSignInTokens } from '../../src/admin/device/sign-in-tokens.ts';
import { createDeviceSignIns } from '../../src/admin/device/signed-in-programs.ts';
import { tokenTable } from '../../src/admin/store-tables.ts';
import { createDigests } from '../../src/secrets/digests.ts';
import type { Store } from '../../src/store/store.ts';
import { fixedKeys } from '../harness/fixed-keys.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

const client = { address: '127.0.0.1', agent: 'test' };
const dayMs = 24 * 60 * 60 * 1_000;

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`sign-ins of programs on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    let now = 0;
    let accounts: Map<string, AccountRecord>;

    beforeEach(async () => {
      now = Date.UTC(2026, 10, 17);
      accounts = new Map([['acc_1', account('acc_1')]]);
      place = await engine.place();
      store = await place.open(() => now);
    });
    afterEach(() => place.dispose());

    const account = (id: string, role: AccountRecord['role'] = 'member'): AccountRecord => ({
      id,
      name: id,
      role,
      createdAtMs: now,
      passwordChangedAtMs: now,
    });
    const actor = (id = 'acc_1'): Actor => {
      const session = {
        id: 's',
        accountId: id,
        createdAtMs: 0,
        lastSeenAtMs: 0,
        expiresAtMs: 0,
        address: '',
        agent: '',
      };
      return { account: accounts.get(id) ?? account(id), session, client };
    };
    /** As each replica has its own. */
    const open = (perPersonMax = 50) => {
      const digests = createDigests(fixedKeys(new Uint8Array(32)));
      return createDeviceSignIns({
        signIns: store.deviceSignIns,
        organization: store.organization,
        tries: store.signInTries,
        audit: createAudit({ table: store.audit, nowMs: () => now }),
        digests,
        tokens: createSignInTokens({
          tokens: tokenTable(store),
          digests,
          mint: mintToken,
          defaults: { perPersonMax, budgetUsd: '2', budgetPeriod: 'month' } as never,
          lifetimeMs: () => 3_600_000,
          nowMs: () => now,
        }),
        accountOf: async (id) => accounts.get(id),
        networkOf: (address) => address,
        clients: () => ['agent'],
        idleDays: () => 30,
        managedSettings: () => undefined,
        spendOf: async () => undefined,
        nowMs: () => now,
      });
    };
    const errorOf = (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => 'none',
        (error: unknown) => (error instanceof OAuthError ? error.code : String(error)),
      );
    async function signIn(devices = open()) {
      const begun = await devices.begin('agent', client);
      await devices.answer(actor(), { code: begun.userCode, approve: true });
      return devices.redeem(begun.deviceCode, 'agent', client);
    }

    test('beyond those that may be pending the oldest expires, and a newcomer is never refused', async () => {
      const insert = (index: number) =>
        store.deviceSignIns.insert(
          {
            id: `sgn_${index}`,
            clientId: 'weir-cli',
            state: 'pending',
            deviceDigest: `device-${index}`,
            userDigest: `user-${index}`,
            address: '127.0.0.1',
            agent: 'test',
            createdAtMs: now + index,
            polledAtMs: 0,
            intervalMs: 5_000,
            refreshedAtMs: 0,
            expiresAtMs: now + deviceBounds.codeLifetimeMs,
          },
          3,
        );
      for (let index = 0; index < 6; index++) expect(await insert(index)).toBe('inserted');
      const open = await Promise.all(
        Array.from({ length: 6 }, async (_, index) => {
          const row = await store.deviceSignIns.byDeviceDigest(`device-${index}`);
          return (row?.expiresAtMs ?? 0) > now + 6;
        }),
      );
      expect(open).toEqual([false, false, false, true, true, true]);
    });

    test('a program that polls too often has to wait longer each time', async () => {
      const devices = open();
      const { deviceCode } = await devices.begin('agent', client);
      const poll = () => errorOf(devices.redeem(deviceCode, 'agent', client));
      expect(await poll()).toBe('authorization_pending');
      now += deviceBounds.intervalMs;
      expect(await poll()).toBe('authorization_pending');
      now += 1_000;
      expect(await poll()).toBe('slow_down');
      now += deviceBounds.intervalMs;
      expect(await poll()).toBe('slow_down');
      now += deviceBounds.intervalMs + 2 * deviceBounds.slowDownMs;
      expect(await poll()).toBe('authorization_pending');
    });

    test('codes expire, before and after the answer, and what was approved in vain leaves no token', async () => {
      const devices = open();
      const silent = await devices.begin('agent', client);
      const approved = await devices.begin('agent', client);
      await devices.answer(actor(), { code: approved.userCode, approve: true });
      now += deviceBounds.codeLifetimeMs;
      for (const { deviceCode } of [silent, approved]) {
        expect(await errorOf(devices.redeem(deviceCode, 'agent', client))).toBe('expired_token');
      }
      expect(await errorOf(devices.answer(actor(), { code: silent.userCode, approve: true }))).toContain('code:');
      await devices.tidy();
      const [token] = await tokenTable(store).list({ limit: 5, ownerId: 'acc_1' });
      expect(token?.revokedAtMs).toBe(now);
      now += deviceBounds.keptMs;
      await devices.tidy();
      expect(await errorOf(devices.redeem(silent.deviceCode, 'agent', client))).toBe('invalid_grant');
    });

    test('of two replicas one redeems a code, and one answers it', async () => {
      const [here, there] = [open(), open()];
      const begun = await here.begin('agent', client);
      const answers = await Promise.all(
        [here, there].map((devices) => errorOf(devices.answer(actor(), { code: begun.userCode, approve: true }))),
      );
      expect(answers.filter((answer) => answer === 'none')).toHaveLength(1);
      const redeemed = await Promise.all(
        [here, there].map((devices) => errorOf(devices.redeem(begun.deviceCode, 'agent', client))),
      );
      expect(redeemed.sort()).toEqual(['invalid_grant', 'none']);
      const working = (await tokenTable(store).list({ limit: 5 })).filter(
        ({ revokedAtMs }) => revokedAtMs === undefined,
      );
      expect(working).toHaveLength(1);
    });

    test('a renewal extends the sign-in; an idle one expires; one used twice ends, on any replica', async () => {
      const [here, there] = [open(), open()];
      const first = await signIn(here);
      now += 29 * dayMs;
      const second = await there.refresh(first.refreshToken, 'agent', client);
      now += 29 * dayMs;
      const third = await here.refresh(second.refreshToken, 'agent', client);
      expect(await here.list(actor())).toHaveLength(1);
      expect(await errorOf(there.refresh(first.refreshToken, 'agent', client))).toBe('invalid_grant');
      expect(await errorOf(here.refresh(third.refreshToken, 'agent', client))).toBe('invalid_grant');
      expect(await here.list(actor())).toEqual([]);
      const idle = await signIn(here);
      now += 30 * dayMs;
      expect(await errorOf(here.refresh(idle.refreshToken, 'agent', client))).toBe('invalid_grant');
    });

    test('the role is checked at each renewal, and a disabled account ends all of its sign-ins', async () => {
      const devices = open();
      const [first, second] = [await signIn(devices), await signIn(devices)];
      accounts.set('acc_1', account('acc_1', 'viewer'));
      expect(await errorOf(devices.refresh(first.refreshToken, 'agent', client))).toBe('invalid_grant');
      accounts.set('acc_1', account('acc_1'));
      expect(await devices.endOf('acc_1')).toBe(1);
      expect(await errorOf(devices.refresh(second.refreshToken, 'agent', client))).toBe('invalid_grant');
    });

    test('a member has as many sign-ins as tokens, and each has the budget of a member', async () => {
      const devices = open(1);
      await signIn(devices);
      const [token] = await tokenTable(store).list({ limit: 5 });
      expect(token?.terms.budget).toEqual({ limitNano: 2_000_000_000n, period: 'month' });
      const begun = await devices.begin('agent', client);
      expect(await errorOf(devices.answer(actor(), { code: begun.userCode, approve: true }))).toContain(
        'up to 1 tokens',
      );
    });

    test('a unit must be one of the person', async () => {
      const devices = open();
      await store.accounts.insert({ ...account('acc_1'), nameKey: 'acc_1', passwordHash: 'x' });
      const team = {
        id: 'team_a',
        kind: 'team' as const,
        parentId: 'org',
        name: 'A',
        nameKey: 'a',
        terms: {},
        createdAtMs: 1,
      };
      await store.organization.insert(team);
      const { userCode: code } = await devices.begin('agent', client);
      const approve = () => errorOf(devices.answer(actor(), { code, approve: true, unitId: 'team_a' }));
      expect(await approve()).toContain('unitId:');
      const member = {
        teamId: 'team_a',
        accountId: 'acc_1',
        role: 'member' as const,
        source: 'manual',
        createdAtMs: 1,
      };
      await store.organization.putMember(member);
      expect(await approve()).toBe('none');
      expect((await tokenTable(store).list({ limit: 5 }))[0]?.unitId).toBe('team_a');
    });
  });
}
