/** What `weir usage` asks for and how it shows it. */

import { describe, expect, test } from 'bun:test';
import { createUsageAdmin, type UnpricedUse, type UsageFilter, type UsageSum } from '../../admin/usage/usage.ts';
import type { AttemptRow, RequestError, UsageRow } from '../../ledger/ledger.ts';
import { usageCommand } from './usage.ts';

const nowMs = Date.parse('2030-01-31T00:00:00Z');
const hourMs = 3_600_000;

const row: UsageRow = {
  requestId: 'req_1',
  atMs: nowMs - 1_500,
  tokenId: 'tok_1',
  endpoint: 'chat',
  model: 'gpt\u001b[31m',
  provider: 'up',
  upstreamModel: 'gpt',
  stream: true,
  attempts: 1,
  status: 200,
  code: '',
  usage: { input: { total: 12 }, output: {} },
  costNano: 42_000n,
  estimated: true,
  priceVersion: 'operator',
  totalMs: 812.4,
  bytesIn: 1,
  bytesOut: 2,
};
const sum: UsageSum = {
  key: 'tok_1',
  label: 'my app',
  requests: 3,
  failures: 1,
  inputTokens: 10,
  outputTokens: 20,
  costNano: 1_500_000_000n,
  unpriced: 0,
};

const { label: _label, ...unnamed } = sum;

const attempt = (ordinal: number, given: Partial<AttemptRow>): AttemptRow => ({
  attemptId: `req_1.${ordinal}`,
  tokenId: 'tok_1',
  provider: 'up',
  model: 'gpt',
  keyId: 'UP_KEY',
  verdict: '',
  atMs: nowMs - 1_500 + ordinal,
  settledAtMs: nowMs - 1_400 + ordinal,
  costNano: 0n,
  estimated: false,
  ...given,
});
const trails: Readonly<Record<string, readonly AttemptRow[]>> = {
  req_1: [
    attempt(1, { verdict: 'key-cooling' }),
    attempt(2, { provider: 'up\u001b[31m', keyId: undefined, verdict: undefined }),
    attempt(3, { keyId: '', costNano: 42_000n, estimated: true }),
  ],
  runs: [attempt(1, { verdict: undefined, settledAtMs: undefined, costNano: undefined })],
};

const errors: Readonly<Record<string, readonly RequestError[]>> = {
  req_1: [
    { requestId: 'req_1', attempt: 0, atMs: nowMs, provider: '', keyId: '', code: 'x', message: 'All failed.' },
    {
      ...{ requestId: 'req_1', attempt: 1, atMs: nowMs, provider: 'up', keyId: 'UP_KEY', status: 429, code: 'x' },
      message: 'Slow\u001b[31m\ndown.',
    },
  ],
};

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly asked: readonly unknown[];
}

async function run(
  argv: readonly string[],
  rows: readonly UsageRow[] = [row],
  sums: readonly UsageSum[] = [sum],
  unpriced: readonly UnpricedUse[] = [],
): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  const asked: unknown[] = [];
  const usage = createUsageAdmin({
    usage: {
      async list(filter: UsageFilter, limit) {
        asked.push('list', filter, limit);
        return rows;
      },
      async sum(grouping, filter, limit) {
        asked.push(grouping, filter, limit);
        return sums;
      },
      async unpriced(fromMs, toMs, limit) {
        asked.push('unpriced', fromMs, toMs, limit);
        return unpriced;
      },
      byId: async (id) => (id === row.requestId ? row : undefined),
      attemptsOf: async (id) => trails[id] ?? [],
      errorsOf: async (id) => errors[id] ?? [],
    },
  });
  const out = (text: string): void => {
    stdout += text;
  };
  const err = (text: string): void => {
    stderr += text;
  };
  const code = await usageCommand({ usage, nowMs: () => nowMs, out, err }, argv);
  return { code, stdout, stderr, asked };
}

