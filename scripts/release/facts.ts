/** What a release is: its version, the commit it is built from, and the one time that everything in it has. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../src/gateway/version.ts';

export const project = join(import.meta.dir, '../..');

export interface ReleaseFacts {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Absent where the sources are no clone. */
  readonly commit?: string;
  /** Tracked files that differ from the commit. */
  readonly changed: readonly string[];
  /** The time of the commit, or SOURCE_DATE_EPOCH, so that a release can be built again. */
  readonly seconds: number;
}

export function releaseFacts(): ReleaseFacts {
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as Record<string, string>;
  if (manifest['version'] !== version)
    throw new Error(`package.json has the version ${manifest['version']}, src/gateway/version.ts ${version}.`);
  const [commit, committedAt] = git('log', '-1', '--format=%H %ct')?.split(' ') ?? [];
  const status = git('status', '--porcelain', '--untracked-files=no') ?? '';
  return {
    name: manifest['name'] ?? '',
    version,
    description: manifest['description'] ?? '',
    ...(commit !== undefined && { commit }),
    changed: status.split('\n').filter((line) => line !== ''),
    seconds: Number(process.env['SOURCE_DATE_EPOCH'] ?? committedAt ?? 0),
  };
}

function git(...words: readonly string[]): string | undefined {
  if (Bun.which('git') === null) return undefined;
  const { exitCode, stdout } = Bun.spawnSync(['git', ...words], { cwd: project, stderr: 'ignore' });
  return exitCode === 0 ? stdout.toString().trim() : undefined;
}
