/** The house rules as ordinary tests: allowed imports, the places of I/O and of vendors' names, size limits. */

import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dir, '..');
const source = join(root, 'src');

interface SourceFile {
  readonly path: string;
  readonly folder: string;
  readonly text: string;
  readonly code: string;
  readonly imports: readonly string[];
  readonly isTest: boolean;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}

function load(path: string): SourceFile {
  const text = readFileSync(path, 'utf8');
  const shown = relative(source, path);
  const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, target]) =>
    relative(source, join(path, '..', target ?? '')),
  );
  return {
    path: shown,
    folder: shown.includes('/') ? (shown.split('/')[0] ?? '') : '',
    text,
    code: text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, ''),
    imports,
    isTest: path.endsWith('.test.ts'),
  };
}

const files = filesBelow(source).map(load);
const product = files.filter((file) => !file.isTest);
const folderOf = (path: string): string => (path.includes('/') ? (path.split('/')[0] ?? '') : '');

/**
 * The folders of `src`, from top to bottom: a file imports from its own folder and from folders further down. A
 * type-only import counts like any other.
 */
const order: readonly string[] = [
  '', // main.ts
  'cli',
  'gateway',
  'workers',
  'sandbox',
  'console',
  'endpoints',
  'own-token',
  'alerts',
  'admin',
  'observe',
  'configuration',
  'config',
  'store',
  'realtime',
  'tasks',
  'relay',
  'routing',
  'ledger',
  'providers',
  'upstream',
  'prices',
  'audio',
  'operations',
  'formats',
  'http',
  'framing',
  'access',
  'settings',
  'secrets',
  'conversation',
  'snippets',
  'program',
];

/** Folders that may import even less than the order allows. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  // The pages import nothing of the server but the types of its answers.
  console: ['admin', 'snippets'],
  sandbox: ['providers', 'upstream', 'audio', 'operations', 'formats', 'conversation', 'program'],
  audio: ['operations', 'conversation', 'program'],
  http: ['framing', 'conversation', 'snippets'],
  upstream: ['formats', 'framing', 'secrets', 'conversation'],
  prices: ['conversation', 'settings', 'program'],
  operations: ['conversation'],
  formats: ['conversation'],
  framing: [],
  access: ['secrets', 'conversation'],
  settings: [],
  secrets: [],
};

/** A folder with more source files than this gets rooms with names. */
const sourceFilesMax = 20;

describe('imports', () => {
  const arrows = product.flatMap((file) => file.imports.map((target) => ({ file: file.path, target })));

  test('every folder has its place in the order', () => {
    expect([...new Set(product.map((file) => file.folder))].sort()).toEqual(order.toSorted());
  });

  test('imports only go down', () => {
    const rank = new Map(order.map((folder, index) => [folder, index]));
    const up = arrows.filter(
      ({ file, target }) => (rank.get(folderOf(target)) ?? -1) < (rank.get(folderOf(file)) ?? Infinity),
    );
    expect(up).toEqual([]);
  });

  for (const [folder, allowed] of Object.entries(mayImport)) {
    test(`${folder} imports only ${allowed.join(', ') || 'nothing'}`, () => {
      const wrong = arrows
        .filter(({ file }) => folderOf(file) === folder)
        .filter(({ target }) => folderOf(target) !== folder && !allowed.includes(folderOf(target)));
      expect(wrong).toEqual([]);
    });
  }

  test("a serving Weir has one clock: only it, and what runs before it, reads the machine's", () => {
    const readers = product
      .filter(({ folder, text }) => folder === 'gateway' && /\bDate\.now\b/.test(text))
      .map(({ path }) => path);
    expect(readers).toEqual(['gateway/store-options.ts', 'gateway/clock/wall-clock.ts']);
  });

  test('only the composition reaches the sandbox', () => {
    const reached = arrows.filter(({ file, target }) => folderOf(target) === 'sandbox' && folderOf(file) !== 'sandbox');
    expect(reached.filter(({ file }) => folderOf(file) !== 'gateway')).toEqual([]);
  });

  test('no files import each other in a circle', () => {
    expect(circlesIn(new Map(product.map((file) => [file.path, file.imports])))).toEqual([]);
  });

  test('the search for circles finds one', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['a']],
      ['d', []],
    ]);
    expect(circlesIn(graph)).toEqual([['a', 'b', 'c']]);
  });

  test('the console takes only types from the server: a value would bring the server into the browser', () => {
    const values = product
      .filter((file) => file.folder === 'console')
      .flatMap((file) =>
        [...file.text.matchAll(/^import (?!type )[^;]*?from '(\.[^']+)'/gm)].map(([, target = '']) => ({
          file: file.path,
          target: relative(source, join(source, file.path, '..', target)),
        })),
      )
      .filter(({ target }) => !['console', 'snippets'].includes(folderOf(target)));
    expect(values).toEqual([]);
  });
});

