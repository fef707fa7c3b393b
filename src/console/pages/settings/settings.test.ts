/** Proves that every setting has its place, values survive their controls, and the reference reads what a description says. */

import { describe, expect, test } from 'bun:test';
import {
  accountBounds,
  auditLifetimeMs,
  playgroundTokenLifetimeMs,
  sessionBounds,
  signInBounds,
} from '../../../admin/contracts/account-contract.ts';
import { factorBounds, invitationBounds } from '../../../admin/contracts/factor-contract.ts';
import type { SettingDetailView } from '../../../admin/contracts/settings-contract.ts';
import { settingList } from '../../../settings/settings.ts';
import { en } from '../../words/en.ts';
import { curlOf } from './api/examples.ts';
import { readApi } from './api/openapi.ts';
import { browserName } from './people/browser-name.ts';
import { safetyFacts } from './safety-facts.ts';
import { groupOf, groupsOf, matches, sectionOf, settingSections } from './setting-groups.ts';
import { draftOf, readDraft, spokenOf } from './setting-value.ts';

const setting = (key: string, over: Partial<SettingDetailView> = {}): SettingDetailView => ({
  key,
  origin: 'default',
  shown: '',
  defaultShown: '',
  unit: '',
  meaning: '',
  allowed: '',
  control: { kind: 'text' },
  change: 'start',
  ...over,
});

describe('places of settings', () => {
  test('every setting stands in exactly one section', () => {
    const all = settingList.map(({ key }) => setting(key));
    const placed = settingSections.flatMap((section) => groupsOf(all, section).flatMap(({ settings }) => settings));
    expect(placed.map(({ key }) => key).sort()).toEqual(all.map(({ key }) => key).sort());
  });

  test('every group of settings has a heading', () => {
    const headed = new Set(Object.keys(en.settings.groups));
    const groups = new Set(settingList.map(({ key }) => groupOf(key) || 'whole'));
    expect([...groups].filter((group) => !headed.has(group))).toEqual([]);
  });

  for (const [key, section] of [
    ['limits.attempts_max', 'limits'],
    ['secret_key', 'security'],
    ['egress.proxy', 'security'],
    ['usage.retention_days', 'retention'],
    ['log.level', 'other'],
    ['something_new', 'other'],
  ] as const) {
    test(`${key} is found under ${section}`, () => expect(sectionOf(key)).toBe(section));
  }

  test('a setting is found by its key, its variable and its meaning', () => {
    const one = setting('clocks.drain_ms', { variable: 'WEIR_CLOCKS_DRAIN_MS', meaning: 'After SIGTERM.' });
    expect(['drain', 'weir_clocks', 'sigterm clocks'].map((text) => matches(one, text))).toEqual([true, true, true]);
    expect(matches(one, 'drain nothing')).toBe(false);
  });
});

describe('values of settings', () => {
  const number = { kind: 'number', min: 1, max: 1_000 } as const;
  for (const [draft, control, value] of [
    ['12', number, 12],
    [' 1,000 ', number, 1_000],
    ['1001', number, undefined],
    ['x', number, undefined],
    ['', number, null],
    ['true', { kind: 'switch' }, true],
    ['false', { kind: 'switch' }, false],
    ['a, b\nc', { kind: 'list' }, ['a', 'b', 'c']],
    [' ', { kind: 'list' }, null],
    [' Hello ', { kind: 'text' }, 'Hello'],
    ['', { kind: 'text' }, null],
  ] as const) {
    test(`${control.kind} reads ${JSON.stringify(draft)}`, () => expect(readDraft(draft, control)).toEqual(value));
  }

  test('what a control shows is what it would send', () => {
    expect(readDraft(draftOf(['10.0.0.0/8', '::1/128'], { kind: 'list' }), { kind: 'list' })).toEqual([
      '10.0.0.0/8',
      '::1/128',
    ]);
    expect(readDraft(draftOf(5, number), number)).toBe(5);
    expect(draftOf(undefined, number)).toBe('');
  });

  test('large numbers are said in larger units', () => {
    expect(spokenOf(33_554_432, 'bytes', 'en', en.units)).toBe('32 MB');
    expect(spokenOf(120_000, 'ms', 'en', en.units)).toBe('2 min');
    expect(spokenOf(20_000, '', 'en', en.units)).toBe('20,000');
    expect(spokenOf(4, '', 'en', en.units)).toBeUndefined();
    expect(spokenOf('x', 'ms', 'en', en.units)).toBeUndefined();
  });
});

