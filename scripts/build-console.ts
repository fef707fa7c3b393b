/**
 * Bundles the console into one pack of hashed, compressed files: written to the named file, or to standard output for
 * the server.
 */

import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { BunPlugin } from 'bun';
import tailwind from 'bun-plugin-tailwind';
import { type ConsolePack, type Entries, type PackedFile, writePack } from '../src/http/pages/console-pack.ts';

const project = join(import.meta.dir, '..');
const publicFolder = '/console/assets/';
const fontPackage = join(project, 'node_modules/@fontsource-variable/geist-mono');
const mainScript = join(project, 'src/console/main.tsx');
const wordsFolder = join(project, 'src/console/words/');
const mainFontName = 'geist-mono-latin-wght-normal';

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  woff2: 'font/woff2',
};

export interface BuildOptions {
  /** Every component on one page, for developers. */
  readonly gallery: boolean;
  /** 11 is smallest and takes seconds; 9 is almost as small at once. */
  readonly brotliQuality: number;
}

export async function buildConsole({ gallery, brotliQuality }: BuildOptions): Promise<ConsolePack> {
  const [bundle, early, foundation] = await Promise.all([
    bundlePages(gallery),
    bundleFirstPaint(),
    collectFoundation(),
  ]);
  const raw = [...bundle, ...early, ...foundation];
  const path = (ending: RegExp): string => {
    const found = raw.find((file) => ending.test(file.path));
    if (found === undefined) throw new Error(`The build made no file like ${ending}.`);
    return found.path;
  };
  const script = path(/\/main-[^/]+\.js$/);
  const entries: Entries = {
    firstPaint: path(/\/first-paint-[^/]+\.js$/),
    script,
    preloads: importsOf(raw, script),
    style: path(/\/main-[^/]+\.css$/),
    foundation: path(/\/foundation-[^/]+\.css$/),
    mainFont: path(new RegExp(`/${mainFontName}-[^/]+\\.woff2$`)),
  };
  return { entries, files: await Promise.all(raw.map((file) => packed(file, brotliQuality))) };
}

interface RawFile {
  readonly path: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

const shared = {
  target: 'browser',
  minify: true,
  sourcemap: 'none',
  publicPath: publicFolder,
  naming: { entry: '[name]-[hash].[ext]', chunk: '[name].part-[hash].[ext]', asset: '[name]-[hash].[ext]' },
} as const;

async function bundlePages(gallery: boolean): Promise<RawFile[]> {
  return filesOf(
    await Bun.build({
      ...shared,
      entrypoints: [mainScript],
      format: 'esm',
      splitting: true,
      plugins: [tailwind, oneMainPart()],
      define: { 'process.env.NODE_ENV': '"production"', withGallery: String(gallery) },
    }),
  );
}

/**
 * What every page needs in few files. The bundler makes a file for each set of pages that share a module, so the main
 * script imported seventeen others; when every part that is loaded later imports the main script, its modules have the
 * same set, and it imports two. By then it has run, so the import does nothing. The main script itself waits for the
 * words of a language, which must therefore not wait for it.
 */
function oneMainPart(): BunPlugin {
  const loadedLater = new Set<string>();
  return {
    name: 'one-main-part',
    setup(build) {
      build.onResolve({ filter: /^\./ }, ({ kind, path, importer }) => {
        if (kind === 'dynamic-import') loadedLater.add(join(dirname(importer), path));
        return undefined;
      });
      build.onLoad({ filter: /[\\/]src[\\/]console[\\/].*\.tsx?$/ }, async ({ path, loader }) => {
        if (!loadedLater.has(path) || path.startsWith(wordsFolder)) return undefined;
        return { loader, contents: `${await Bun.file(path).text()}\nimport ${JSON.stringify(mainScript)};\n` };
      });
    },
  };
}

/** A separate classic script: it must run before the first paint. */
async function bundleFirstPaint(): Promise<RawFile[]> {
  const entrypoints = [join(project, 'src/console/first-paint.ts')];
  return filesOf(await Bun.build({ ...shared, entrypoints, format: 'iife' }));
}

async function filesOf({ outputs }: Bun.BuildOutput): Promise<RawFile[]> {
  return Promise.all(
    outputs.map(async (output) => ({
      path: publicFolder + basename(output.path),
      body: new Uint8Array(await output.arrayBuffer()),
    })),
  );
}

/**
 * What the home page and the console share: the design tokens, and the font's own style sheet with the paths of its
 * files replaced by those in the pack. Not bundled: the bundler would resolve each color's light or dark variant at the
 * root, and a part of a page could no longer have the other.
 */
async function collectFoundation(): Promise<RawFile[]> {
  const tokens = await Bun.file(join(project, 'src/http/pages/tokens.css')).text();
  const sheet = await Bun.file(join(fontPackage, 'wght.css')).text();
  const names = [...sheet.matchAll(/url\(\.\/files\/([^)]+)\)/g)].map(([, name]) => name ?? '');
  const files = await Promise.all(
    names.map(async (name) => hashed(name, await Bun.file(join(fontPackage, 'files', name)).bytes())),
  );
  const placed = names.reduce(
    (text, name, index) => text.replace(`url(./files/${name})`, `url(${files[index]?.path})`),
    sheet + tokens,
  );
  const bare = placed.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\s+/g, ' ');
  return [...files, hashed('foundation.css', new TextEncoder().encode(bare))];
}

function hashed(name: string, body: Uint8Array<ArrayBuffer>): RawFile {
  const dot = name.lastIndexOf('.');
  return { path: `${publicFolder}${name.slice(0, dot)}-${digest(body).slice(0, 8)}${name.slice(dot)}`, body };
}

function digest(body: Uint8Array<ArrayBuffer>): string {
  return new Bun.CryptoHasher('sha256').update(body).digest('hex').slice(0, 20);
}

/** The static imports of a script, and theirs. */
function importsOf(files: readonly RawFile[], path: string, seen = new Set<string>()): string[] {
  const file = files.find((other) => other.path === path);
  if (file === undefined) return [];
  const transpiler = new Bun.Transpiler({ loader: 'js' });
  const direct = transpiler
    .scanImports(new TextDecoder().decode(file.body))
    .filter(({ kind }) => kind === 'import-statement')
    .map((one) => publicFolder + basename(one.path))
    .filter((imported) => !seen.has(imported));
  for (const imported of direct) seen.add(imported);
  return [...direct, ...direct.flatMap((imported) => importsOf(files, imported, seen))];
}

async function packed({ path, body }: RawFile, quality: number): Promise<PackedFile> {
  const ending = path.slice(path.lastIndexOf('.') + 1);
  const type = types[ending];
  if (type === undefined) throw new Error(`No content type is known for ${path}.`);
  const facts = { path, type, etag: digest(body) };
  // Fonts are compressed already.
  if (ending === 'woff2') return { ...facts, bodies: { identity: body } };
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  const [br, zipped] = await Promise.all([promisify(brotliCompress)(body, { params }), promisify(gzip)(body)]);
  return { ...facts, bodies: { identity: body, gzip: new Uint8Array(zipped), br: new Uint8Array(br) } };
}

if (import.meta.main) {
  const bytes = writePack(await buildConsole({ gallery: true, brotliQuality: 9 }));
  await Bun.write(process.argv[2] === undefined ? Bun.stdout : Bun.file(process.argv[2]), bytes);
}
