/** `weir apply` and `weir export` beside a running Weir, which enforces what the documented example says. */

import { expect, setDefaultTimeout } from 'bun:test';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { IssuedSecret } from '../../src/cli/apply/draft.ts';
import { errorOf, post, scripted } from '../harness/chat.ts';
import { ConsoleClient } from '../harness/console-client.ts';
import { needing } from '../harness/needs.ts';
import { weirProgram } from '../harness/program.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type CommandResult, type RunningWeir, runWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(120_000);

const documented = readFileSync(join(import.meta.dir, '../../docs/organisations-as-code.md'), 'utf8');
const example = /```yaml\n([\s\S]*?)```/.exec(documented)?.[1] ?? '';
const variables = { UP_API_KEY: 'sk-upstream', OPS_SLACK_URL: 'https://hooks.example.com/T0/secret-part' };
const password = 'a password for the admin';

for (const database of ['sqlite', 'postgres'] as const) {
  const { afterAll, beforeAll, describe, test } = needing(database);
  describe(`apply beside a running Weir on ${database}`, () => {
    let upstream: RunningUpstream;
    let weir: RunningWeir;
    let text: string;
    const fileOf = (name: string): string => join(weir.dataFolder, name);

    beforeAll(async () => {
      upstream = await startUpstream();
      weir = await startWeir({ database, env: { WEIR_ADMIN_PASSWORD: password } });
      text = example.replace('http://127.0.0.1:8089/v1', upstream.base);
    });
    afterAll(async () => {
      await weir?.remove();
      await upstream?.stop();
    });

    async function apply(content: string, ...flags: readonly string[]): Promise<CommandResult> {
      const file = fileOf(`org-${crypto.randomUUID()}.yaml`);
      await Bun.write(file, content);
      return runWeir(['apply', '-f', file, ...flags], { ...weir.environment, ...variables });
    }
    const call = (token: string) => post({ base: weir.base, token }, scripted({}, { model: 'fast', max_tokens: 20 }));

    test('a dry run changes nothing; the documented example is made, and the server serves and refuses by it', async () => {
      const planned = await apply(text, '--dry-run', '--exit-code');
      expect([planned.code, planned.stderr]).toEqual([2, expect.stringContaining('nothing was changed')]);
      expect((await weir.command('team', 'list')).stderr).toContain('No teams yet');
      const secretsFile = fileOf('secrets.json');
      const written = await apply(text, '--secrets-out', secretsFile);
      expect([written.code, written.stdout]).toEqual([0, planned.stdout]);
      expect(statSync(secretsFile).mode & 0o777).toBe(0o600);
      const { secrets } = (await Bun.file(secretsFile).json()) as { readonly secrets: readonly IssuedSecret[] };
      const tokenOf = (name: string) => secrets.find((each) => each.name === name)?.secret ?? '';
      const service = tokenOf('Search/Ranking/ranking-service');
      await until(async () => (await call(service)).status === 200);
      // The project has two requests a day.
      expect((await call(service)).status).toBe(200);
      const refused = await call(service);
      expect([refused.status, (await errorOf(refused)).message]).toEqual([
        402,
        expect.stringContaining('of the project "Ranking"'),
      ]);
      expect((await call(tokenOf('Search/laptop of jan@example.com'))).status).toBe(200);
      const jan = secrets.find(({ kind, name }) => kind === 'person' && name === 'jan@example.com');
      const client = new ConsoleClient(weir);
      const body = { name: 'jan@example.com', password: jan?.secret };
      expect((await client.call('POST', '/session', { body })).body).toMatchObject({ restriction: 'password' });
    });

    test('the same file and the export change nothing; a raised limit reaches the server', async () => {
      for (const flags of [[], ['--dry-run', '--exit-code']]) {
        expect(await apply(text, ...flags)).toMatchObject({
          code: 0,
          stdout: '',
          stderr: expect.stringContaining('Nothing to change.'),
        });
      }
      const { stdout: exported, code } = await weir.command('export');
      expect([code, exported]).toEqual([0, expect.not.stringMatching(/weir_|sk-upstream|secret-part/)]);
      const child = Bun.spawn([...weirProgram, 'apply', '-f', '-'], {
        env: { PATH: process.env['PATH'] ?? '', ...weir.environment },
        stdin: new TextEncoder().encode(exported),
        stdout: 'pipe',
        stderr: 'pipe',
      });
      const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
      expect([await child.exited, out, err]).toEqual([0, '', expect.stringContaining('Nothing to change.')]);
      const more = await apply(text.replace('limit: 2, period: day', 'limit: 100, period: day'));
      expect(more.stdout).toBe('~ project Search/Ranking: budget requests/day 2 → 100\n');
      const rotated = await weir.command('token', 'rotate', 'ranking-service');
      await until(async () => (await call(rotated.stdout.trim())).status === 200);
    });

    test('a mistake in line 40 names its key and line and changes nothing', async () => {
      const before = (await weir.command('export')).stdout;
      const lines = text.replace('Ads: {}', 'Ads: {}\n  New: {}').split('\n');
      const rpm = lines.findIndex((line) => line.trim() === 'rpm: 600');
      lines.splice(rpm, 1, ...Array(40 - rpm - 1).fill('      # more'), '      rpmm: 600');
      const { code, stdout, stderr } = await apply(lines.join('\n'));
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('.yaml has a mistake. Nothing was changed.\n');
      expect(stderr).toContain('teams.Search.terms.rpmm (line 40): is not a known key; did you mean rpm?');
      expect((await weir.command('export')).stdout).toBe(before);
    });

    test('--prune revokes what the file does not name, and running requests see it', async () => {
      const made = await weir.command('token', 'create', '--name', 'stray');
      const stray = made.stdout.trim();
      await until(async () => (await call(stray)).status === 200);
      expect((await apply(text)).stderr).toContain('--prune removes them.');
      const { stdout } = await apply(text, '--prune');
      expect(stdout).toContain('- token stray (revoked)\n');
      await until(async () => (await call(stray)).status === 401);
      const admin = new ConsoleClient(weir);
      await admin.call('POST', '/session', { body: { name: 'admin', password } });
      const { body } = await admin.call('GET', '/audit?action=token-revoke');
      expect(JSON.stringify(body)).toContain('weir apply (');
    });

    // These do not depend on the database.
    if (database === 'sqlite') {
      test('the mistakes that the document shows are reported so', async () => {
        const wrong = text
          .replace('mara@example.com: admin', 'mra@example.com: admin')
          .replace('budget_usd', 'budgt_usd');
        const shown = [...documented.matchAll(/^ {2}\S+ \(line \d+\): .*?(?=…|$)/gm)].map(([line]) => line);
        expect(shown).toHaveLength(2);
        const { stderr } = await apply(wrong);
        for (const line of shown) expect(stderr).toContain(line);
      });

      test('what cannot be read or written is reported before anything changes', async () => {
        expect(await weir.command('apply', '-f', 'absent.yaml')).toMatchObject({
          code: 1,
          stderr: 'absent.yaml cannot be read.\n',
        });
        expect((await weir.command('apply')).code).toBe(2);
        expect((await weir.command('apply', '-f', 'x', '--prunes')).stderr).toContain('Did you mean --prune?');
        const taken = await apply('tokens: [{ name: next }]', '--secrets-out', fileOf('secrets.json'));
        expect([taken.code, taken.stderr]).toEqual([
          2,
          expect.stringContaining('exists already. Nothing was changed.'),
        ]);
        expect((await weir.command('token', 'show', 'next')).code).toBe(1);
        expect((await weir.command('export', '-o', fileOf('secrets.json'))).code).toBe(2);
      });
    }
  });
}
