/** What `weir token` prints, where it prints it, and how it refuses. */

import { beforeEach, describe, expect, test } from 'bun:test';
import { fixedKeys } from '../../test/harness/fixed-keys.ts';
import { createMemoryTokenTable, type MemoryTokenTable } from '../../test/harness/token-table.ts';
import { mintToken, shapeFault } from '../access/token-format.ts';
import { createTokenAdmin } from '../admin/tokens/tokens.ts';
import { createDigests } from '../secrets/digests.ts';
import { tokenCommand } from './token.ts';

const digests = createDigests(fixedKeys(new Uint8Array(32)));
const digest = digests.of;
let tokens: MemoryTokenTable;
let ids = 0;
let stdout = '';
let stderr = '';

beforeEach(() => {
  tokens = createMemoryTokenTable();
  ids = 0;
});

async function run(...argv: string[]): Promise<number> {
  stdout = '';
  stderr = '';
  const none = undefined;
  return tokenCommand(
    {
      tokens: createTokenAdmin({
        tokens,
        digests,
        mint: mintToken,
        nowMs: () => Date.parse('2030-01-01T10:20:30Z'),
        newId: () => `tok_${ids++}`,
        defaults: {
          rpm: none,
          tpm: none,
          concurrency: none,
          models: none,
          expiresInDays: none,
          budgetUsd: none,
          budgetPeriod: 'month',
          perPersonMax: 50,
        },
        endpoints: ['chat', 'models'],
        budgetState: async () => ({ spentNano: 42_000n, heldNano: 0n }),
      }),
      units: async () => [
        { id: 'team_1', kind: 'team', parentId: 'org', name: 'Search', terms: {}, createdAtMs: 0 },
        { id: 'proj_1', kind: 'project', parentId: 'team_1', name: 'Ranking', terms: {}, createdAtMs: 0 },
        { id: 'team_2', kind: 'team', parentId: 'org', name: 'Other', terms: {}, createdAtMs: 0 },
      ],
      out: (text) => {
        stdout += text;
      },
      err: (text) => {
        stderr += text;
      },
    },
    argv,
  );
}

describe('create', () => {
  test('prints the token alone on standard output, and the sentence without it elsewhere', async () => {
    expect(await run('create', '--name', 'my app')).toBe(0);
    expect(stdout.endsWith('\n')).toBe(true);
    const token = stdout.slice(0, -1);
    expect(shapeFault(token)).toBeUndefined();
    expect((await tokens.byDigest(digest(token)))?.terms.name).toBe('my app');
    expect(stderr).toContain('my app');
    expect(stderr).not.toContain(token.slice(9, 25));
  });

  test('takes every flag', async () => {
    const lists = ['--models', 'gpt-*, up/x', '--endpoints=chat', '--addresses', '10.0.0.0/8,::1', '--tools=web_*'];
    const limits = ['--rpm', '5', '--tpm', '6', '--concurrency', '7', '--expires', '2031-01-01', '--strict'];
    const gate = ['--moderate', 'after', '--moderation-model', 'judge'];
    const routing = ['--label', 'team-a, eu', '--may-steer', '--label=ci', '--may-explain'];
    expect(
      await run(
        ...['create', '--name=x', '--budget-usd', '$1.5', '--budget-period', 'week'],
        ...[...lists, ...limits, ...gate, ...routing],
      ),
    ).toBe(0);
    expect((await tokens.byId('tok_0'))?.terms).toEqual({
      name: 'x',
      budget: { limitNano: 1_500_000_000n, period: 'week' },
      models: ['gpt-*', 'up/x'],
      endpoints: ['chat'],
      addresses: ['10.0.0.0/8', '::1'],
      tools: ['web_*'],
      rpm: 5,
      tpm: 6,
      concurrency: 7,
      expiresAtMs: Date.parse('2031-01-01'),
      strict: true,
      moderation: { after: true, model: 'judge' },
      labels: ['team-a', 'eu', 'ci'],
      maySteer: true,
      mayExplain: true,
    });
  });

  test('--no-tools is a list without entries, which is not the same as no list', async () => {
    await run('create', '--name', 'a', '--no-tools');
    await run('create', '--name', 'b');
    expect([(await tokens.byId('tok_0'))?.terms.tools, (await tokens.byId('tok_1'))?.terms.tools]).toEqual([
      [],
      undefined,
    ]);
    await run('show', 'a');
    expect(stdout).toContain('tools      none\n');
    await run('show', 'b');
    expect(stdout).toContain('tools      default\n');
  });

  test('--team and --project put it there, by name or ID', async () => {
    expect(await run('create', '--name', 'a', '--team', 'SEARCH')).toBe(0);
    expect(await run('create', '--name', 'b', '--team', 'team_1', '--project', 'ranking')).toBe(0);
    const units = await Promise.all(['tok_0', 'tok_1'].map(async (id) => (await tokens.byId(id))?.unitId));
    expect(units).toEqual(['team_1', 'proj_1']);
    expect(await run('create', '--name', 'c', '--team', 'none')).toBe(1);
    expect(stderr).toBe('No team has this ID or name.\n');
    expect(await run('create', '--name', 'c', '--team', 'Other', '--project', 'Ranking')).toBe(1);
    expect(stderr).toBe('No project of this team has this ID or name.\n');
    expect(await run('create', '--name', 'c', '--project', 'Ranking')).toBe(2);
    expect(stderr).toContain('--project needs --team');
    await run('show', 'b');
    expect(stdout).toContain('team       proj_1\n');
  });

  test('--json prints one object with the token and what it may do', async () => {
    expect(await run('create', '--name', 'x', '--budget-usd', '2', '--json')).toBe(0);
    const printed = JSON.parse(stdout);
    expect(printed).toMatchObject({ id: 'tok_0', name: 'x', state: 'active', budget: { limitUsd: '2.00' } });
    expect(await tokens.byDigest(digest(printed.token))).toBeDefined();
    expect(stderr).toBe('');
  });

  test.each([
    [['create'], '--name: is required'],
    [['create', '--name', 'x', '--budget-usd', '0'], '--budget-usd: must be an amount above 0'],
    [['create', '--name', 'x', '--rpm', 'many'], '--rpm: must be a whole number'],
    [['create', '--name', 'x', '--rpm', '1.5'], '--rpm: must be a whole number'],
    [['create', '--name', 'x', '--expires', '2020-01-01'], '--expires: must be in the future'],
    [['create', '--name', 'x', '--endpoints', 'caht'], '--endpoints: must be one of chat, models'],
    [['create', '--name', 'x', '--moderate', 'always'], '--moderate: must be one of before, after, both'],
    [['create', '--name', 'x', '--moderation-model', 'm'], '--moderation-model: choose what to moderate first'],
    [['create', '--name', 'x', '--label', 'a b'], '--label: must be letters, digits, _, . or -'],
    [['create', '--name', 'x', '--label', 'a,'], '--label: must be letters, digits, _, . or -'],
    [['create', '--name', 'x', '--may-steer=yes'], '--may-steer takes no value.'],
    [['create', '--name', 'x', '--budgetusd', '1'], 'Did you mean --budget-usd?'],
    [['craete'], 'Unknown command: token craete.'],
    [['list', '--limit', '0'], '--limit must be a whole number from 1 to 10000.'],
    [['rotate', 'x', '--overlap-minutes', '-1'], '--overlap-minutes must be a whole number.'],
    [['show'], 'An argument is missing.'],
  ])('%p is refused: %s', async (argv, message) => {
    expect(await run(...argv)).toBe(2);
    expect(stderr).toContain(message);
    expect(stdout).toBe('');
    expect(await tokens.list({ limit: 1 })).toEqual([]);
  });
});

