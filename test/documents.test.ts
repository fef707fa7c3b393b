/** The rules of the documentation as tests: line lengths, links, mentioned files and the field's own terms. */

import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { sandboxModels } from '../src/sandbox/models.ts';
import { properNames, replacements } from './vocabulary.ts';

const root = join(import.meta.dir, '..');
const wrapColumns = 120;
const columnsMax = 160;

interface Page {
  readonly path: string;
  readonly lines: readonly string[];
  /** The text without blocks of code. */
  readonly prose: readonly Line[];
}

interface Line {
  readonly number: number;
  readonly text: string;
}

const skippedFolders = new Set(['node_modules', '.git', 'data', 'dist']);

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : filesBelow(path);
    return [path];
  });
}

function proseOf(lines: readonly string[]): Line[] {
  let isCode = false;
  return lines.flatMap((text, index) => {
    const isFence = /^\s*```/.test(text);
    if (isFence) isCode = !isCode;
    return isCode || isFence ? [] : [{ number: index + 1, text }];
  });
}

function load(path: string): Page {
  const lines = readFileSync(path, 'utf8').split('\n');
  return { path: relative(root, path), lines, prose: proseOf(lines) };
}

const files = filesBelow(root);
const pages = files.filter((path) => path.endsWith('.md')).map(load);
const fileNames = new Set(files.map((path) => basename(path)));
const sourceFolders = new Set(readdirSync(join(root, 'src')));

/** Every line of every page that a rule objects to. */
function objections(rule: (line: Line, page: Page) => readonly string[]): string[] {
  return pages.flatMap((page) =>
    page.prose.flatMap((line) => rule(line, page).map((why) => `${page.path}:${line.number} ${why}`)),
  );
}

describe('lines', () => {
  const isTable = (text: string): boolean => /^\s*\|/.test(text);

  /** Code spans and links are not broken, so a line may be as long as the one it begins with. */
  const canBeBroken = (text: string): boolean => {
    const solid = text.replace(/!?\[[^\]]*\]\([^)]*\)|`[^`]*`/g, (unit) => 'x'.repeat(unit.length));
    return solid.replace(/^\s*(?:[-*]|\d+\.)?\s*/, '').includes(' ');
  };

  test(`prose wraps at ${wrapColumns} columns and no line exceeds ${columnsMax}`, () => {
    const long = objections(({ text }) => {
      const isLong = text.length > columnsMax || (text.length > wrapColumns && canBeBroken(text));
      return isLong && !isTable(text) ? [`has ${text.length} columns`] : [];
    });
    expect(long).toEqual([]);
  });
});

describe('links', () => {
  /** As GitHub makes an anchor of a heading. */
  const anchorOf = (heading: string): string =>
    heading
      .replace(/`/g, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');

  const anchorsOf = (path: string): string[] =>
    load(path).prose.flatMap(({ text }) => {
      const heading = /^#+ (.*)$/.exec(text)?.[1];
      return heading === undefined ? [] : [anchorOf(heading)];
    });

  const fault = (page: Page, target: string): string | undefined => {
    if (/^[a-z]+:/.test(target)) return undefined;
    const [file = '', anchor] = target.split('#');
    const path = file === '' ? join(root, page.path) : join(root, dirname(page.path), file);
    if (relative(root, path).startsWith('..')) return `${target} is outside of the repository`;
    if (!existsSync(path)) return `${target} does not exist`;
    if (anchor === undefined || statSync(path).isDirectory()) return undefined;
    return anchorsOf(path).includes(anchor) ? undefined : `${target} names no heading`;
  };

  test('every relative link leads to a file of the repository, and to a heading of it', () => {
    const broken = objections(({ text }, page) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => fault(page, target) ?? []),
    );
    expect(broken).toEqual([]);
  });
});

describe('mentioned files', () => {
  const ownFolders = /^(?:src|test|docs|bench|scripts|bin|deploy|\.github)\//;

  const exists = (path: string): boolean =>
    path.includes('*') ? !new Bun.Glob(path).scanSync({ cwd: root }).next().done : existsSync(join(root, path));

  /** A path from the root, a path below `src/`, or a bare name of a source file. */
  const isMissing = (mention: string): boolean => {
    // A recipe says NAME for what its reader chooses.
    if (!/^[\w.*/-]+$/.test(mention) || mention.includes('NAME')) return false;
    if (ownFolders.test(mention)) return !exists(mention);
    const [first = '', ...rest] = mention.split('/');
    if (rest.length > 0 && sourceFolders.has(first)) return !exists(`src/${mention}`) && !exists(mention);
    return rest.length === 0 && /\.tsx?$/.test(mention) && !mention.includes('*') && !fileNames.has(mention);
  };

  test('every file that a page mentions exists', () => {
    const missing = objections(({ text }) =>
      [...text.matchAll(/`([^`]+)`/g)].flatMap(([, mention = '']) =>
        isMissing(mention) ? [`${mention} does not exist`] : [],
      ),
    );
    expect(missing).toEqual([]);
  });

  test('no page mentions a document outside of the repository', () => {
    const outside = /\.\.\/shared|\b(?:RELIABILITY|DESIGN|STYLE)\b/;
    expect(objections(({ text }) => (outside.test(text) ? [text] : []))).toEqual([]);
  });
});

describe('the sandbox', () => {
  test('its page lists every model, and the README counts them', () => {
    const page = readFileSync(join(root, 'docs/sandbox.md'), 'utf8');
    const listed = [...page.matchAll(/`(sandbox-[\w-]+)`/g)].map(([, name = '']) => name);
    expect([...new Set(listed)].sort()).toEqual(sandboxModels.map(({ id }) => id).sort());
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    expect(readme).toContain(`${sandboxModels.length} built-in models`);
  });
});

describe('words', () => {
  const proseAlone = (text: string): string =>
    text
      .replace(/`[^`]*`/g, '')
      .replace(/\]\([^)]*\)/g, ']')
      .replace(/https?:\/\/\S+/g, '')
      .replace(properNames, '');

  test('pages use the field’s own terms', () => {
    const found = objections(({ text }) =>
      replacements.flatMap(([pattern, instead]) => {
        const word = pattern.exec(proseAlone(text))?.[0];
        return word === undefined ? [] : [`says “${word}”: ${instead}`];
      }),
    );
    expect(found).toEqual([]);
  });

  test('each forbidden word is found where it stands', () => {
    const samples = [
      'wishes',
      'the way out',
      'desk',
      'story',
      'books',
      'dearest',
      'left alone',
      'goes on',
      'under way',
      'nobody',
      'for ever',
      'takings',
      'pictures',
      'sound',
      'maker',
      'second try',
      'base address',
      'knock',
      'mended',
      'anew',
      'behaviour',
    ];
    expect(samples.map((sample) => replacements.findIndex(([pattern]) => pattern.test(sample)))).toEqual(
      replacements.map((_, index) => index),
    );
  });
});