test('the bounds that the page tells are the server’s', () => {
  expect(safetyFacts).toEqual({
    sessionIdleMs: sessionBounds.idleMs,
    sessionTotalMs: sessionBounds.totalMs,
    tries: signInBounds.triesMax,
    triesPerAddress: signInBounds.triesPerAddressMax,
    triesPerName: signInBounds.triesPerNameMax,
    triesWindowMs: signInBounds.windowMs,
    passwordLengthMin: accountBounds.passwordLengthMin,
    auditMs: auditLifetimeMs,
    playgroundTokenMs: playgroundTokenLifetimeMs,
    passkeyNameLengthMax: factorBounds.passkeyNameLengthMax,
    invitationNoteLengthMax: invitationBounds.noteLengthMax,
  });
});

for (const [agent, name] of [
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
    'Chrome, Linux',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:133.0) Gecko/20100101 Firefox/133.0', 'Firefox, macOS'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Mobile Safari/604.1', 'Safari, iOS'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/131.0.0.0 Safari/537.36 Edg/131.0', 'Edge, Windows'],
  ['something/1', 'something/1'],
] as const) {
  test(`a session is recognised as ${name}`, () => expect(browserName(agent)).toBe(name));
}

describe('the reference', () => {
  const document = {
    paths: {
      '/v1/things': {
        get: { tags: ['Things'], summary: 'List', parameters: [{ $ref: '#/components/parameters/limit' }] },
        post: {
          tags: ['Things'],
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
          responses: { 200: { description: 'Made' } },
        },
      },
      '/healthz': { get: {} },
    },
    components: {
      parameters: { limit: { name: 'limit', in: 'query', schema: { type: 'integer' } } },
      schemas: {
        Thing: {
          type: 'object',
          required: ['name', 'parts'],
          properties: {
            name: { type: 'string', example: 'it’s' },
            parts: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
            kind: { enum: ['a', 'b'] },
          },
        },
      },
    },
  };
  const [things, health] = readApi(document);

  test('has its operations by family', () => {
    expect(things?.operations.map(({ id }) => id)).toEqual(['GET /v1/things', 'POST /v1/things']);
    expect(health?.name).toBe('healthz');
  });

  test('names fields with their types, through references', () => {
    expect(things?.operations[0]?.fields).toMatchObject([{ name: 'limit', place: 'query', type: 'integer' }]);
    expect(things?.operations[1]?.fields.map(({ name, type, required }) => [name, type, required])).toEqual([
      ['name', 'string', true],
      ['parts', 'object[]', true],
      ['kind', '"a" | "b"', false],
    ]);
  });

  test('makes a call that a shell understands, also from a schema that holds itself', () => {
    const post = things?.operations[1];
    if (post === undefined) throw new Error('no operation');
    const call = curlOf({ ...post, sample: { name: "it's" } }, 'http://weir.example');
    expect(call).toContain('curl "http://weir.example/v1/things"');
    expect(call).toContain(`"it'\\''s"`);
    expect(JSON.stringify(post.sample).length).toBeLessThan(2_000);
  });

  test('reads nothing out of nothing', () => {
    for (const nothing of [undefined, null, 7, [], {}, { paths: [] }]) expect(readApi(nothing)).toEqual([]);
  });
});
