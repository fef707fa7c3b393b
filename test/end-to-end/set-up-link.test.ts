/** `weir set-up-link` beside a running Weir: a link that works while there is no account, and what to do where there is one. */

import { expect, setDefaultTimeout } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConsoleClient, setUpCodes } from '../harness/console-client.ts';
import { needing } from '../harness/needs.ts';
import { runWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

for (const database of ['sqlite', 'postgres'] as const) {
  const { test } = needing(database);
  test(`${database}: the printed link creates the owner, once`, async () => {
    const weir = await startWeir({ database });
    try {
      const printed = await weir.command('set-up-link');
      expect([printed.code, printed.stderr]).toEqual([0, expect.stringContaining('works once, within a day')]);
      // Nothing but the link, so that a script can take it.
      expect(printed.stdout).toMatch(new RegExp(`^${weir.url}/console/set-up#[\\w-]+\\n$`));
      const [code] = setUpCodes(printed.stdout);
      const owner = new ConsoleClient(weir);
      const made = await owner.post('/set-up', { code, name: 'Olga', password: 'a long password' });
      expect(made.body).toMatchObject({ account: { name: 'Olga', role: 'owner' } });

      const refused = await weir.command('set-up-link');
      expect([refused.code, refused.stdout]).toEqual([1, '']);
      expect(refused.stderr).toContain(`sign in at ${weir.url}/console`);
      expect(refused.stderr).toContain('WEIR_ADMIN_PASSWORD');
    } finally {
      await weir.remove();
    }
  });
}

const { test } = needing('sqlite');

test('the link has the public URL where one is set, and the command takes no arguments', async () => {
  const weir = await startWeir({ env: { WEIR_SERVER_PUBLIC_URL: 'https://weir.example' } });
  try {
    const empty = await mkdtemp(join(tmpdir(), 'weir-test-'));
    expect((await weir.command('set-up-link')).stdout).toStartWith('https://weir.example/console/set-up#');
    const help = await weir.command('set-up-link', '--help');
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('Usage: weir set-up-link')]);
    const elsewhere = await runWeir(['set-up-link'], { ...weir.environment, WEIR_DATA: empty });
    expect([elsewhere.code, elsewhere.stdout, elsewhere.stderr]).toEqual([
      1,
      '',
      expect.stringContaining(`There is no database in ${empty}.`),
    ]);
    await rm(empty, { recursive: true });
    for (const wrong of ['now', '--now']) expect((await weir.command('set-up-link', wrong)).code).toBe(2);
  } finally {
    await weir.remove();
  }
});
