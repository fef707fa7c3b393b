/** Who is admitted, the order of refusal reasons, and what the authenticator caches. */

import { beforeEach, describe, expect, test } from 'bun:test';
import { fixedKeys } from '../../test/harness/fixed-keys.ts';
import { createMemoryTokenTable, type MemoryTokenTable } from '../../test/harness/token-table.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import { createDigests } from '../secrets/digests.ts';
import { type Authenticator, createAuthenticator } from './authenticate.ts';
import type { Caller, TokenRecord, TokenTerms } from './caller.ts';
import type { UnitRecord } from './organization.ts';
import { hintOf, mintToken } from './token-format.ts';

const digestKey = new Uint8Array(32).fill(1);
const digests = createDigests(fixedKeys(digestKey));
const digest = digests.of;
let clockMs = 0;
let tokens: MemoryTokenTable;
let authenticator: Authenticator;

beforeEach(() => {
  clockMs = 1_000_000;
  tokens = createMemoryTokenTable();
  authenticator = createAuthenticator({ tokens, digests, nowMs: () => clockMs });
});

async function issue(terms: Partial<TokenTerms> = {}): Promise<{ id: string; secret: string }> {
  const secret = mintToken();
  const id = `tok_${secret.slice(-6)}`;
  const record = { id, hint: hintOf(secret), createdAtMs: clockMs, terms: { name: 'test', ...terms } };
  await tokens.insert(record, digest(secret));
  return { id, secret };
}

async function codeOf(secret: string, address = '10.0.0.1', by = authenticator): Promise<string> {
  try {
    await (async () => by.authenticate(secret, () => address))();
    return 'ok';
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(error.message).not.toContain(secret.slice(0, 20));
    return error.code;
  }
}

