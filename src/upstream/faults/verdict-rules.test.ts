import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { ruleOf, type VerdictKind, verdictRules } from './verdict-rules.ts';

const kinds = Object.keys(verdictRules) as VerdictKind[];

test('docs/routing.md shows every verdict with its rule', () => {
  const shown = readFileSync('docs/routing.md', 'utf8').split('\n');
  const start = shown.findIndex((line) => line.startsWith('| verdict |'));
  const rows = shown.slice(start + 2, start + 2 + kinds.length);
  expect(rows).toEqual(
    kinds.map((kind) => {
      const { next, cools, counts, charge, meaning } = ruleOf(kind);
      const cells = [next, cools, counts].map((who) => (who === 'none' ? '–' : who)).join(' | ');
      return `| \`${kind}\` | ${cells} | ${charge === 'never' ? 'no' : 'possibly'} | ${meaning} |`;
    }),
  );
});

test('what may have been billed is tried once more at most, and nothing else may have been', () => {
  for (const kind of kinds)
    expect([kind, ruleOf(kind).charge === 'possible']).toEqual([kind, ruleOf(kind).next === 'once']);
});

test('a key or target that cools down or has a failure counted is not retried for the same request', () => {
  for (const kind of kinds) {
    const { next, cools, counts } = ruleOf(kind);
    if (cools === 'key' || counts === 'key' || counts === 'probe') expect([kind, next]).toEqual([kind, 'key']);
    if (cools === 'target' || counts === 'target')
      expect([kind, ['target', 'once'].includes(next)]).toEqual([kind, true]);
  }
});
