/** `weir prices update` beside a running Weir: what it refuses, what it holds back, and that past charges stay. */

import { Database } from 'bun:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { post, scripted } from '../harness/chat.ts';
import { pricesHere } from '../harness/price-commands.ts';
import { type FilePrice, type TableFormat, tableFormats, tableTexts } from '../harness/price-files.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type CommandResult, type RunningWeir, startWeir } from '../harness/weir.ts';

const models = ['gpt-4.1', 'gpt-4.1-mini'];

const yamlFor = (upstream: RunningUpstream, more: object = {}): object => ({
  providers: { openai: { kind: 'openai', base_url: upstream.base, key: 'sk-upstream', models } },
  ...more,
});

/** USD per million input tokens, as in the list of models. */
async function inputUsd(weir: RunningWeir, model = 'gpt-4.1'): Promise<number | undefined> {
  const reply = await fetch(`${weir.base}/models/${model}`, { headers: { authorization: `Bearer ${weir.token}` } });
  const { pricing } = (await reply.json()) as { pricing?: { prompt: string } };
  return pricing === undefined ? undefined : Number((Number(pricing.prompt) * 1e6).toPrecision(6));
}

interface Charged {
  readonly id: string;
  readonly usd: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** One request, and the cost in its reply. */
async function charge(weir: RunningWeir): Promise<Charged> {
  const reply = await post(weir, scripted({ deltas: 10 }));
  expect(reply.status).toBe(200);
  const { usage } = (await reply.json()) as { usage: { prompt_tokens: number; completion_tokens: number } };
  return {
    id: reply.headers.get('x-request-id') ?? '',
    usd: Number(reply.headers.get('x-weir-cost-usd')),
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
  };
}

const costOf = ({ inputTokens, outputTokens }: Charged, { input, output }: FilePrice): number =>
  Number(((inputTokens * input + outputTokens * output) / 1e6).toFixed(12));

const bundled: FilePrice = { input: 2, output: 8 };

describe('prices', () => {
  let upstream: RunningUpstream;
  let weir: RunningWeir;
  beforeAll(async () => {
    upstream = await startUpstream(models);
    weir = await startWeir({ yaml: yamlFor(upstream) });
  });
  afterAll(async () => {
    await weir.remove();
    await upstream.stop();
  });
  beforeEach(async () => {
    for (const source of tableFormats) await pricesHere(weir, 'remove', source);
    await until(async () => (await inputUsd(weir)) === bundled.input);
  });

  async function update(text: string): Promise<CommandResult> {
    return pricesHere(weir, 'update', '--file', await fileOf(text));
  }
  /** As a process of its own, as its users run it. */
  async function runUpdate(text: string, ...flags: string[]): Promise<CommandResult> {
    return weir.command('prices', 'update', '--file', await fileOf(text), ...flags);
  }
  async function fileOf(text: string): Promise<string> {
    const path = join(weir.dataFolder, 'table.json');
    await writeFile(path, text);
    return path;
  }

  test.each(
    tableFormats,
  )('a file of %s: a running Weir charges by it, with a diff before and after', async (format) => {
    const before = await charge(weir);
    expect(before.usd).toBe(costOf(before, bundled));
    const text = tableTexts[format]({ 'gpt-4.1': { input: 3, output: 9 }, 'gpt-new': { input: 1, output: 4 } });
    const dry = await runUpdate(text, '--dry-run');
    expect(dry.code).toBe(0);
    expect(dry.stdout).toContain('openai/gpt-4.1  input 2 → 3, output 8 → 9 USD / 1M tokens');
    expect(dry.stdout).toContain('openai/gpt-new  input 1, output 4 USD / 1M tokens');
    expect(dry.stdout).toContain('No changes applied');
    expect(dry.stdout.indexOf('* openai/gpt-4.1')).toBeGreaterThan(0);
    expect(await inputUsd(weir)).toBe(2);
    const done = await update(text);
    expect([done.code, done.stderr]).toEqual([0, '']);
    expect(done.stdout).toContain('0 held, 1 changed, 0 removed, 1 added, 0 unchanged');
    await until(async () => (await inputUsd(weir)) === 3);
    const after = await charge(weir);
    expect(after.usd).toBe(costOf(after, { input: 3, output: 9 }));
    const status = await (format === 'models.dev' ? weir.command('prices', '--json') : pricesHere(weir, '--json'));
    const { tables } = JSON.parse(status.stdout) as { tables: { source: string; models: number }[] };
    expect(tables.map(({ source, models: count }) => [source, count])).toEqual([
      [format, 2],
      ['bundled', undefined],
    ] as never);
  });

  test('charges before an update keep their price', async () => {
    const before = await charge(weir);
    await update(tableTexts['models.dev']({ 'gpt-4.1': { input: 3, output: 9 } }));
    await until(async () => (await inputUsd(weir)) === 3);
    const after = await charge(weir);
    const row = async ({ id }: Charged) => {
      const database = new Database(join(weir.dataFolder, 'weir.db'), { readonly: true });
      database.run('PRAGMA busy_timeout = 60000');
      try {
        const read = () =>
          database
            .query<{ nano: number; version: string }, [string]>(
              'SELECT cost_nano AS nano, price_version AS version FROM usage_rows WHERE request_id = ?',
            )
            .get(id);
        await until(() => read() !== null);
        return read();
      } finally {
        database.close();
      }
    };
    const [old, fresh] = [await row(before), await row(after)];
    expect([old?.nano, fresh?.nano]).toEqual([Math.round(before.usd * 1e9), Math.round(after.usd * 1e9)]);
    expect(old?.version).toStartWith('genai-prices@');
    expect(fresh?.version).toStartWith('models.dev ');
  });

  test('a change of more than ten times is held back until confirmed, and the history has its date', async () => {
    const prices = { 'gpt-4.1': { input: 3, output: 9 }, 'gpt-4.1-mini': { input: 400, output: 1.6 } };
    const done = await runUpdate(tableTexts['models.dev'](prices));
    expect(done.stdout).toContain('1 held, 1 changed');
    expect(done.stdout).toContain('* openai/gpt-4.1-mini  input 0.4 → 400 USD / 1M tokens');
    await until(async () => (await inputUsd(weir)) === 3);
    expect(await inputUsd(weir, 'gpt-4.1-mini')).toBe(0.4);
    const held = await weir.command('prices', 'held', '--json');
    expect(JSON.parse(held.stdout)).toMatchObject([{ source: 'models.dev', host: 'openai', model: 'gpt-4.1-mini' }]);
    expect((await weir.command('doctor')).stdout).toContain('1 price waits for a confirmation');
    expect((await pricesHere(weir, 'confirm', 'models.dev', 'openai/none')).code).toBe(1);
    expect((await pricesHere(weir, 'confirm', 'models.dev')).code).toBe(2);
    expect((await weir.command('prices', 'confirm', 'models.dev', 'openai/gpt-4.1-mini')).code).toBe(0);
    await until(async () => (await inputUsd(weir, 'gpt-4.1-mini')) === 400);
    const history = await weir.command('prices', 'history', 'gpt-4.1-mini', '--json');
    const [newest, older] = JSON.parse(history.stdout) as { state: string; at: string }[];
    expect([newest, older]).toMatchObject([
      { rate: 'input', before: '0.4', after: '400', state: 'confirmed' },
      { rate: 'input', before: '0.4', after: '400', state: 'held' },
    ]);
    expect(Date.parse(newest?.at ?? '')).toBeGreaterThanOrEqual(Date.parse(older?.at ?? ''));
  });

  test('a stopped Weir: the next start has the price, and so do later ones', async () => {
    expect(await weir.stop()).toBe(0);
    await runUpdate(tableTexts.litellm({ 'gpt-4.1': { input: 5, output: 9 } }));
    await weir.restart();
    const first = await charge(weir);
    expect(first.usd).toBe(costOf(first, { input: 5, output: 9 }));
    await weir.kill();
    const from = weir.output().length;
    await weir.restart();
    const second = await charge(weir);
    expect(second.usd).toBe(costOf(second, { input: 5, output: 9 }));
    await until(
      () => /Prices +litellm.*fetched 0 days ago\), genai-prices@/.test(weir.output().slice(from)),
      60_000,
      'the banner',
    );
  });

  describe('errors are reported with their key, and the previous table stays', () => {
    const bad = (format: TableFormat, from: string, to: string) =>
      tableTexts[format]({ 'gpt-4.1': { input: 4, output: 9 } }).replace(from, to);
    const amounts = [
      ['negative', '-3'],
      ['NaN', 'NaN'],
      ['too large', '1e308'],
      ['a text', '"3"'],
    ] as const;
    const cases = [
      ...amounts.map(([what, value]) => [what, bad('models.dev', '"input": 4', `"input": ${value}`)] as const),
      ...amounts.map(
        ([what, value]) => [what, bad('genai-prices', '"input_mtok": 4', `"input_mtok": ${value}`)] as const,
      ),
      ...amounts.map(
        ([what, value]) =>
          [what, bad('litellm', '"input_cost_per_token": 0.000004', `"input_cost_per_token": ${value}`)] as const,
      ),
      ['another currency', bad('genai-prices', '"input_mtok": 4', '"currency": "EUR", "input_mtok": 4')],
      ['another currency', bad('models.dev', '"input": 4', '"currency": "CNY", "input": 4')],
      ['an unknown unit', bad('genai-prices', '"input_mtok": 4', '"input_furlongs": 4')],
      ['an unknown unit', bad('litellm', '"input_cost_per_token"', '"input_cost_per_furlong"')],
    ] as const;

    beforeEach(async () => {
      await update(tableTexts['models.dev']({ 'gpt-4.1': { input: 3, output: 9 } }));
      await until(async () => (await inputUsd(weir)) === 3);
    });

    const expectStays = async (result: CommandResult) => {
      expect([result.code, result.stdout]).toEqual([1, '']);
      expect(result.stderr).toContain('table.json: ');
      expect(result.stderr).toContain('No prices were changed.');
      expect(await inputUsd(weir)).toBe(3);
    };
    afterEach(async () => {
      const { stdout } = await pricesHere(weir, '--json');
      const { tables } = JSON.parse(stdout) as { tables: { source: string }[] };
      expect(tables.map(({ source }) => source)).toEqual(['models.dev', 'bundled']);
    });

    test('invalid prices, in every format', async () => {
      for (const [what, text] of cases) {
        const result = await (text === cases[0][1] ? runUpdate(text) : update(text));
        await expectStays(result);
        expect([what, /line \d+/.test(result.stderr)]).toEqual([what, true]);
        if (what !== 'NaN') expect(result.stderr).toContain('gpt-4.1');
      }
    });

    test('half a file, an empty one, a page, bytes, and other files that are no table', async () => {
      const whole = tableTexts['models.dev']({ 'gpt-4.1': { input: 4, output: 9 } });
      for (const text of [whole.slice(0, -20), '', '<html>moved</html>', '[]', '{}', '7', '{"a":{"b":1}}']) {
        await expectStays(await update(text));
      }
    });

    test('malicious files: prototypes, depth, numbers of models, terminal codes', async () => {
      const many = Object.fromEntries(Array.from({ length: 110_000 }, (_, at) => [`m${at}`, { input: 1, output: 2 }]));
      await expectStays(await update(tableTexts.litellm(many)));
      await expectStays(await update(`${'['.repeat(200_000)}${']'.repeat(200_000)}`));
      await expectStays(await update('{"__proto__":{"openai":{"models":{"gpt-4.1":{"cost":{"input":1}}}}}}'));
      const named = tableTexts['models.dev']({ 'gpt-\u001b[31m4.1': { input: -1, output: 9 } });
      const result = await update(named);
      await expectStays(result);
      expect(result.stderr).not.toContain('\u001b');
    });

    test('a missing file, and unknown arguments', async () => {
      const missing = await pricesHere(weir, 'update', '--file', '/none/table.json');
      expect([missing.code, missing.stderr]).toEqual([
        1,
        '/none/table.json: File not found.\nNo prices were changed.\n',
      ]);
      expect((await pricesHere(weir, 'update')).code).toBe(2);
      expect((await pricesHere(weir, 'update', '--url', 'ftp://x')).code).toBe(2);
      expect((await pricesHere(weir, 'raise')).code).toBe(2);
      expect((await weir.command('prices', 'history', '--limit', '0')).code).toBe(2);
      expect((await pricesHere(weir, '--help')).stdout).toContain('Usage:');
    });
  });
});