describe('decisions', () => {
  test('a good token becomes its caller, at once the second time', async () => {
    const { id, secret } = await issue({ strict: true });
    const first = authenticator.authenticate(secret, () => '10.0.0.1');
    expect(first).toBeInstanceOf(Promise);
    expect((await first).tokenId).toBe(id);
    const second = authenticator.authenticate(secret, () => '10.0.0.1');
    expect(second).not.toBeInstanceOf(Promise);
    expect((second as Caller).strict).toBe(true);
    expect(tokens.lookups).toBe(1);
  });

  test('a token of an older key is known, and moves to the newest in the background', async () => {
    const { id, secret } = await issue();
    const rotated = createDigests(fixedKeys(new Uint8Array(32).fill(2), digestKey));
    const by = createAuthenticator({ tokens, digests: rotated, nowMs: () => clockMs });
    expect((await by.authenticate(secret, () => '10.0.0.1')).tokenId).toBe(id);
    expect(tokens.lookups).toBe(2);
    expect(await tokens.byDigest(digest(secret))).toBeUndefined();
    expect((await tokens.byDigest(rotated.of(secret)))?.id).toBe(id);
    expect(await codeOf(mintToken(), '10.0.0.1', by)).toBe('token_unknown');
  });

  test('a move that fails does not affect the request', async () => {
    const { id, secret } = await issue();
    const rotated = createDigests(fixedKeys(new Uint8Array(32).fill(2), digestKey));
    const failing = { ...tokens, moveDigest: () => Promise.reject(new Error('the database is away')) };
    const by = createAuthenticator({ tokens: failing, digests: rotated, nowMs: () => clockMs });
    expect((await by.authenticate(secret, () => '10.0.0.1')).tokenId).toBe(id);
  });

  test('by its id a token is looked up each time, with the same refusals', async () => {
    const { id } = await issue({ addresses: ['10.0.0.0/8'] });
    const byId = (given: string, address: string) =>
      authenticator
        .authenticateId(given, () => address)
        .then(
          ({ tokenId }) => tokenId,
          (error: GatewayError) => error.code,
        );
    expect(await byId(id, '10.0.0.1')).toBe(id);
    expect(await byId(id, '11.0.0.1')).toBe('address_not_allowed');
    expect(await byId('tok_none', '10.0.0.1')).toBe('token_unknown');
    await tokens.revoke(id, clockMs);
    expect(await byId(id, '10.0.0.1')).toBe('token_disabled');
  });

  test('malformed and unknown, and a digest is no token', async () => {
    const { secret } = await issue();
    expect(await codeOf(`${secret}x`)).toBe('token_malformed');
    expect(await codeOf('short')).toBe('token_malformed');
    expect(tokens.lookups).toBe(0);
    expect(await codeOf(mintToken())).toBe('token_unknown');
    expect(await codeOf(digest(secret))).toBe('token_unknown');
  });

  test('revoked comes before expired, expired before address', async () => {
    const { id, secret } = await issue({ expiresAtMs: clockMs + 10, addresses: ['192.168.0.0/16'] });
    expect(await codeOf(secret)).toBe('address_not_allowed');
    expect(await codeOf(secret, '192.168.1.1')).toBe('ok');
    clockMs += 10;
    expect(await codeOf(secret)).toBe('token_expired');
    await tokens.revoke(id, clockMs);
    await authenticator.poll();
    expect(await codeOf(secret)).toBe('token_disabled');
  });

  test('a disabled one is refused until it is enabled again', async () => {
    const { id, secret } = await issue();
    expect(await codeOf(secret)).toBe('ok');
    await tokens.updateTerms(id, { name: 'x', disabled: true });
    await authenticator.poll();
    expect(await codeOf(secret)).toBe('token_disabled');
    await tokens.updateTerms(id, { name: 'x' });
    await authenticator.poll();
    expect(await codeOf(secret)).toBe('ok');
  });

  test('expiry is checked on every call, to the millisecond', async () => {
    const { secret } = await issue({ expiresAtMs: clockMs + 1_000 });
    clockMs += 999;
    expect(await codeOf(secret)).toBe('ok');
    clockMs += 1;
    expect(await codeOf(secret)).toBe('token_expired');
  });

  test('after a rotation both secrets work, the old one until its end', async () => {
    const { id, secret } = await issue();
    expect(await codeOf(secret)).toBe('ok');
    const renewed = mintToken();
    await tokens.rotate(id, digest(renewed), hintOf(renewed), clockMs + 500);
    await authenticator.poll();
    expect([await codeOf(secret), await codeOf(renewed)]).toEqual(['ok', 'ok']);
    clockMs += 499;
    expect(await codeOf(secret)).toBe('ok');
    clockMs += 1;
    expect([await codeOf(secret), await codeOf(renewed)]).toEqual(['token_expired', 'ok']);
    await tokens.revoke(id, clockMs);
    await authenticator.poll();
    expect([await codeOf(secret), await codeOf(renewed)]).toEqual(['token_disabled', 'token_disabled']);
  });

  test('a failing table is Weir’s own fault, and the next request reads it again', async () => {
    const { secret } = await issue();
    let broken = true;
    const flaky = createAuthenticator({
      digests,
      nowMs: () => clockMs,
      tokens: {
        revision: tokens.revision,
        byDigest: (text) => {
          if (broken) throw new Error('connection refused');
          return tokens.byDigest(text);
        },
      },
    });
    expect(await codeOf(secret, '10.0.0.1', flaky)).toBe('store_unavailable');
    broken = false;
    expect(await codeOf(secret, '10.0.0.1', flaky)).toBe('ok');
  });
});

