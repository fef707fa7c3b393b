/** Every field of a token at its edges, and a token from its creation to its end. */

import { beforeEach, describe, expect, test } from 'bun:test';
import { fixedKeys } from '../../../test/harness/fixed-keys.ts';
import { createMemoryTokenTable, type MemoryTokenTable } from '../../../test/harness/token-table.ts';
import { mintToken } from '../../access/token-format.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { createDigests } from '../../secrets/digests.ts';
import type { TokenDefaults } from '../../settings/config.ts';
import { createTokenAdmin, newTokenId, type TokenAdmin } from './tokens.ts';

const digests = createDigests(fixedKeys(new Uint8Array(32)));
const digest = digests.of;
const noDefaults: TokenDefaults = {
  rpm: undefined,
  tpm: undefined,
  concurrency: undefined,
  models: undefined,
  expiresInDays: undefined,
  budgetUsd: undefined,
  budgetPeriod: 'month',
  perPersonMax: 50,
};
const startMs = Date.parse('2030-01-01T00:00:00Z');
let clockMs = startMs;
let tokens: MemoryTokenTable;
let admin: TokenAdmin;
let ids = 0;

function adminWith(defaults: Partial<TokenDefaults> = {}): TokenAdmin {
  return createTokenAdmin({
    tokens,
    mint: mintToken,
    digests,
    nowMs: () => clockMs,
    newId: () => `tok_${String(ids++).padStart(4, '0')}`,
    defaults: { ...noDefaults, ...defaults },
    endpoints: ['chat', 'models'],
    budgetState: async () => ({ spentNano: 1_250_000_000n, heldNano: 42_000n }),
  });
}

beforeEach(() => {
  clockMs = startMs;
  ids = 0;
  tokens = createMemoryTokenTable();
  admin = adminWith();
});

async function faultOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof GatewayError)) throw new Error('expected a fault', { cause: error });
  return `${error.code} ${error.param}`;
}

