/** Proves that live settings change in place, that file and environment win over the console, and that every one of them is where it says. */

import { describe, expect, test } from 'bun:test';
import { createLiveSettings, liveKeys } from './live-settings.ts';
import { loadConfig } from './load.ts';

const load = (environment: Record<string, string> = {}, yaml?: string) =>
  createLiveSettings(loadConfig({ environment, readFile: () => yaml, workingFolder: '/work' }));

describe('what the console says', () => {
  test('is read by those who hold a part of the configuration, and forgotten when it is taken back', () => {
    const live = load();
    const { limits, tokens } = live.config;
    live.take(
      new Map<string, unknown>([
        ['limits.attempts_max', 9],
        ['tokens.rpm', 5],
      ]),
    );
    expect([limits.attemptsMax, tokens.rpm]).toEqual([9, 5]);
    expect(live.find('limits.attempts_max')).toMatchObject({ origin: 'console', shown: '9', value: 9, change: 'live' });
    live.take(new Map([['limits.attempts_max', 8]]));
    expect([limits.attemptsMax, tokens.rpm]).toEqual([8, undefined]);
    live.take(new Map());
    expect(limits.attemptsMax).toBe(4);
    expect(live.find('limits.attempts_max')).toMatchObject({ origin: 'default', value: 4 });
  });

  test('counts for nothing where file or environment say it', () => {
    const live = load({ WEIR_SANDBOX_PACE_MS: '3' }, 'clocks: {patience_ms: 70}');
    live.take(
      new Map<string, unknown>([
        ['sandbox.pace_ms', 9],
        ['clocks.patience_ms', 9],
      ]),
    );
    expect([live.config.sandbox.paceMs, live.config.clocks.patienceMs]).toEqual([3, 70]);
    expect(live.find('sandbox.pace_ms')).toMatchObject({ origin: 'environment', change: 'locked', value: 3 });
    expect(live.find('clocks.patience_ms')).toMatchObject({ origin: 'file', change: 'locked' });
  });

  test('counts for nothing where this Weir does not allow it, knows it not, or reads it at the start only', () => {
    const live = load();
    const before = JSON.stringify(live.config);
    live.take(
      new Map<string, unknown>([
        ['limits.attempts_max', 1_000],
        ['server.port', 1],
        ['no.such', 1],
      ]),
    );
    expect(JSON.stringify(live.config)).toBe(before);
    expect(live.find('server.port')).toMatchObject({ origin: 'default', change: 'start' });
    expect(live.find('no.such')).toBeUndefined();
  });
});

/** Some texts must have a form. */
const exampleOf = (row: object | undefined): unknown =>
  row !== undefined && 'example' in row && typeof row.example === 'string' ? row.example : undefined;

test('every live setting is a property of the configuration that its value is found in', () => {
  const live = load();
  const samples: Readonly<Record<string, unknown>> = { number: 12_345, switch: undefined, text: '12', list: ['s'] };
  for (const key of liveKeys) {
    const setting = live.find(key);
    const { kind } = setting?.row.kind.control ?? { kind: '' };
    const control = setting?.row.kind.control;
    const value =
      control?.kind === 'switch'
        ? setting?.value !== true
        : control?.kind === 'choice'
          ? control.choices.at(-1)
          : control?.kind === 'number'
            ? Math.max(control.min, Math.min(12_345, control.max))
            : (exampleOf(setting?.row) ?? samples[kind]);
    const before = JSON.stringify(live.config);
    live.take(new Map([[key, value]]));
    expect(JSON.stringify(live.config)).not.toBe(before);
    expect(live.find(key)?.value).toEqual(value);
    live.take(new Map());
    expect(JSON.stringify(live.config)).toBe(before);
  }
});

test('only the live parts can change', () => {
  const { config } = load();
  expect(Object.isFrozen(config.server)).toBe(true);
  expect(Object.isFrozen(config.providers)).toBe(true);
});
