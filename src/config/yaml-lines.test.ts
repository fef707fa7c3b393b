/** The lines of keys and list entries, compared with where the values were written. */

import { expect, test } from 'bun:test';
import { yamlLines } from './yaml-lines.ts';

const text = `# a comment: not a key
organization:
  name: "Acme: all"   # behind it
  terms:
    budgets:
      - unit: usd
        limit: "10"
      - { unit: tokens, limit: 5,
          period: day }
    models: [gpt-*, "claude-*",
      o3]
teams:
  'Search ''n'' find':
    note: |
      looks: like a key
      - and a list
    text: several
      words: of one
    members:
    - mara
    - jan: admin
      since: 3
  "quoted \\"key\\"": {a: {b: 1}, c: [x, {d: 2}]}
https://a.example: 1
`;

test.each([
  [['organization', 'name'], 3],
  [['organization', 'terms', 'budgets', 0, 'limit'], 7],
  [['organization', 'terms', 'budgets', 1, 'unit'], 8],
  [['organization', 'terms', 'budgets', 1, 'period'], 9],
  [['organization', 'terms', 'models', 1], 10],
  [['organization', 'terms', 'models', 2], 11],
  [['teams', "Search 'n' find", 'members', 0], 20],
  [['teams', "Search 'n' find", 'members', 1, 'since'], 22],
  [['teams', 'quoted "key"', 'c', 1, 'd'], 23],
  [['https://a.example'], 24],
  [['teams', "Search 'n' find", 'absent', 'deeper'], 13],
  [['nothing'], 1],
] as const)('%p is in line %p', (path, line) => {
  expect(yamlLines(text).lineOf(path)).toBe(line);
});

test('keys that are written twice are found, in blocks and in braces, and in their own map only', () => {
  const { doubled } = yamlLines('a:\n  x: 1\n  y: 1\n  x: 2\nb: {x: 1, z: {x: 1}, x: 2}\nc:\n- x: 1\n- x: 2\na: 1\n');
  expect(doubled).toEqual([
    { path: ['a', 'x'], line: 4 },
    { path: ['b', 'x'], line: 5 },
    { path: ['a'], line: 9 },
  ]);
});

/** Every path of a value and the line on which the writer put it. */
function written(depth: number, random: () => number): { lines: string[]; paths: [(string | number)[], number][] } {
  const size = 1 + Math.floor(random() * 3);
  const isMap = random() < 0.6;
  const lines: string[] = [];
  const paths: [(string | number)[], number][] = [];
  for (let at = 0; at < size; at++) {
    const step = isMap ? (['k', 'a b', 'x.y', '"q: #"', "'s''t'"].slice(at)[0] ?? 'k') : at;
    const name = step === '"q: #"' ? 'q: #' : step === "'s''t'" ? "s't" : step;
    const lead = isMap ? `${step}:` : '-';
    paths.push([[name], lines.length]);
    const kind = random();
    if (depth > 0 && kind < 0.6) {
      const inner = written(depth - 1, random);
      const isInline = !isMap;
      const offset = lines.length + (isInline ? 0 : 1);
      for (const [path, line] of inner.paths) paths.push([[name, ...path], line + offset]);
      const shifted = inner.lines.map((line) => `  ${line}`);
      if (isInline) lines.push(`- ${inner.lines[0] ?? ''}`, ...shifted.slice(1));
      else lines.push(`${lead}${random() < 0.3 ? ' # said' : ''}`, ...shifted);
    } else if (kind < 0.75) {
      lines.push(`${lead} {u: [1, "two, three"], v: 'w'}`);
      for (const path of [['u'], ['u', 0], ['u', 1], ['v']]) paths.push([[name, ...path], lines.length - 1]);
    } else if (kind < 0.85) lines.push(`${lead} |`, '    text: x', '    - y');
    else lines.push(`${lead} value # c`);
  }
  return { lines, paths };
}

test('500 random documents: every path is on the line where it was written, and the parser has it', () => {
  let seed = 7;
  const random = (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (let round = 0; round < 500; round++) {
    const { lines, paths } = written(3, random);
    const source = lines.join('\n');
    const parsed: unknown = Bun.YAML.parse(source);
    const { lineOf, doubled } = yamlLines(source);
    expect(doubled).toEqual([]);
    for (const [path, line] of paths) {
      const value = path.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], parsed);
      if (value === undefined || lineOf(path) !== line + 1) {
        throw new Error(`${JSON.stringify(path)}: line ${lineOf(path)}, not ${line + 1}, in\n${source}`);
      }
    }
  }
});
