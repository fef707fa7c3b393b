import { expect, test } from 'bun:test';
import { sectionText } from './yaml-text.ts';

test('reads back as what was written', () => {
  const entries: Record<string, Record<string, unknown>> = {
    plain: { a: 1, b: true, c: 'text', d: 0.000_000_1, e: '', f: [], g: {} },
    'needs/quotes *': { yes: 'no', n: 'null', number: '12', colon: 'a: b', hash: 'a #b', dash: '- x', lines: 'a\nb' },
    'unicode é': { 'key with space': '“…”', list: [{ x: 1, y: [1, 'two', { z: {} }] }, 'plain', []] },
    '-': { '@': '&x', '%': '*y', quote: `it's "so"`, tab: '\t', nul: '\u0001' },
  };
  const text = sectionText('models', Object.entries(entries));
  expect(Bun.YAML.parse(text)).toEqual({ models: entries });
  expect(sectionText('models', [])).toBe('');
});

test('looks as people write it', () => {
  const targets = [
    { provider: 'up', model: 'one', tier: 1 },
    { provider: 'down', model: 'two:latest' },
  ];
  expect(sectionText('models', [['team/best', { targets, affinity: false }]])).toBe(`models:
  team/best:
    targets:
      - provider: up
        model: one
        tier: 1
      - provider: down
        model: "two:latest"
    affinity: false
`);
});