describe('memory', () => {
  test('requests that come together share one look-up', async () => {
    const { secret } = await issue();
    const bad = mintToken();
    await Promise.all(Array.from({ length: 100 }, () => codeOf(secret)));
    expect(tokens.lookups).toBe(1);
    await Promise.all(Array.from({ length: 100 }, () => codeOf(bad)));
    expect(tokens.lookups).toBe(2);
  });

  test('an unknown token is looked up once in five seconds', async () => {
    const bad = mintToken();
    expect(await codeOf(bad)).toBe('token_unknown');
    clockMs += 4_999;
    expect(await codeOf(bad)).toBe('token_unknown');
    expect(tokens.lookups).toBe(1);
    clockMs += 1;
    expect(await codeOf(bad)).toBe('token_unknown');
    expect(tokens.lookups).toBe(2);
  });

  test('a token created after it was refused works after the next poll', async () => {
    await authenticator.poll();
    const secret = mintToken();
    expect(await codeOf(secret)).toBe('token_unknown');
    await tokens.insert({ id: 'late', hint: '', createdAtMs: 0, terms: { name: 'late' } }, digest(secret));
    await authenticator.poll();
    expect(await codeOf(secret)).toBe('ok');
  });

  test('a poll without a change keeps everything', async () => {
    const { secret } = await issue();
    await authenticator.poll();
    await codeOf(secret);
    await authenticator.poll();
    await codeOf(secret);
    expect(tokens.lookups).toBe(1);
  });

  test('a look-up that a revocation overtook is not cached', async () => {
    const { id, secret } = await issue();
    const held = Promise.withResolvers<void>();
    const slow = createAuthenticator({
      digests,
      nowMs: () => clockMs,
      tokens: {
        revision: tokens.revision,
        byDigest: async (text) => {
          const record = await tokens.byDigest(text);
          await held.promise;
          return record;
        },
      },
    });
    const early = codeOf(secret, '10.0.0.1', slow);
    await tokens.revoke(id, clockMs);
    await slow.poll();
    const late = codeOf(secret, '10.0.0.1', slow);
    held.resolve();
    expect(await early).toBe('ok');
    expect(await late).toBe('token_disabled');
    expect(await codeOf(secret, '10.0.0.1', slow)).toBe('token_disabled');
  });

  test('a flood of bad tokens neither grows memory nor evicts good ones', async () => {
    const { secret } = await issue();
    const small = createAuthenticator({ tokens, digests, nowMs: () => clockMs, cacheMax: 10, negativeMax: 1_000 });
    expect(await codeOf(secret, '10.0.0.1', small)).toBe('ok');
    const bad = (index: number): string => `flood-of-bad-tokens-${index.toString().padStart(10, '0')}`;
    const lookupsOf = async (from: number, to: number): Promise<number> => {
      const before = tokens.lookups;
      for (let index = from; index < to; index++) await codeOf(bad(index), '10.0.0.1', small);
      return tokens.lookups - before;
    };
    expect(await lookupsOf(0, 5_000)).toBe(5_000);
    // The last few hundred are remembered and cost no lookup; everything before them was forgotten.
    expect(await lookupsOf(4_600, 5_000)).toBe(0);
    expect(await lookupsOf(0, 4_000)).toBe(4_000);
    expect(await codeOf(secret, '10.0.0.1', small)).toBe('ok');
    expect(tokens.lookups).toBe(1 + 5_000 + 4_000);
  });

  test('more good tokens than the cache holds are looked up again, never refused', async () => {
    const small = createAuthenticator({ tokens, digests, nowMs: () => clockMs, cacheMax: 4 });
    const issued = await Promise.all(Array.from({ length: 20 }, () => issue()));
    for (let round = 0; round < 3; round++) {
      for (const { secret } of issued) expect(await codeOf(secret, '10.0.0.1', small)).toBe('ok');
    }
  });
});

describe('the caller', () => {
  test('may use what its terms name', async () => {
    const { secret } = await issue({ models: ['gpt-*', 'up/x'], endpoints: ['chat'], rpm: 5 });
    const caller = await authenticator.authenticate(secret, () => '10.0.0.1');
    expect([caller.mayUseModel('gpt-4'), caller.mayUseModel('up/x'), caller.mayUseModel('up/y')]).toEqual([
      true,
      true,
      false,
    ]);
    expect([caller.mayUseEndpoint('chat'), caller.mayUseEndpoint('models')]).toEqual([true, false]);
    expect(caller.terms.rpm).toBe(5);
    expect(caller.strict).toBe(false);
  });

  test('without terms may use everything', async () => {
    const { secret } = await issue();
    const caller = await authenticator.authenticate(secret, () => 'not an address');
    expect([caller.mayUseModel('x'), caller.mayUseEndpoint('y'), caller.mayCallFrom]).toEqual([true, true, undefined]);
  });
});

