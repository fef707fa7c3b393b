/** Suites that need a service or a program: where the machine lacks it, every test counts as skipped and no hook runs. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from 'bun:test';
import { pgbouncerProgram } from './pgbouncer.ts';

export type ServiceName = 'postgres' | 'redis' | 'nginx' | 'chromium' | 'prometheus';

const toolNames = [
  'curl',
  'prlimit',
  'pgbouncer',
  'dpkg-deb',
  'systemd-analyze',
  'pg_dump',
  'pg_restore',
  'faketime',
] as const;
type ToolName = (typeof toolNames)[number];

/** Debian keeps some programs out of the path of ordinary users. */
const isThere = (name: ToolName): boolean =>
  name === 'pgbouncer' ? pgbouncerProgram() !== undefined : Bun.which(name) !== null;

/** The runner reports what the machine lacks; a file that is run by itself assumes that everything is there. */
const missing = new Set([
  ...(process.env['WEIR_TEST_WITHOUT'] ?? '').split(','),
  ...toolNames.filter((name) => !isThere(name)),
]);

export function hasService(name: ServiceName): boolean {
  return !missing.has(name);
}

const suite = { describe, test, beforeAll, afterAll, beforeEach, afterEach };
const noHook = (): void => undefined;
// `skip` is called like the function it belongs to, its `each` included.
const skipped = {
  describe: describe.skip as typeof describe,
  test: test.skip as typeof test,
  beforeAll: noHook as typeof beforeAll,
  afterAll: noHook as typeof afterAll,
  beforeEach: noHook as typeof beforeEach,
  afterEach: noHook as typeof afterEach,
};

/** The functions of `bun:test`, for tests that need these services and programs. `sqlite` is always there. */
export function needing(...names: readonly (ServiceName | ToolName | 'sqlite')[]): typeof suite {
  return names.some((name) => missing.has(name)) ? skipped : suite;
}

export function hasDatabase(name: 'sqlite' | 'postgres'): boolean {
  return name === 'sqlite' || hasService(name);
}
