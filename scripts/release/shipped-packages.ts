/** The npm packages whose code is in a release: those of the server, those in the console's pages, and Bun. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import tailwind from 'bun-plugin-tailwind';
import { project } from './facts.ts';

export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The hash of its archive, as in the lock file. */
  readonly integrity: string;
  readonly part: 'server' | 'console' | 'runtime';
  /** Names of shipped packages that it needs. */
  readonly needs: readonly string[];
  /** Where it is installed; nothing for a runtime of another platform. */
  readonly folder: string;
}

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

type Lock = Readonly<Record<string, LockedPackage>>;

const modules = 'node_modules/';
/** Its style sheets are in the console's, but no script imports it. */
const styleFolders = ['node_modules/tailwindcss', 'node_modules/@fontsource-variable/geist-mono'];

export function readLock(): Lock {
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as { packages: Lock };
  return lock.packages;
}

/** @param runtimes Bun's packages in this release, such as `bun-linux-x64`. */
export async function shippedPackages(lock: Lock, runtimes: readonly string[]): Promise<ShippedPackage[]> {
  const server = Object.keys(lock).filter(
    (folder) => folder !== '' && lock[folder]?.dev !== true && lock[folder]?.optional !== true,
  );
  const console = [...new Set([...(await bundledFolders()), ...styleFolders])];
  const parts: [string, ShippedPackage['part']][] = [
    ...server.map((folder): [string, 'server'] => [folder, 'server']),
    ...console.filter((folder) => !server.includes(folder)).map((folder): [string, 'console'] => [folder, 'console']),
    ...runtimes.map((name): [string, 'runtime'] => [`${modules}@oven/${name}`, 'runtime']),
  ];
  const names = new Set(parts.map(([folder]) => nameOf(folder)));
  return parts
    .map(([folder, part]) => shipped(folder, part, lock[folder], names))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function shipped(
  folder: string,
  part: ShippedPackage['part'],
  locked: LockedPackage | undefined,
  names: ReadonlySet<string>,
): ShippedPackage {
  const { version, license, integrity } = locked ?? {};
  if (version === undefined || license === undefined || integrity === undefined)
    throw new Error(`package-lock.json does not say which version, license and hash ${folder} has.`);
  const needed = { ...locked?.dependencies, ...locked?.optionalDependencies };
  const needs = Object.keys(needed).filter((name) => names.has(name));
  return { name: nameOf(folder), version, license, integrity, part, needs, folder };
}

function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf(modules) + modules.length);
}

/** By the bundler's own list of what it read, so that a package of which only types are used is not in it. */
async function bundledFolders(): Promise<string[]> {
  const { metafile } = await Bun.build({
    entrypoints: [join(project, 'src/console/main.tsx')],
    target: 'browser',
    splitting: true,
    metafile: true,
    plugins: [tailwind],
    define: { 'process.env.NODE_ENV': '"production"', withGallery: 'false' },
  });
  const read = Object.values(metafile?.outputs ?? {}).flatMap(({ inputs }) => Object.keys(inputs));
  const folder = /(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//;
  const folders = read.flatMap((path) => folder.exec(path)?.[1] ?? []);
  return [...new Set(folders)].toSorted();
}