/** Files that reach each other, largest sets, by Tarjan's algorithm; each set sorted. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const seen = new Map<string, { index: number; low: number; open: boolean }>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (name: string): { index: number; low: number; open: boolean } => {
    const state = { index: seen.size, low: seen.size, open: true };
    seen.set(name, state);
    stack.push(name);
    for (const target of graph.get(name) ?? []) {
      const known = seen.get(target);
      if (known === undefined) state.low = Math.min(state.low, visit(target).low);
      else if (known.open) state.low = Math.min(state.low, known.index);
    }
    if (state.low < state.index) return state;
    const members = stack.splice(stack.lastIndexOf(name));
    for (const member of members) {
      const known = seen.get(member);
      if (known !== undefined) known.open = false;
    }
    if (members.length > 1) circles.push(members.sort());
    return state;
  };
  for (const name of graph.keys()) if (!seen.has(name)) visit(name);
  return circles;
}

describe('where things live', () => {
  const uses = (pattern: RegExp, allowed: (file: SourceFile) => boolean): string[] =>
    product.filter((file) => pattern.test(file.code) && !allowed(file)).map((file) => file.path);

  test('SQL and Redis only in store', () => {
    expect(
      uses(/bun:sqlite|new SQL\(|RedisClient|\bINSERT INTO\b|\bSELECT\b.*\bFROM\b/, (file) => file.folder === 'store'),
    ).toEqual([]);
  });

  test('the environment only in config', () => {
    expect(uses(/process\.env|Bun\.env/, (file) => file.folder === 'config')).toEqual([]);
  });

  test('a module asks for its own address only in program', () => {
    expect(uses(/import\.meta/, (file) => file.folder === 'program')).toEqual([]);
  });

  test('the network only in upstream, http, store, workers and the commands that compose; in the browser in one folder', () => {
    expect(
      uses(
        /(?<![.\w\n] *)(?:await|=>|return|=) fetch\(|Bun\.serve|Bun\.connect/,
        (file) =>
          ['upstream', 'http', 'store', 'workers', 'cli', 'gateway', ''].includes(file.folder) ||
          file.path.startsWith('console/api/'),
      ),
    ).toEqual([]);
  });

  test('the file system only in store, config, the commands, the spool of uploads and the files that are served', () => {
    const isHome = ({ folder, path }: SourceFile) =>
      ['store', 'config', 'cli'].includes(folder) ||
      path.startsWith('http/multipart/') ||
      // Reads which descriptors listen, in the kernel's own tables.
      path === 'http/socket-options.ts' ||
      // The folder of the socket between workers.
      path === 'workers/hub.ts' ||
      path === 'upstream/http1/descriptors.ts' ||
      path === 'observe/log-file.ts' ||
      path === 'http/pages/console-files.ts';
    // The sandbox reads nothing but the data files it came with.
    const isOwnData = ({ path }: SourceFile) => path.startsWith('sandbox/');
    expect(uses(/from 'node:fs|Bun\.(file|write)\(/, (file) => isHome(file) || isOwnData(file))).toEqual([]);
  });

  test("a vendor's name only in providers, formats and configuration", () => {
    const vendors =
      /\b(openai|anthropic|gemini|google|azure|bedrock|vertex|mistral|groq|deepseek|ollama|claude|qwen|llama|grok|minimax|moonshot|kimi|zhipu|doubao|voyage|jina|perplexity|openrouter|nvidia|elevenlabs|deepgram|cartesia|runway|luma|replicate|sora|veo|kling|hailuo|seedance|dall-e|imagen|flux|whisper|voxtral)\b/i;
    const named = product
      .filter((file) => !['providers', 'formats', 'operations', 'config', 'settings', 'sandbox'].includes(file.folder))
      .filter((file) => vendors.test(withoutFormatNames(file.code)))
      .map((file) => file.path);
    expect(named).toEqual([]);
  });

  test("no file prints but the command line, the logger's writer and the listener's last resort", () => {
    expect(
      uses(/(?<![\w./])console\.|process\.std(out|err)\.write/, (file) =>
        ['cli', 'gateway', '', 'http'].includes(file.folder),
      ),
    ).toEqual([]);
  });
});

/** Formats are named after their wire, and a documented sub-protocol and headers carry a vendor's name for good. */
function withoutFormatNames(code: string): string {
  return code
    .replace(/^import .*$|^\} from .*$/gm, '')
    .replace(/openai-(chat|responses|completions|insecure-api-key)|anthropic-messages|gemini-generate|openaiChat/g, '')
    .replace(/OPENAI_API_KEY/g, '');
}

