/**
 * Finds the console's files: in the executable, in the npm package, in the pack of an earlier start, or by building
 * them in a separate process.
 */

import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type ConsolePack, type PackedFile, readPack } from './console-pack.ts';
import { embeddedConsole } from './embedded-console.ts';

export interface ConsoleFiles {
  /** The pack of the current sources. Throws if there is none and none can be built. */
  pack(): Promise<ConsolePack>;
  /** By the path it is served at. */
  file(path: string): Promise<PackedFile | undefined>;
}

interface ConsoleFilesOptions {
  /** The folder of package.json; absent in the executable. */
  readonly project: string;
  /** Weir runs in a terminal, so its user will probably open the console: it is built right after the start. */
  readonly isWatched?: boolean;
  nowMs(): number;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** A build takes half a second; one that takes this long is hung. */
const buildTimeoutMs = 60_000;
/** Not while the server itself starts. */
const afterStartMs = 100;
/** Pages that were opened before a rebuild still ask for their files. */
const packsKept = 3;
/** Sources are checked for changes no more often than this, however many people open pages. */
export const sourcesTrustedMs = 1_000;
/** A failed build is not retried before this: pages need no sign-in, and a build is expensive. */
export const failureTrustedMs = 30_000;

/** `scripts/prepack.ts` writes it; the npm package has it in place of the console's sources. */
export const packagedConsole = 'dist/console.pack';

export function createConsoleFiles(options: ConsoleFilesOptions): ConsoleFiles {
  if (embeddedConsole !== undefined) return carriedFiles(embeddedConsole, options);
  // A clone may have a pack that is older than its sources.
  const hasSources = existsSync(join(options.project, 'src', 'console'));
  return hasSources ? builtFiles(options) : carriedFiles(join(options.project, packagedConsole), options);
}

function carriedFiles(path: string, { warn }: ConsoleFilesOptions): ConsoleFiles {
  let opened: Promise<ConsolePack> | undefined;
  const open = async (): Promise<ConsolePack> => {
    const pack = readPack(await Bun.file(path).bytes());
    if (pack === undefined) throw new Error(`${path} is no readable console.`);
    return pack;
  };
  const pack = () => {
    if (opened !== undefined) return opened;
    opened = open();
    opened.catch((cause: unknown) => warn('The console could not be read. Install Weir again.', { cause }));
    return opened;
  };
  return { pack, file: async (wanted) => (await pack()).files.find((file) => file.path === wanted) };
}

/**
 * From source: each page request checks whether the sources changed, which costs a few milliseconds and saves a build
 * step.
 */
function builtFiles({ project, isWatched, nowMs, warn }: ConsoleFilesOptions): ConsoleFiles {
  const packs = new Map<string, Promise<ConsolePack>>();
  let latest: { readonly pack: Promise<ConsolePack>; trustedUntilMs: number } | undefined;
  const open = async (): Promise<ConsolePack> => {
    const key = await sourceKey(project);
    const known = packs.get(key);
    if (known !== undefined) return known;
    const opened = openPack(project, key);
    packs.set(key, opened);
    for (const old of [...packs.keys()].slice(0, -packsKept)) packs.delete(old);
    opened.catch(() => packs.delete(key));
    return opened;
  };
  const pack = (): Promise<ConsolePack> => {
    if (latest !== undefined && nowMs() < latest.trustedUntilMs) return latest.pack;
    const asked = { pack: open(), trustedUntilMs: Number.POSITIVE_INFINITY };
    latest = asked;
    asked.pack.then(
      () => {
        asked.trustedUntilMs = nowMs() + sourcesTrustedMs;
      },
      (cause: unknown) => {
        asked.trustedUntilMs = nowMs() + failureTrustedMs;
        warn('The console could not be built. Its packages come with `npm ci --include=dev`.', { cause });
      },
    );
    return asked.pack;
  };
  if (isWatched === true) setTimeout(() => void pack().catch(() => undefined), afterStartMs).unref();
  const fileIn = async (opened: Promise<ConsolePack>, path: string) =>
    (await opened.catch(() => undefined))?.files.find((file) => file.path === path);
  return {
    pack,
    async file(path) {
      for (const opened of [...packs.values()].reverse()) {
        const found = await fileIn(opened, path);
        if (found !== undefined) return found;
      }
      // No page was opened since the start, but a browser still has an older one.
      return packs.size === 0 ? fileIn(pack(), path) : undefined;
    },
  };
}

/** One name for everything that a build reads. */
async function sourceKey(project: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  const sources = [...new Bun.Glob('src/{console,snippets}/**/*').scanSync({ cwd: project })].filter(
    (path) => !path.endsWith('.test.ts'),
  );
  const paths = [...sources.sort(), 'src/http/pages/tokens.css', 'scripts/build-console.ts', 'package-lock.json'];
  const contents = await Promise.all(paths.map((path) => Bun.file(join(project, path)).bytes()));
  for (const [index, content] of contents.entries())
    hasher.update(`${paths[index]}\n${content.length}\n`).update(content);
  return hasher.update(Bun.version).digest('hex').slice(0, 16);
}

async function openPack(project: string, key: string): Promise<ConsolePack> {
  const folder = join(project, 'node_modules', '.cache', 'weir-console');
  const kept = join(folder, `${key}.pack`);
  const file = Bun.file(kept);
  const cached = (await file.exists()) ? readPack(await file.bytes()) : undefined;
  if (cached !== undefined) return cached;
  const bytes = await build(project);
  const built = readPack(bytes);
  if (built === undefined) throw new Error('The build of the console is incomplete.');
  // Only a cache for the next start: a folder that cannot be written is no error.
  await keep(folder, kept, bytes).catch(() => undefined);
  return built;
}

/** In a separate process: the server would never free the bundler's memory. */
async function build(project: string): Promise<Uint8Array<ArrayBuffer>> {
  const child = Bun.spawn([process.execPath, join(project, 'scripts', 'build-console.ts')], {
    cwd: project,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: buildTimeoutMs,
    killSignal: 'SIGKILL',
  });
  const [bytes, complaints, code] = await Promise.all([
    new Response(child.stdout).bytes(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code === 0) return bytes;
  throw new Error(complaints.trim().split('\n')[0]?.slice(0, 300) || `The build ended with code ${code}.`);
}

async function keep(folder: string, path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  await mkdir(folder, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  await Bun.write(unfinished, bytes);
  // Two starts at once may write the same file: the last one replaces equal bytes.
  await rename(unfinished, path);
}
