/** Which files import which names of which others, read from the text of all sources. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export interface ScannedFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
  /** Names by the file they are imported from; `*` where all of them are. */
  readonly imports: ReadonlyMap<string, ReadonlySet<string>>;
  readonly exports: readonly ScannedExport[];
}

export interface ScannedExport {
  readonly name: string;
  readonly isType: boolean;
  /** Declared here, not passed on from another file. */
  readonly isOwn: boolean;
  /** How often the file itself uses the name beside its declaration. */
  readonly usesInside: number;
}

/** Every TypeScript file below these folders. */
export function scanFiles(folders: readonly string[]): readonly ScannedFile[] {
  const paths = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
      .map((path) => join(folder, path)),
  );
  return paths.map((path) => scan(path, readFileSync(path, 'utf8')));
}

export function scan(path: string, text: string): ScannedFile {
  const code = withoutComments(text);
  return { path, text, imports: importsOf(path, code), exports: exportsOf(code) };
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/^\s*\/\/.*$/gm, ' ');
}

const fromClause = /\b(?:import|export)\s+(?:type\s+)?([\w$*{}\s,]+?)\s+from\s+'(\.[^']+)'/g;
const wholeImport = /\bimport\s*\(?\s*'(\.[^']+)'/g;
/** What builds name by its path: workers and the console's entry. */
const namedPath = /'(src\/[^']+\.tsx?)'/g;
const typeImport = /\bimport\('(\.[^']+)'\)\.(\w+)/g;

function importsOf(path: string, code: string): ReadonlyMap<string, ReadonlySet<string>> {
  const imports = new Map<string, Set<string>>();
  const add = (target: string, names: readonly string[]): void => {
    const file = normalize(join(dirname(path), target));
    imports.set(file, (imports.get(file) ?? new Set()).union(new Set(names)));
  };
  for (const [, clause = '', target = ''] of code.matchAll(fromClause)) add(target, namesIn(clause));
  for (const [, target = '', name = ''] of code.matchAll(typeImport)) add(target, [name]);
  for (const [, target = ''] of code.matchAll(wholeImport)) add(target, ['*']);
  for (const [, file = ''] of code.matchAll(namedPath)) imports.set(file, new Set(['*']));
  return imports;
}

/** `type A as B, c` names `A` and `c`. */
function namesIn(clause: string): readonly string[] {
  if (clause.includes('*')) return ['*'];
  const [before = '', inside = ''] = clause.split(/[{}]/);
  const byDefault = before.replace(/[\s,]/g, '') === '' ? [] : ['default'];
  return [...byDefault, ...inside.split(',').flatMap((one) => /^\s*(?:type\s+)?([\w$]+)/.exec(one)?.[1] ?? [])];
}

const declared =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(function\*?|const|let|class|interface|type)\s+([\w$]+)/gm;
const listed = /^export\s+(type\s+)?\{([^}]*)\}(\s+from)?/gm;

function exportsOf(code: string): readonly ScannedExport[] {
  const uses = (name: string) =>
    (code.match(new RegExp(`(?<![\\w$.])${name.replace('$', '\\$')}(?![\\w$])`, 'g')) ?? []).length;
  const own = [...code.matchAll(declared)].map(([, keyword = '', name = '']) => ({
    name,
    isType: keyword === 'interface' || keyword === 'type',
    isOwn: true,
    usesInside: uses(name) - 1,
  }));
  const passed = [...code.matchAll(listed)].flatMap(([, type, inside = '', from]) =>
    inside.split(',').flatMap((one) => {
      const name = /([\w$]+)\s*$/.exec(one)?.[1];
      if (name === undefined) return [];
      return [{ name, isType: type !== undefined || one.includes('type '), isOwn: from === undefined, usesInside: 0 }];
    }),
  );
  return [...new Map([...own, ...passed].map((each) => [each.name, each])).values()];
}
