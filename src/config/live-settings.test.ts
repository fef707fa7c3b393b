/** Proves that live settings change in place, that file and environment win over the console, and that every one of them is where it says. */

import { describe, expect, test } from 'bun:test';
import { settingList } from '../settings/settings.ts';
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

describe('a secret', () => {
  const secrets = settingList.filter(({ secret }) => secret === true);
  const sent = secrets.flatMap((row) => (row.sentTo ?? []).map((key) => [row, key] as const));
  /** Of sections with a secret, what may change in the console although the secret is set. */
  const harmless: readonly string[] = ['mail.from', 'scim.default_role', 'scim.team_role', 'scim.issuer'];

  test('says where it is sent', () => {
    expect(secrets.filter(({ sentTo }) => sentTo === undefined)).toEqual([]);
    const keys = new Set<string>(settingList.map(({ key }) => key));
    expect(sent.filter(([, key]) => !keys.has(key))).toEqual([]);
    const sections = new Set(sent.map(([{ path }]) => path[0]));
    const beside = settingList.filter(({ path, live }) => live === true && sections.has(path[0]) && path.length > 1);
    const known = new Set([...harmless, ...sent.map(([, key]) => key)]);
    expect(beside.filter(({ key }) => !known.has(key)).map(({ key }) => key)).toEqual([]);
  });

  test.each(
    sent.map(([row, key]) => [row.key, key, row] as const),
  )('%s does not follow %s to where the console says', (_, key, { variable }) => {
    const row = settingList.find((each) => each.key === key);
    const elsewhere = { number: 12_345, choice: 'none', text: 'elsewhere.example' }[
      row?.kind.control.kind as 'number' | 'choice' | 'text'
    ];
    const live = load({ [variable]: 'a-secret=value' });
    const before = JSON.stringify(live.config);
    live.take(new Map([[key, elsewhere]]));
    expect(JSON.stringify(live.config)).toBe(before);
    const change = liveKeys.some((each) => each === key) ? 'locked' : 'start';
    expect(live.find(key)?.change).toBe(change);
    const without = load();
    without.take(new Map([[key, elsewhere]]));
    expect(without.find(key)?.change).toBe(change === 'locked' ? 'live' : 'start');
  });
});

test('only the live parts can change', () => {
  const { config } = load();
  expect(Object.isFrozen(config.server)).toBe(true);
  expect(Object.isFrozen(config.providers)).toBe(true);
});