describe('the others', () => {
  test('list: friendly when empty, aligned otherwise', async () => {
    expect(await run('list')).toBe(0);
    expect([stdout, stderr]).toEqual(['', 'No tokens yet. Create one with `weir token create --name my-app`.\n']);
    expect(await run('list', '--json')).toBe(0);
    expect(stdout).toBe('[]\n');
    await run('create', '--name', 'a');
    const limits = ['--rpm', '5', '--concurrency', '2', '--budget-usd', '0.000042'];
    await run('create', '--name', 'a longer name', ...limits, '--label', 'eu,ci', '--may-steer', '--may-explain');
    expect(await run('list')).toBe(0);
    const lines = stdout.split('\n').map((line) => line.replace(/weir_\w{4}…/, 'weir_xxxx…'));
    expect(lines).toEqual([
      'ID     NAME           TOKEN       STATE   CREATED (UTC)     LIMITS               BUDGET           LABELS  MAY',
      'tok_1  a longer name  weir_xxxx…  active  2030-01-01 10:20  5 rpm, 2 concurrent  $0.000042 total  eu, ci  steer, explain',
      'tok_0  a              weir_xxxx…  active  2030-01-01 10:20  -                    -                -       -',
      '',
    ]);
    expect(await run('list', '--limit', '1')).toBe(0);
    expect(stderr).toContain('There are more');
  });

  test('show, revoke and rotate find a token by its name', async () => {
    await run('create', '--name', 'app', '--budget-usd', '1', '--budget-period', 'day');
    expect(await run('show', 'app')).toBe(0);
    expect(stdout).toContain('budget     $1.00 per day\nspent      $0.000042\n');
    expect(await run('rotate', 'app', '--overlap-minutes', '5')).toBe(0);
    expect(shapeFault(stdout.trim())).toBeUndefined();
    expect(stderr).toContain('5 more minutes');
    expect(await run('revoke', 'app')).toBe(0);
    expect(stdout).toBe('');
    expect(await run('show', 'app', '--json')).toBe(0);
    expect(JSON.parse(stdout).state).toBe('revoked');
    expect(await run('rotate', 'app')).toBe(1);
    expect(await run('show', 'nobody')).toBe(1);
    expect(stderr).toBe('No token has this ID or name.\n');
  });

  test('show names the labels and rights, and says where there are none', async () => {
    await run('create', '--name', 'plain');
    await run('create', '--name', 'ci', '--label', 'eu', '--may-explain');
    await run('show', 'plain');
    expect(stdout).toContain('labels     none\nmay        none\n');
    await run('show', 'ci');
    expect(stdout).toContain('labels     eu\nmay        explain\n');
    await run('show', 'ci', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ labels: ['eu'], maySteer: false, mayExplain: true });
  });

  test.each([[[]], [['--help']], [['create', '--help']], [['show', '-h']]])('%p explains', async (argv: string[]) => {
    expect(await run(...argv)).toBe(0);
    expect(stdout).toStartWith('Usage:');
  });

  test('a name that came from elsewhere cannot steer the terminal', async () => {
    await tokens.insert({ id: 'evil', hint: '', createdAtMs: 0, terms: { name: 'x\u001b[2J\u202e' } }, 'd');
    for (const argv of [['list'], ['show', 'evil'], ['revoke', 'evil']]) {
      await run(...argv);
      expect(stdout + stderr).not.toMatch(/[\u001b\u202e]/);
    }
  });
});
