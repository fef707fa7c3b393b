/** An older Weir to upgrade from: its sources out of git's history, in a folder of their own, run with this checkout's packages. */

import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '../../src/store/migrations/migrations.ts';

export interface OlderRelease {
  /** What was taken, for the report. */
  readonly name: string;
  /** The newest step of the schema that it knows. */
  readonly schema: number;
  /** Starts it. */
  readonly program: readonly string[];
  remove(): void;
}

const root = join(import.meta.dir, '../..');

function git(...words: string[]): string | undefined {
  if (Bun.which('git') === null) return undefined;
  const done = Bun.spawnSync(['git', ...words], { cwd: root, stderr: 'ignore' });
  return done.exitCode === 0 ? done.stdout.toString().trim() : undefined;
}

interface Commit {
  readonly commit: string;
  readonly name: string;
}

/** The newest tag of a version; without tags the last commit that has not the newest step of the schema: its neighbor. */
function olderCommit(): Commit | undefined {
  const given = process.env['WEIR_UPGRADE_FROM'];
  if (given !== undefined && given !== '') return { commit: given, name: given };
  const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', '--match', '[0-9]*');
  if (tag !== undefined) return { commit: tag, name: tag };
  return commitBefore(migrations.at(-1)?.version ?? 0);
}

/** The last commit that has not this step of the schema. */
function commitBefore(step: number): Commit | undefined {
  const newest = String(step).padStart(4, '0');
  const pattern = `src/store/migrations/**/${newest}-*.ts`;
  const added = git('log', '--diff-filter=A', '--format=%H', '--', `:(glob)${pattern}`)?.split('\n').at(-1);
  if (added === undefined) return undefined;
  // Not committed yet: the present commit is the older release.
  const commit = added === '' ? 'HEAD' : `${added}^`;
  const found = git('rev-parse', '--short', '--verify', `${commit}^{commit}`);
  return found === undefined ? undefined : { commit: found, name: `the commit before step ${newest}, ${found}` };
}

/** The one before this step of the schema, the newest one unless given. A text is the reason why there is none. */
export function olderRelease(step?: number): OlderRelease | string {
  const found = step === undefined ? olderCommit() : commitBefore(step);
  if (found === undefined) return 'there is no git history to take an older release from';
  const folder = mkdtempSync(join(tmpdir(), 'weir-older-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const script = 'git archive "$1" bin package.json src tsconfig.json | tar -x -C "$2"';
  const made = Bun.spawnSync(['sh', '-c', script, 'sh', found.commit, folder], { cwd: root });
  if (made.exitCode !== 0 || !existsSync(join(folder, 'src/main.ts')))
    return `the sources of ${found.name} could not be read: ${made.stderr.toString()}`;
  const lacking = dependenciesOf(folder).filter((name) => !existsSync(join(root, 'node_modules', name)));
  if (lacking.length > 0) return `${found.name} needs packages that are not installed: ${lacking.join(', ')}`;
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const steps = newestStepIn(join(folder, 'src/store/migrations/migrations.ts'));
  return { name: found.name, schema: steps, program: [process.execPath, join(folder, 'src/main.ts')], remove };
}

function dependenciesOf(folder: string): string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  return Object.keys(dependencies);
}

/** Its steps are imported one by one, by number. */
function newestStepIn(file: string): number {
  const numbers = [...readFileSync(file, 'utf8').matchAll(/\/(\d{4})-[\w-]+\.ts'/g)].map(([, number]) =>
    Number(number),
  );
  return Math.max(...numbers);
}
