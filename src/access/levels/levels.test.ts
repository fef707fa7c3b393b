import { describe, expect, test } from 'bun:test';
import type { Level, TokenRecord, TokenTerms } from '../caller.ts';
import { levelRefusing } from '../terms.ts';
import { callerOf } from './caller-of.ts';
import { endpointNotAllowed } from './endpoint-refusal.ts';
import { tightestTpm } from './levels.ts';

const record = (terms: Partial<TokenTerms> = {}, more: Partial<TokenRecord> = {}): TokenRecord => ({
  id: 'tok',
  hint: '',
  createdAtMs: 0,
  terms: { name: 't', ...terms },
  ...more,
});
const team = (terms: Level['terms']): Level => ({ kind: 'team', id: 'team_a', name: 'A', terms });

describe('a caller is the sum of its levels', () => {
  test('every level must allow a model and an endpoint', () => {
    const caller = callerOf(record({ models: ['gpt-*', 'up/*'], endpoints: ['chat', 'embeddings'] }), {
      levels: [team({ models: ['gpt-4*'], endpoints: ['chat'] })],
      creators: [],
    });
    expect(['gpt-4o', 'gpt-5', 'up/x'].map((model) => caller.mayUseModel(model))).toEqual([true, false, false]);
    expect(['chat', 'embeddings'].map((name) => caller.mayUseEndpoint(name))).toEqual([true, false]);
    expect(levelRefusing(caller.levels, 'models', 'gpt-5')?.id).toBe('team_a');
    expect(levelRefusing(caller.levels, 'models', 'gpt-4o')).toBeUndefined();
    expect(endpointNotAllowed(caller, 'embeddings').message).toContain('the team "A" does not allow it');
  });

  test('labels are those of all levels, once each', () => {
    const caller = callerOf(record({ labels: ['eu', 'own'] }), {
      levels: [team({ labels: ['eu', 'a'] })],
      creators: [],
    });
    expect(caller.labels).toEqual(['eu', 'a', 'own']);
  });

  test('only levels with rate limits are counted, under keys of their own', () => {
    const caller = callerOf(record({ tpm: 9 }), {
      levels: [team({ rpm: 5, tpm: 7 }), { kind: 'project', id: 'proj_b', name: 'B', terms: {} }],
      creators: [record({ rpm: 2 }, { id: 'creator' })],
    });
    expect(caller.limits.map(({ key, rpm, tpm }) => [key, rpm, tpm])).toEqual([
      ['team:team_a', 5, 7],
      ['creator', 2, undefined],
      ['tok', undefined, 9],
    ]);
    expect(tightestTpm(caller.limits)).toBe(7);
    expect(callerOf(record()).limits).toEqual([]);
  });

  test('it expires with the first of the tokens that it was created by', () => {
    const creator = record({ expiresAtMs: 50 }, { id: 'creator' });
    expect(callerOf(record({ expiresAtMs: 90 }), { levels: [], creators: [creator] }).expiresAtMs).toBe(50);
    expect(callerOf(record()).expiresAtMs).toBeUndefined();
  });

  test('the terms of end users are those of the nearest level', () => {
    const above = { levels: [team({ endUsers: { rpm: 1 } })], creators: [] };
    expect(callerOf(record(), above).endUsers).toEqual({ scopeId: 'team_a', terms: { rpm: 1 } });
    expect(callerOf(record({ endUsers: { rpm: 2 } }), above).endUsers).toEqual({ scopeId: 'tok', terms: { rpm: 2 } });
    expect(callerOf(record()).endUsers).toBeUndefined();
  });
});
