/** Proves that a form sends what it shows and only what changed, and that mistakes are told at their field. */

import { describe, expect, test } from 'bun:test';
import type { TokenView } from '../../../admin/contracts/contract.ts';
import { newTokenSchema } from '../../../admin/contracts/contract.ts';
import { endpointNames } from '../../../snippets/endpoints.ts';
import {
  changesBody,
  dayText,
  emptyForm,
  fieldOfParam,
  formOf,
  mistakesOf,
  newTokenBody,
  refusalText,
} from './token-form.ts';
import { presetForm, presetNames, usualPreset } from './token-presets.ts';
import { tokenSnippets } from './token-snippets.ts';

const words = { name: 'name!', count: 'count!', budget: 'budget!', past: 'past!', limit: 'limit!', raise: 'raise!' };
const nowMs = Date.UTC(2030, 0, 1, 12);

const token: TokenView = {
  id: 'tok_1',
  name: 'laptop',
  hint: 'weir_ab…',
  state: 'active',
  createdAt: '2029-12-01T00:00:00.000Z',
  expiresAt: '2030-03-01T10:20:30.000Z',
  models: ['gpt-*'],
  rpm: 60,
  budget: { limitUsd: '5', limitNano: '5000000000', period: 'day' },
  strict: false,
  maySteer: true,
  mayExplain: false,
};

describe('a form', () => {
  test('sends nothing where nothing changed', () => {
    expect(changesBody(formOf(token), formOf(token))).toEqual({});
  });

  test('sends what changed, and null for what was emptied', () => {
    const after = { ...formOf(token), rpm: '1,200', models: '', maySteer: false, labels: 'team-a, team-b' };
    expect(changesBody(formOf(token), after)).toEqual({
      rpm: 1200,
      models: null,
      maySteer: false,
      labels: ['team-a', 'team-b'],
    });
  });

  test('an expiry includes its day', () => {
    const day = dayText(nowMs);
    const sent = changesBody(formOf(token), { ...formOf(token), expires: day })['expiresAt'];
    expect(dayText(Date.parse(String(sent)))).toBe(day);
    expect(dayText(Date.parse(String(sent)) + 1_000)).not.toBe(day);
  });

  test('without an amount no period is sent', () => {
    expect(changesBody(formOf(token), { ...formOf(token), budget: '', period: 'week' })).toEqual({ budgetUsd: null });
    expect(newTokenBody({ ...emptyForm, name: ' x ' })).toEqual({ name: 'x' });
  });

  test('mistakes are told at their field', () => {
    expect(mistakesOf(formOf(token), words, nowMs)).toEqual({});
    const wrong = { ...emptyForm, rpm: '-1', tpm: '1.5', concurrency: 'many', budget: '0', expires: '2029-12-31' };
    expect(mistakesOf(wrong, words, nowMs)).toEqual({
      name: 'name!',
      rpm: 'count!',
      tpm: 'count!',
      concurrency: 'count!',
      budget: 'budget!',
      expires: 'past!',
    });
  });

  for (const [param, field] of [
    ['addresses[2]', 'addresses'],
    ['budgetUsd', 'budget'],
    ['expiresAt', 'expires'],
    ['id', undefined],
    ['', undefined],
  ] as const) {
    test(`a refusal of ${param || 'nothing'} belongs to ${field ?? 'no field'}`, () => {
      expect(fieldOfParam(param)).toBe(field);
    });
  }

  test('a refusal at its field does not name it again', () => {
    expect(refusalText('rpm: may be 5 at most', 'rpm')).toBe('may be 5 at most');
    expect(refusalText('Sign in.', '')).toBe('Sign in.');
  });
});

describe('presets', () => {
  const schema = newTokenSchema({ endpoints: endpointNames, nowMs: () => nowMs });
  for (const preset of presetNames) {
    test(`${preset} is what Weir takes`, () => {
      const body = newTokenBody(presetForm(preset, 'x', nowMs));
      expect(schema.safeParse(body).error).toBeUndefined();
      const limits = { rpm: expect.any(Number), budgetUsd: expect.any(String), expiresAt: expect.any(String) };
      if (preset === usualPreset) expect(body).toEqual({ name: 'x' });
      else expect(body).toMatchObject({ name: 'x', ...limits });
    });
  }

  test('a preset gives no more than the person may', () => {
    const ceiling = { budgetUsd: '10.00', budgetPeriod: 'month', perPersonMax: 5 } as const;
    const shown = presetNames.map((preset) => {
      const { budget, period } = presetForm(preset, 'x', nowMs, ceiling);
      return `${budget} ${period}`;
    });
    expect(shown).toEqual(['10.00 month', '10.00 month', '10.00 month', '5 month']);
    const daily = { ...ceiling, budgetPeriod: 'day' } as const;
    expect(presetForm('everything', 'x', nowMs, daily)).toMatchObject({ budget: '10.00', period: 'day' });
    expect(presetForm('app', 'x', nowMs, { perPersonMax: 5 }).budget).toBe('200');
  });
});

test('every snippet holds the address and the token, and none leaves a gap open', () => {
  const made = tokenSnippets('weir_secret', { origin: 'https://weir.example', model: 'some-model' });
  expect(made.length).toBe(18);
  for (const { blocks } of made) {
    const code = blocks.map((block) => block.code).join('\n');
    expect(code).toContain('https://weir.example');
    expect(code).toContain('some-model');
    expect(code).toContain('weir_secret');
    expect(code).not.toMatch(/%|\$WEIR|environ|process\.env/);
  }
  const blocksOf = (id: string) => made.find((snippet) => snippet.id === id)?.blocks ?? [];
  expect(blocksOf('codex')[0]).toEqual({ code: 'export WEIR_TOKEN="weir_secret"' });
  expect(blocksOf('codex').map(({ file }) => file)).toEqual([undefined, '~/.codex/config.toml', undefined]);
  expect(blocksOf('python')[0]?.code).not.toContain('import os');
  expect(blocksOf('langchain')[0]?.code).not.toContain('import os');
});
