import { describe, expect, test } from 'bun:test';
import type { ModelProfile } from '../conversation/model-profile.ts';
import { LearnedRefusals } from './learned-refusals.ts';

const known: ModelProfile = { refuses: ['seed'], outputTokensMax: 8_000, developerRole: 'taken' };
const temperature = { profile: { refuses: ['temperature'] }, what: 'temperature' } as const;
const hourMs = 60 * 60_000;

function setUp() {
  const clock = { now: 1_000 };
  const learned = new LearnedRefusals({ nowMs: () => clock.now, wallMs: () => Date.UTC(2026, 0, 2) });
  return { clock, learned };
}

test('what is learned comes last: refusals add up, limits only shrink, the rest is as said last', () => {
  const { learned } = setUp();
  expect(learned.over(known, undefined)).toBe(known);
  learned.learn(temperature, known, undefined);
  learned.learn({ profile: { outputTokensMax: 9_000 }, what: 'max_tokens' }, known, undefined);
  learned.learn({ profile: { developerRole: 'refused' }, what: 'developer' }, known, undefined);
  expect(learned.over(known, undefined)).toEqual({
    refuses: ['seed', 'temperature'],
    outputTokensMax: 8_000,
    developerRole: 'refused',
  });
  expect(learned.over(known, undefined)).toBe(learned.over(known, undefined));
});

test('what is known already teaches nothing', () => {
  const { learned } = setUp();
  expect(learned.learn({ profile: { refuses: ['seed'] }, what: 'seed' }, known, undefined)).toBe(false);
  expect(learned.learn({ profile: { outputTokensMax: 9_000 }, what: 'max_tokens' }, known, undefined)).toBe(false);
  expect(learned.learn(temperature, known, undefined)).toBe(true);
  expect(learned.learn(temperature, known, undefined)).toBe(false);
  expect(learned.all.length).toBe(1);
});

test('a model that refuses each kind of thinking and names the other one is not asked to think', () => {
  const { learned } = setUp();
  const budget = { kind: 'budget', tokensMin: 1_024, canBeOff: true } as const;
  const adaptive = { kind: 'adaptive', efforts: ['low'], canBeOff: true } as const;
  learned.learn({ profile: { thinking: budget }, what: 'thinking' }, known, undefined);
  expect(learned.over(known, undefined).thinking).toEqual(budget);
  expect(learned.learn({ profile: { thinking: adaptive }, what: 'thinking' }, known, undefined)).toBe(true);
  expect(learned.over(known, undefined).thinking).toEqual({ kind: 'never' });
});

test('it is forgotten after an hour, each on its own', () => {
  const { learned, clock } = setUp();
  learned.learn(temperature, known, undefined);
  clock.now += hourMs / 2;
  learned.learn({ profile: { refuses: ['topK'] }, what: 'top_k' }, known, undefined);
  clock.now += hourMs / 2 - 1;
  expect(learned.over(known, undefined).refuses).toEqual(['seed', 'temperature', 'topK']);
  clock.now += 1;
  expect(learned.over(known, undefined).refuses).toEqual(['seed', 'topK']);
  clock.now += hourMs;
  expect(learned.over(known, undefined)).toBe(known);
  expect(learned.all).toEqual([]);
});

describe('headers that reach the provider', () => {
  test('what was refused with them is believed of requests with the same ones only', () => {
    const { learned } = setUp();
    const newer = { version: '2026-10-21' };
    learned.learn(temperature, known, newer);
    expect(learned.over(known, { ...newer }).refuses).toContain('temperature');
    expect(learned.over(known, undefined)).toBe(known);
    expect(learned.over(known, { version: '2023-06-01' })).toBe(known);
  });

  test('no caller can fill the memory with them', () => {
    const { learned } = setUp();
    for (let round = 0; round < 1_000; round++) learned.learn(temperature, known, { version: `${round}` });
    expect(learned.all.length).toBe(16);
    expect(learned.over(known, { version: '999' }).refuses).toContain('temperature');
  });
});

test('losses that a refusal brought about say so', () => {
  const { learned } = setUp();
  learned.learn(temperature, known, undefined);
  learned.learn({ profile: { thinking: { kind: 'never' } }, what: 'thinking' }, known, undefined);
  learned.learn({ profile: { refuses: ['topP'] }, what: 'topP' }, known, undefined);
  const explained = learned.explained(
    ['temperature', 'generationConfig.topP', 'top_p', 'thinking effort high', 'seed'].map((what) => ({
      what,
      why: 'w',
    })),
    undefined,
  );
  const whys = explained.map(({ why }) => why);
  const why = 'w (learned from a refusal of the provider at 2026-01-02T00:00:00.000Z)';
  expect(whys).toEqual([why, why, why, why, 'w']);
});