describe('create', () => {
  test('keeps all terms exactly, and only the digest of the secret', async () => {
    const { record, secret } = await admin.create({
      name: '  Ada’s laptop 💻 ',
      expiresAt: '2030-06-01T12:00:00+02:00',
      models: ['gpt-*', 'up/x'],
      endpoints: ['chat'],
      addresses: ['10.0.0.0/8', '::1'],
      rpm: 60,
      tpm: 100_000,
      concurrency: 4,
      budgetUsd: '0.1',
      budgetPeriod: 'day',
      strict: true,
    });
    expect(record.terms).toEqual({
      name: 'Ada’s laptop 💻',
      expiresAtMs: Date.parse('2030-06-01T10:00:00Z'),
      models: ['gpt-*', 'up/x'],
      endpoints: ['chat'],
      addresses: ['10.0.0.0/8', '::1'],
      rpm: 60,
      tpm: 100_000,
      concurrency: 4,
      budget: { limitNano: 100_000_000n, period: 'day' },
      strict: true,
    });
    expect(await tokens.byDigest(digest(secret))).toEqual(record);
    expect(Bun.inspect(record)).not.toContain(secret.slice(9, 30));
  });

  test('a name alone gives a token without limits', async () => {
    const { record } = await admin.create({ name: 'x' });
    expect(record).toEqual({ id: 'tok_0000', hint: record.hint, createdAtMs: startMs, terms: { name: 'x' } });
    expect((await admin.create({ name: 'x', budgetUsd: 5 })).record.terms.budget?.period).toBe('total');
  });

  test('what must pass moderation, and how that changes', async () => {
    const { record } = await admin.create({ name: 'x', moderate: 'before', moderationModel: 'judge' });
    expect(record.terms.moderation).toEqual({ before: true, model: 'judge' });
    expect(admin.view(record)).toMatchObject({ moderate: 'before', moderationModel: 'judge' });
    const changed = await admin.updateTerms('x', { moderate: 'both' });
    expect([changed.moderate, changed.moderationModel]).toEqual(['both', 'judge']);
    const freed = await admin.updateTerms('x', { moderate: 'after', moderationModel: null });
    expect([freed.moderate, freed.moderationModel]).toEqual(['after', undefined]);
    expect((await admin.updateTerms('x', { rpm: 5 })).moderate).toBe('after');
    expect(await admin.updateTerms('x', { moderate: null })).not.toHaveProperty('moderate');
    expect((await tokens.byId(record.id))?.terms).toEqual({ name: 'x', rpm: 5 });
  });

  test('labels and rights, and how they change', async () => {
    const { record } = await admin.create({ name: 'x', labels: ['eu', 'team.a', 'eu'], maySteer: true });
    expect(record.terms).toEqual({ name: 'x', labels: ['eu', 'team.a'], maySteer: true });
    expect(admin.view(record)).toMatchObject({ labels: ['eu', 'team.a'], maySteer: true, mayExplain: false });
    const changed = await admin.updateTerms('x', { maySteer: false, mayExplain: true });
    expect([changed.labels, changed.maySteer, changed.mayExplain]).toEqual([['eu', 'team.a'], false, true]);
    expect((await admin.updateTerms('x', { rpm: 5 })).mayExplain).toBe(true);
    expect(await admin.updateTerms('x', { labels: null })).not.toHaveProperty('labels');
    expect((await tokens.byId(record.id))?.terms).toEqual({ name: 'x', rpm: 5, mayExplain: true });
  });

  test('defaults fill what is absent and null takes them away', async () => {
    const strictHouse = adminWith({ rpm: 10, models: ['sandbox-*'], expiresInDays: 2 });
    const filled = await strictHouse.create({ name: 'x', rpm: 20 });
    expect(filled.record.terms).toEqual({
      name: 'x',
      rpm: 20,
      models: ['sandbox-*'],
      expiresAtMs: startMs + 2 * 86_400_000,
    });
    const freed = await strictHouse.create({ name: 'y', rpm: null, models: null, expiresAt: null });
    expect(freed.record.terms).toEqual({ name: 'y' });
  });

  test.each<[string, Record<string, unknown>]>([
    ['field_missing name', {}],
    ['field_invalid name', { name: '' }],
    ['field_invalid name', { name: '   ' }],
    ['field_invalid name', { name: 'x'.repeat(101) }],
    ['field_invalid name', { name: 'a\nb' }],
    ['field_invalid name', { name: 'a\u001b[31m' }],
    ['field_invalid name', { name: 'a\u202eb' }],
    ['field_invalid name', { name: 5 }],
    ['field_invalid expiresAt', { name: 'x', expiresAt: '2029-12-31' }],
    ['field_invalid expiresAt', { name: 'x', expiresAt: '2030-01-01T00:00:00Z' }],
    ['field_invalid expiresAt', { name: 'x', expiresAt: '2030-02-30' }],
    ['field_invalid expiresAt', { name: 'x', expiresAt: '2030-06-01T12:00:00' }],
    ['field_invalid expiresAt', { name: 'x', expiresAt: 'tomorrow' }],
    ['field_invalid models', { name: 'x', models: [] }],
    ['field_invalid models', { name: 'x', models: 'gpt-4' }],
    ['field_invalid models[1]', { name: 'x', models: ['a', ''] }],
    ['field_invalid models[0]', { name: 'x', models: ['a b'] }],
    ['field_invalid models[0]', { name: 'x', models: ['m'.repeat(201)] }],
    ['field_invalid models', { name: 'x', models: new Array(201).fill('m') }],
    ['field_invalid endpoints[0]', { name: 'x', endpoints: ['chats'] }],
    ['field_invalid addresses[0]', { name: 'x', addresses: ['10.0.0.0/33'] }],
    ...[0, -1, 1.5, '60', Number.NaN, 1_000_000_001].map((rpm): [string, Record<string, unknown>] => [
      'field_invalid rpm',
      { name: 'x', rpm },
    ]),
    ['field_invalid tpm', { name: 'x', tpm: 0 }],
    ['field_invalid concurrency', { name: 'x', concurrency: 1_000_001 }],
    ...['0', 0, -1, 'x', '0.0000000001', '1e3', 1e10].map((budgetUsd): [string, Record<string, unknown>] => [
      'field_invalid budgetUsd',
      { name: 'x', budgetUsd },
    ]),
    ['field_invalid budgetPeriod', { name: 'x', budgetUsd: 1, budgetPeriod: 'year' }],
    ['field_invalid budgetPeriod', { name: 'x', budgetPeriod: 'day' }],
    ['field_invalid strict', { name: 'x', strict: 'yes' }],
    ['field_invalid moderate', { name: 'x', moderate: 'never' }],
    ['field_invalid moderationModel', { name: 'x', moderate: 'both', moderationModel: '' }],
    ['field_invalid moderationModel', { name: 'x', moderationModel: 'judge' }],
    ['field_invalid labels', { name: 'x', labels: [] }],
    ['field_invalid labels', { name: 'x', labels: 'eu' }],
    ['field_invalid labels', { name: 'x', labels: Array.from({ length: 17 }, (_, at) => `l${at}`) }],
    ...['', 'a b', 'ä', 'a/b', 'a\n', 'x'.repeat(65), 5].map((label): [string, Record<string, unknown>] => [
      'field_invalid labels[1]',
      { name: 'x', labels: ['eu', label] },
    ]),
    ['field_invalid maySteer', { name: 'x', maySteer: 'yes' }],
    ['field_invalid mayExplain', { name: 'x', mayExplain: 1 }],
    ['field_invalid rmp', { name: 'x', rmp: 5 }],
  ])('refuses with %p: %p', async (fault, input) => {
    expect(await faultOf(admin.create(input))).toBe(fault);
    expect(await tokens.list({ limit: 1 })).toEqual([]);
  });

  test.each<Record<string, unknown>>([
    { name: 'x'.repeat(100) },
    { name: '💻'.repeat(100) },
    { name: 'x', expiresAt: '2030-01-02' },
    { name: 'x', expiresAt: '2030-01-01T00:00:00.001Z' },
    { name: 'x', models: new Array(200).fill('m'.repeat(200)) },
    { name: 'x', rpm: 1, tpm: 1, concurrency: 1 },
    { name: 'x', rpm: 1_000_000_000, tpm: 1_000_000_000_000, concurrency: 1_000_000 },
    { name: 'x', labels: Array.from({ length: 16 }, (_, at) => `${at}_.-${'x'.repeat(59)}`) },
    { name: 'x', labels: ['x'.repeat(64)] },
    { name: 'x', budgetUsd: '0.000000001' },
    { name: 'x', budgetUsd: 1_000_000_000 },
  ])('accepts the edge %#', async (input) => {
    expect((await admin.create(input)).record.id).toBe('tok_0000');
  });
});