describe('sizes and names', () => {
  test('files stop at 400 lines, tests at 600', () => {
    const all = [...files, ...filesBelow(join(root, 'test')).map(load), ...filesBelow(join(root, 'bench')).map(load)];
    const large = all
      .map((file) => ({ path: file.path, lines: file.text.split('\n').length, isTest: file.path.includes('test') }))
      .filter(({ lines, isTest }) => lines > (isTest ? 600 : 400));
    expect(large).toEqual([]);
  });

  test(`folders stop at ${sourceFilesMax} source files`, () => {
    const sizes = Map.groupBy(product, (file) => dirname(file.path));
    const large = [...sizes].filter(([, inside]) => inside.length > sourceFilesMax);
    expect(large.map(([folder, inside]) => `${folder} has ${inside.length}`)).toEqual([]);
  });

  test('functions stop at 70 lines', () => {
    expect(product.flatMap(longFunctions)).toEqual([]);
  });

  test('names say what a thing is for', () => {
    const vague = /(^|[/-])(utils?|common|helpers?|manager|misc|shared|base)(\.|-|$)/;
    expect(files.filter((file) => vague.test(file.path)).map((file) => file.path)).toEqual([]);
    expect(files.filter((file) => !/^[a-z0-9/.-]+$/.test(file.path)).map((file) => file.path)).toEqual([]);
  });

  test('every file opens with a sentence about itself', () => {
    const silent = product.filter((file) => !/^(#!.*\n)?\/\*\*/.test(file.text)).map((file) => file.path);
    expect(silent).toEqual([]);
  });

  test('nothing is left undone', () => {
    const marks = /\b(TODO|FIXME|XXX|HACK)\b|: any\b|as any\b|@ts-ignore|\benum\s+[A-Z]/;
    expect(product.filter((file) => marks.test(file.text)).map((file) => file.path)).toEqual([]);
  });
});

interface FunctionSpan {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** A function reaches from the line that opens it to the brace at the same indentation that closes it. */
function functionSpans(lines: readonly string[]): FunctionSpan[] {
  const opening =
    /^(\s*)(?:export )?(?:readonly )?(?:async )?(?:function\*? (\w+)|(#?\w+)\(.*\).*\{$|(?:const )?(#?\w+)(?: =|:) (?:async )?\(.*=> \{$|(?:get|set) (\w+)\()/;
  return lines.flatMap((line, start) => {
    const match = opening.exec(line);
    if (match === null || /^\s*(if|for|while|switch|return|describe|test|catch)\b/.test(line)) return [];
    const end = lines.findIndex((other, index) => index > start && other.startsWith(`${match[1]}}`));
    return end === -1 ? [] : [{ name: match.slice(2).find(Boolean) ?? '', start, end }];
  });
}

/** Functions inside a function count for themselves: a factory of ten small ones is not long. */
function longFunctions(file: SourceFile): string[] {
  const spans = functionSpans(file.text.split('\n'));
  return spans.flatMap(({ name, start, end }) => {
    const inside = spans.filter((other) => other.start > start && other.end < end);
    const outermost = inside.filter((one) => !inside.some((other) => other.start < one.start && other.end > one.end));
    const own = end - start - outermost.reduce((sum, one) => sum + one.end - one.start, 0);
    return own > 70 && !composes(file.path, name) ? [`${file.path}:${start + 1} ${name} has ${own} lines`] : [];
  });
}

/** Composition is a list of objects; cutting it into pieces would hide the order in which they are built. */
function composes(path: string, name: string): boolean {
  return path === 'gateway/gateway.ts' && name === 'buildGateway';
}

describe('dependencies', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
    'dependencies' | 'devDependencies',
    Record<string, string>
  >;
  const reasons = readFileSync(join(root, 'docs/decisions/0005-dependencies.md'), 'utf8');

  /** Packages that the console's code, its styles and its build name; types aside, which leave no trace. */
  const consolePackages = (): string[] => {
    const styles = readdirSync(join(source, 'console'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.css'))
      .map((path) => readFileSync(join(source, 'console', path), 'utf8'));
    const scripts = files.filter((file) => file.folder === 'console' && !file.isTest);
    const build = readFileSync(join(root, 'scripts/build-console.ts'), 'utf8');
    // Read as code: what a page shows as an example is no import of ours.
    const imported = [...scripts, { path: 'build-console.ts', text: build }].flatMap(({ path, text }) =>
      new Bun.Transpiler({ loader: path.endsWith('x') ? 'tsx' : 'ts' }).scanImports(text).map((found) => found.path),
    );
    const styled = [...styles, build].flatMap((text) => [
      ...text.matchAll(/@import\s*['"]([^'"]+)['"]/g),
      ...text.matchAll(/'node_modules\/([^']+)'/g),
    ]);
    const named = [...imported, ...styled.map(([, path = '']) => path)].filter((path) => !path.startsWith('.'));
    const names = named.map((path) =>
      path
        .split('/')
        .slice(0, path.startsWith('@') ? 2 : 1)
        .join('/'),
    );
    return [...new Set(names)].filter((name) => name !== 'bun' && !name.startsWith('node:')).sort();
  };

  test('at most ten run in the server process, at exact versions', () => {
    expect(Object.keys(dependencies).length).toBeLessThanOrEqual(10);
    for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test('at most twelve more are bundled into the console, at exact versions, each with its reason', () => {
    const names = consolePackages();
    expect(names).toContain('react');
    expect(names.length).toBeLessThanOrEqual(12);
    for (const name of names) {
      expect([name, devDependencies[name]]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
      expect(reasons).toContain(`| \`${name}\` |`);
    }
  });
});