describe('usage', () => {
  test('lists the latest requests, with unknown and estimated figures marked', async () => {
    const { code, stdout, asked } = await run([]);
    expect(code).toBe(0);
    expect(asked).toEqual(['list', {}, 20]);
    expect(stdout).toBe(
      [
        'TIME (UTC)           MODEL     PROVIDER  STATUS  INPUT  OUTPUT        COST   MS  REQUEST',
        '2030-01-30 23:59:58  gpt�[31m  up        200        12       ?  ~$0.000042  812  req_1',
        '',
      ].join('\n'),
    );
  });

  test('sums by token under its name, of the last 30 days', async () => {
    const { stdout, asked } = await run(['--by', 'token']);
    expect(asked).toEqual(['token', { fromMs: nowMs - 30 * 24 * hourMs }, 100]);
    expect(stdout).toContain(
      'TOKEN   REQUESTS  FAILED  INPUT  OUTPUT   COST\nmy app         3       1     10      20  $1.50\n',
    );
  });

  test('days are written as dates', async () => {
    const { stdout } = await run(['--by=day', '--json'], [], [{ ...unnamed, key: String(nowMs) }]);
    expect(JSON.parse(stdout)).toEqual([
      {
        key: '2030-01-31',
        label: '2030-01-31',
        requests: 3,
        failures: 1,
        inputTokens: 10,
        outputTokens: 20,
        costUsd: '1.50',
        costNano: '1500000000',
        unpriced: 0,
      },
    ]);
  });

  test('--json prints rows that hold what is known', async () => {
    const printed = JSON.parse((await run(['--json'])).stdout);
    expect(printed[0]).toMatchObject({ requestId: 'req_1', inputTokens: 12, costNano: '42000', costUsd: '0.000042' });
    expect(printed[0]).not.toHaveProperty('outputTokens');
  });

  test('what no price is known for is `?`, null in JSON, and a guess says whose price it is', async () => {
    const unknown = { ...row, priceVersion: '', costNano: 0n };
    const guessed = { ...row, estimated: false, priceVersion: 'guess: genai-prices@0.1.8 openai' };
    const failed = { ...row, priceVersion: '', costNano: 0n, usage: { input: {}, output: {} }, estimated: false };
    const { stdout } = await run([], [unknown, guessed, failed]);
    const costs = stdout.split('\n').map((line) => /(\S+)\s+812/.exec(line)?.[1]);
    expect(costs.slice(1, 4)).toEqual(['?', '~$0.000042*', '$0.00']);
    expect(stdout).toContain('\n\n? No price set. Run weir usage --unpriced');
    expect(stdout).toContain(
      '\n* Estimated from another provider’s price for the same model (genai-prices@0.1.8 openai).\n',
    );
    const printed = JSON.parse((await run(['--json'], [unknown, guessed, failed])).stdout);
    expect(printed.map((each: { costUsd: unknown; costNano: unknown }) => [each.costUsd, each.costNano])).toEqual([
      [null, null],
      ['0.000042', '42000'],
      ['0.00', '0'],
    ]);
    expect(printed[1]).toMatchObject({ guess: true, priceVersion: 'guess: genai-prices@0.1.8 openai' });
    expect(printed[0]).not.toHaveProperty('priceVersion');
  });

  test('sums say how many requests they leave out, and one of nothing else is unknown', async () => {
    const sums = [
      { ...sum, unpriced: 2 },
      { ...sum, key: 'tok_2', costNano: 0n, unpriced: 3 },
      { ...sum, key: 'tok_3' },
    ];
    const { stdout } = await run(['--by', 'token'], [], sums);
    const lines = stdout.split('\n').map((line) =>
      line
        .split(/\s{2,}/)
        .slice(-2)
        .join(' '),
    );
    expect(lines.slice(0, 4)).toEqual(['COST UNPRICED', '$1.50 2', '? 3', '$1.50 0']);
    expect(stdout).toContain('\n\n5 requests have no price and are not included in these costs.');
    const printed = JSON.parse((await run(['--by', 'token', '--json'], [], sums)).stdout);
    expect(printed.map((each: { costUsd: unknown; unpriced: unknown }) => [each.costUsd, each.unpriced])).toEqual([
      ['1.50', 2],
      [null, 3],
      ['1.50', 0],
    ]);
  });

  test('--unpriced lists models and the lines that set their prices', async () => {
    const used = { provider: 'zai', model: 'glm-4.6', requests: 3, inputTokens: 10, outputTokens: 5, lastAtMs: nowMs };
    const transcribed = { ...used, model: 'a:b', inputTokens: 0, outputTokens: 0, units: { requests: 1, seconds: 2 } };
    const { code, stdout, asked } = await run(['--unpriced'], [], [], [used, transcribed]);
    expect(code).toBe(0);
    expect(asked).toEqual(['unpriced', nowMs - 30 * 24 * hourMs, nowMs, 100]);
    expect(stdout).toContain('zai       glm-4.6         3     10       5  2030-01-31 00:00:00\n');
    expect(stdout).toEndWith(
      [
        'prices:',
        '  zai/glm-4.6:',
        '    input: "USD per 1M input tokens"',
        '    output: "USD per 1M output tokens"',
        '  "zai/a:b":',
        '    minute: "USD per minute of audio"',
        '',
      ].join('\n'),
    );
    expect(JSON.parse((await run(['--unpriced', '--json'], [], [], [transcribed])).stdout)).toEqual([
      {
        provider: 'zai',
        model: 'a:b',
        requests: 3,
        inputTokens: 0,
        outputTokens: 0,
        lastAt: '2030-01-31T00:00:00.000Z',
        units: ['seconds'],
      },
    ]);
    expect((await run(['--unpriced'])).stderr).toBe('All models used in that period have a price.\n');
  });

  test.each([
    ['30m', nowMs - hourMs / 2],
    ['24h', nowMs - 24 * hourMs],
    ['7d', nowMs - 7 * 24 * hourMs],
    ['1w', nowMs - 7 * 24 * hourMs],
    ['2030-01-01', Date.parse('2030-01-01')],
    ['2030-01-01T12:00:00Z', Date.parse('2030-01-01T12:00:00Z')],
  ])('--since %s', async (since, fromMs) => {
    expect((await run(['--since', since])).asked[1]).toEqual({ fromMs });
  });

  test.each([
    [['--since', '24'], '--since must be'],
    [['--since', 'yesterday'], '--since must be'],
    [['--since', '2030-13-45'], '--since must be'],
    [
      ['--by', 'colour'],
      '--by must be one of model, provider, token, label, owner, team, project, user, tag, endpoint, key, code, day.',
    ],
    [['--unpriced', '--by', 'day'], '--unpriced and --by cannot be combined.'],
    [['--limit', '0'], '--limit must be'],
    [['--limit', '10001'], '--limit must be'],
    [['--limit', 'x'], '--limit must be'],
    [['extra'], 'Unexpected argument'],
    [['show'], 'An argument is missing.'],
    [['show', 'req_1', 'req_2'], 'Unexpected argument'],
    [['show', 'req_1', '--by', 'model'], 'Unknown flag --by.'],
  ])('%p is refused', async (argv, message) => {
    const { code, stdout, stderr } = await run(argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  test('the limit reaches its edge', async () => {
    expect((await run(['--limit', '10000'])).asked[2]).toBe(10_000);
  });

  test('show prints what became of one request and its trail', async () => {
    const { code, stdout, stderr } = await run(['show', 'req_1']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      [
        'request       req_1',
        'time          2030-01-30 23:59:58.500 UTC',
        'token         tok_1',
        'endpoint      chat',
        'model         gpt\ufffd[31m',
        'stream        yes',
        'status        200',
        'input tokens  12',
        'cost          ~$0.000042',
        'price         operator',
        'total         812 ms',
        'error         All failed.',
        '',
        'ATTEMPT  TIME (UTC)               PROVIDER  MODEL  KEY     VERDICT       MS        COST',
        '      1  2030-01-30 23:59:58.501  up        gpt    UP_KEY  key-cooling  100       $0.00',
        '      2  2030-01-30 23:59:58.502  up\ufffd[31m   gpt    -       ?            100       $0.00',
        '      3  2030-01-30 23:59:58.503  up        gpt    -       served       100  ~$0.000042',
        '',
        'attempt 1: 429 Slow\ufffd[31m down.',
        '',
      ].join('\n'),
    );
  });

  test('show --json leaves out what is not known', async () => {
    const { attempts, row: shown, ...rest } = JSON.parse((await run(['show', 'req_1', '--json'])).stdout);
    const at = new Date(nowMs).toISOString();
    expect(rest).toEqual({ requestId: 'req_1', error: { at, code: 'x', message: 'All failed.' } });
    expect(attempts[0]?.error).toEqual({ at, status: 429, code: 'x', message: 'Slow\u001b[31m\ndown.' });
    expect(attempts[1]).not.toHaveProperty('error');
    expect(shown).toMatchObject({ requestId: 'req_1', attempts: 1 });
    expect(attempts[1]).not.toHaveProperty('verdict');
    expect(attempts[1]).not.toHaveProperty('keyId');
    expect(attempts[2]).toEqual({
      id: 'req_1.3',
      at: '2030-01-30T23:59:58.503Z',
      provider: 'up',
      model: 'gpt',
      keyId: '',
      verdict: '',
      settledAt: '2030-01-30T23:59:58.603Z',
      totalMs: 100,
      costUsd: '0.000042',
      costNano: '42000',
      estimated: true,
    });
  });

  test('show tells of a request that still runs, and says which is unknown', async () => {
    const running = await run(['show', 'runs']);
    expect(running.stdout).toContain('status   running');
    expect(running.stdout).toContain('UP_KEY  open');
    const unknown = await run(['show', 'x\u001b']);
    expect([unknown.code, unknown.stdout]).toEqual([1, '']);
    expect(unknown.stderr).toStartWith('Request x\ufffd not found.');
  });

  test('is friendly when there is nothing', async () => {
    expect((await run([], [])).stderr).toStartWith('No usage yet.');
    expect((await run(['--by', 'model', '--since', '1h'], [], [])).stderr).toBe('No usage in that period.\n');
    expect((await run(['--json'], [])).stdout).toBe('[]\n');
  });
});
