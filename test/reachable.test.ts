/** No dead code: every source file is reached from an entry, and every export is used by another file. */

import { describe, expect, test } from 'bun:test';
import { scan, scanFiles } from './harness/import-graph.ts';

const files = scanFiles(['src', 'scripts', 'bench', 'test']);
const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path) || path.startsWith('test/');
const product = files.filter(({ path }) => path.startsWith('src/') && !isTest(path));

/** Builds name the workers and the console's entry by their paths. */
const isEntry = (path: string): boolean => path === 'src/main.ts' || /^(scripts|bench)\//.test(path);

/** Folders whose exports are not yet looked at. */
const unchecked: readonly string[] = [];

describe('files', () => {
  test('every source file is reached from an entry', () => {
    const byPath = new Map(files.map((file) => [file.path, file]));
    const open = files.filter(({ path }) => isEntry(path) && !isTest(path));
    const reached = new Set(open);
    for (const file of open) {
      for (const target of file.imports.keys()) {
        const next = byPath.get(target);
        if (next === undefined || reached.has(next)) continue;
        reached.add(next);
        open.push(next);
      }
    }
    expect(product.filter((file) => !reached.has(file)).map(({ path }) => path)).toEqual([]);
  });
});

describe('exports', () => {
  /** Names that are imported from a file, by whether a test imports them. */
  const importedFrom = (fromTests: boolean): ReadonlyMap<string, ReadonlySet<string>> => {
    const names = new Map<string, Set<string>>();
    for (const file of files) {
      if (isTest(file.path) !== fromTests) continue;
      for (const [target, wanted] of file.imports) {
        names.set(target, (names.get(target) ?? new Set()).union(wanted));
      }
    }
    return names;
  };
  const byProduct = importedFrom(false);
  const byTests = importedFrom(true);
  const isIn = (names: ReadonlyMap<string, ReadonlySet<string>>, path: string, name: string): boolean =>
    names.get(path)?.has(name) === true || names.get(path)?.has('*') === true;

  const checked = product
    .filter(({ path }) => !unchecked.some((folder) => path.startsWith(`src/${folder}/`)))
    .flatMap(({ path, exports }) => exports.map((each) => ({ path, ...each })));

  test('every export is imported by another file', () => {
    const unused = checked.filter(({ path, name }) => !isIn(byProduct, path, name) && !isIn(byTests, path, name));
    expect(unused.map(({ path, name }) => `${path}: ${name}`)).toEqual([]);
  });

  test('what only tests import is used by its own file, or belongs in test/', () => {
    const unused = checked.filter(({ path, name, usesInside }) => usesInside === 0 && !isIn(byProduct, path, name));
    expect(unused.map(({ path, name }) => `${path}: ${name}`)).toEqual([]);
  });

  test('imports and exports are found in every form', () => {
    const { imports, exports } = scan(
      'src/a/b.ts',
      [
        "import { type One, two as other } from '../c.ts';",
        "import whole, * as all from './d.ts';",
        "export { three, four as five } from './e.ts';",
        "const later = () => import('./f.ts');",
        "type Six = import('./g.ts').Six;",
        'export const used = 1;',
        'export async function* made(): Shape { return used; }',
        'export interface Shape {}',
        '/** used made Shape */',
      ].join('\n'),
    );
    expect(Object.fromEntries([...imports].map(([path, names]) => [path, [...names]]))).toEqual({
      'src/c.ts': ['One', 'two'],
      'src/a/d.ts': ['*'],
      'src/a/e.ts': ['three', 'four'],
      'src/a/f.ts': ['*'],
      'src/a/g.ts': ['Six', '*'],
    });
    expect(exports.map(({ name, usesInside }) => [name, usesInside])).toEqual([
      ['used', 1],
      ['made', 0],
      ['Shape', 1],
      ['three', 0],
      ['five', 0],
    ]);
  });
});