describe('ensure', () => {
  const secret = 'operator-chosen-first-token';

  test('makes the token once', async () => {
    const first = await admin.ensure(secret, { name: 'first' });
    expect(first.created).toBe(true);
    expect(await admin.ensure(secret, { name: 'first' })).toEqual({ record: first.record, created: false });
  });

  test('two replicas that start together end with one', async () => {
    const outcomes = await Promise.all([1, 2, 3].map(() => admin.ensure(secret, { name: 'first' })));
    expect(outcomes.filter(({ created }) => created)).toHaveLength(1);
    expect(await tokens.list({ limit: 10 })).toHaveLength(1);
  });

  test('refuses what cannot be a token', async () => {
    expect(await faultOf(admin.ensure('short', { name: 'first' }))).toBe('token_malformed ');
  });
});

describe('finding', () => {
  test('by id, by the beginning of an id, by name; a name wins over a beginning', async () => {
    for (const name of ['a', 'b', 'tok_000', 'tok_0001']) await admin.create({ name });
    expect((await admin.show('tok_0001')).name).toBe('b');
    expect((await admin.show('tok_000')).name).toBe('tok_000');
    expect((await admin.show('a')).id).toBe('tok_0000');
    expect(await faultOf(admin.show('tok_00'))).toBe('field_invalid id');
    expect(await faultOf(admin.show('nobody'))).toBe('not_found id');
    expect(await faultOf(admin.show(''))).toBe('field_missing id');
  });

  test('a living token wins over revoked namesakes, and two living ones are ambiguous', async () => {
    const first = await admin.create({ name: 'app' });
    await admin.revoke(first.record.id);
    const second = await admin.create({ name: 'app' });
    expect((await admin.show('app')).id).toBe(second.record.id);
    await admin.create({ name: 'app' });
    expect(await faultOf(admin.show('app'))).toBe('field_invalid id');
  });

  test('reaches beyond the first page', async () => {
    for (let index = 0; index < 1_001; index++) {
      await tokens.insert({ id: `bulk_${index}`, hint: '', createdAtMs: 0, terms: { name: `n${index}` } }, `d${index}`);
    }
    expect((await admin.show('n0')).id).toBe('bulk_0');
  });
});

