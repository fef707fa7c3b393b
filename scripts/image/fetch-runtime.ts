/** Fetches Bun's program for a platform: the npm package of the pinned version, checked against the lock file. */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runTool } from './run-tool.ts';

const project = join(import.meta.dir, '../..');

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;
}

/** The path of the program of `@oven/NAME` (`bun-linux-aarch64`, `bun-linux-x64-baseline`, …), kept below `folder`. */
export function fetchRuntime(name: string, folder: string): string {
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as LockFile;
  const { version, integrity } = lock.packages[`node_modules/@oven/${name}`] ?? {};
  if (version === undefined || integrity === undefined) throw new Error(`package-lock.json has no @oven/${name}.`);
  const kept = join(folder, `${name}-${version}`);
  const program = join(kept, 'package/bin/bun');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const partial = mkdtempSync(join(folder, `${name}-`));
  try {
    const packed = runTool(['npm', 'pack', '--silent', '--pack-destination', partial, `@oven/${name}@${version}`], {
      cwd: partial,
    });
    const archive = join(partial, packed.trim().split('\n').at(-1) ?? '');
    const hash = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
    if (hash !== integrity)
      throw new Error(`@oven/${name}@${version} has the hash ${hash}, the lock file has ${integrity}.`);
    runTool(['tar', '-xzf', archive, '-C', partial]);
    rmSync(archive);
    renameSync(partial, kept);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return program;
}