describe('levels above a token', () => {
  const org: UnitRecord = { id: 'org', kind: 'organization', name: 'O', terms: {}, createdAtMs: 0 };
  const team: UnitRecord = { id: 'team_a', kind: 'team', parentId: 'org', name: 'Research', terms: {}, createdAtMs: 0 };
  let units: readonly UnitRecord[];
  let reads: number;
  let by: Authenticator;

  beforeEach(() => {
    units = [org, team];
    reads = 0;
    by = createAuthenticator({
      tokens,
      digests,
      nowMs: () => clockMs,
      levels: {
        async unit(id) {
          reads++;
          return units.find((unit) => unit.id === id);
        },
        person: async () => undefined,
        token: (id) => tokens.byId(id),
      },
    });
  });

  async function issueIn(more: Partial<TokenRecord>, terms: Partial<TokenTerms> = {}) {
    const secret = mintToken();
    const id = `tok_${secret.slice(-6)}`;
    const record = { id, hint: hintOf(secret), createdAtMs: clockMs, terms: { name: id, ...terms }, ...more };
    await tokens.insert(record, digest(secret));
    return { id, secret };
  }

  const refusal = async (secret: string) =>
    (async () => by.authenticate(secret, () => ''))().then(
      () => 'ok',
      (error: unknown) => (error instanceof GatewayError ? `${error.code}: ${error.message}` : 'other'),
    );

  test('come with the caller and are read again after a change only', async () => {
    const { secret } = await issueIn({ unitId: 'team_a' });
    const caller = await by.authenticate(secret, () => '');
    expect([caller.unitId, caller.levels.map(({ kind }) => kind)]).toEqual([
      'team_a',
      ['organization', 'team', 'token'],
    ]);
    await by.authenticate(secret, () => '');
    await by.authenticate((await issueIn({ unitId: 'team_a' })).secret, () => '');
    expect(reads).toBe(2);
    by.invalidate();
    await by.authenticate(secret, () => '');
    expect(reads).toBe(4);
  });

  test('that are disabled refuse the token and name themselves', async () => {
    const { id, secret } = await issueIn({ unitId: 'team_a' });
    units = [org, { ...team, terms: { disabled: true } }];
    expect(await refusal(secret)).toBe(
      'token_disabled: The team "Research" is disabled. Ask an administrator to enable it.',
    );
    expect((await by.standingOf(id)).refusal?.code).toBe('token_disabled');
    units = [{ ...org, terms: { disabled: true } }, team];
    by.invalidate();
    expect(await refusal(secret)).toContain('The organization is disabled.');
    units = [org];
    by.invalidate();
    expect(await refusal(secret)).toContain('token_disabled: The team or project of this token was removed.');
  });

  test('a token ends with the one that created it', async () => {
    const creator = await issueIn({}, { expiresAtMs: clockMs + 1_000, name: 'creator' });
    const child = await issueIn({ parentId: creator.id });
    const grandchild = await issueIn({ parentId: child.id });
    expect(await refusal(grandchild.secret)).toBe('ok');
    expect((await by.standingOf(grandchild.id)).expiresAtMs).toBe(clockMs + 1_000);
    clockMs += 1_000;
    expect(await refusal(grandchild.secret)).toBe(
      'token_expired: This token was created by another one. The token "creator" has expired. Create a new one.',
    );
    clockMs -= 1_000;
    await tokens.revoke(child.id, clockMs);
    by.invalidate();
    expect(await refusal(grandchild.secret)).toContain('token_disabled: This token was created by another one.');
    expect(await refusal((await issueIn({ parentId: 'gone' })).secret)).toContain('token_disabled');
  });
});