describe('life of a token', () => {
  test('show tells the budget, exactly', async () => {
    await admin.create({ name: 'x', budgetUsd: 5, budgetPeriod: 'month' });
    expect((await admin.show('x')).budget).toEqual({
      limitUsd: '5.00',
      limitNano: '5000000000',
      period: 'month',
      resetsAt: '2030-02-01T00:00:00.000Z',
      spentUsd: '1.25',
      heldUsd: '0.000042',
      leftUsd: '3.749958',
    });
    await admin.updateTerms('x', { budgetUsd: 1 });
    expect((await admin.show('x')).budget?.leftUsd).toBe('0.00');
  });

  test('revoked keeps the first instant; expired shows as such', async () => {
    await admin.create({ name: 'x' });
    await admin.revoke('x');
    clockMs += 5_000;
    const view = await admin.revoke('x');
    expect([view.state, view.revokedAt]).toEqual(['revoked', '2030-01-01T00:00:00.000Z']);
    await admin.create({ name: 'y', expiresAt: '2030-01-02' });
    clockMs = Date.parse('2030-01-02');
    expect((await admin.show('y')).state).toBe('expired');
  });

  test('rotate gives a new secret and lets the old one overlap', async () => {
    const { secret } = await admin.create({ name: 'x' });
    const rotated = await admin.rotate('x', { overlapMs: 60_000 });
    expect(rotated.secret).not.toBe(secret);
    expect((await tokens.byDigest(digest(secret)))?.secretValidUntilMs).toBe(startMs + 60_000);
    expect((await tokens.byDigest(digest(rotated.secret)))?.hint).toBe(rotated.record.hint);
    for (const overlapMs of [-1, 0.5, Number.NaN, 30 * 86_400_000 + 1]) {
      expect(await faultOf(admin.rotate('x', { overlapMs }))).toBe('field_invalid overlapMs');
    }
    await admin.revoke('x');
    expect(await faultOf(admin.rotate('x'))).toBe('field_invalid id');
  });

  test('updateTerms changes what is given, drops what is null, keeps the rest', async () => {
    await admin.create({ name: 'x', rpm: 5, tpm: 10, budgetUsd: 5, budgetPeriod: 'day', strict: true });
    await admin.updateTerms('x', { name: 'z', rpm: null, concurrency: 3, budgetPeriod: 'week', strict: false });
    expect((await tokens.byId('tok_0000'))?.terms).toEqual({
      name: 'z',
      tpm: 10,
      concurrency: 3,
      budget: { limitNano: 5_000_000_000n, period: 'week' },
    });
    await admin.updateTerms('z', { budgetUsd: null });
    expect((await admin.show('z')).budget).toBeUndefined();
    expect(await faultOf(admin.updateTerms('z', { budgetPeriod: 'day' }))).toBe('field_invalid budgetPeriod');
  });

  test('ids are distinct and look like ids', () => {
    expect(newTokenId()).toMatch(/^tok_[0-9a-f]{16}$/);
    expect(newTokenId()).not.toBe(newTokenId());
  });
});
