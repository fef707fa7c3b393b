/** The rules and dashboards of deploy/: all that they name exists, Prometheus' own programs accept them, and every query has data. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorTable } from '../../src/conversation/error-table.ts';
import { type CannedProvider, startCannedProvider } from '../harness/canned-provider.ts';
import { post } from '../harness/chat.ts';
import { hasService, needing } from '../harness/needs.ts';
import { type PrometheusServer, promtool, startPrometheus } from '../harness/prometheus.ts';
import { namedIn } from '../harness/promql.ts';
import { redisUrl, stopRedis } from '../harness/redis.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

const deploy = join(import.meta.dir, '../../deploy');
const rulesFile = join(deploy, 'prometheus/rules.yaml');
const textOf = (path: string): Promise<string> => Bun.file(join(deploy, path)).text();

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly datasource?: { readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
}

interface Dashboard {
  readonly uid: string;
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string; readonly definition?: string }[];
  };
  readonly panels: readonly Panel[];
}

const rules = (Bun.YAML.parse(await Bun.file(rulesFile).text()) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const recorded = new Set(rules.flatMap(({ record }) => record ?? []));
const dashboards = await Promise.all(
  ['operation', 'cost'].map(
    async (name) => [name, JSON.parse(await textOf(`grafana/dashboards/${name}.json`)) as Dashboard] as const,
  ),
);
const queries = dashboards.flatMap(([dashboard, { panels }]) =>
  panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [`${dashboard}: ${title}`, expr] as const)),
);

/** What Grafana puts into a query: every value, and periods that suit a scrape every second. */
const filledIn = (expression: string): string =>
  expression
    .replaceAll('$__rate_interval', '30s')
    .replaceAll('$__range', '1m')
    .replaceAll(/\$(?:job|instance|provider|model)\b/g, '.*');

let weir: RunningWeir;
let provider: CannedProvider;
/** The pace lets a reply take long enough for its tokens per second to be known. */
const env = { WEIR_SANDBOX_PACE_MS: '15' };

beforeAll(async () => {
  const reply = {
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'dark' },
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello', refusal: null }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  };
  provider = startCannedProvider({ dark: { whole: reply } });
  weir = await startWeir({
    env: hasService('redis') ? { ...env, REDIS_URL: await redisUrl() } : env,
    yaml: {
      providers: {
        up: { kind: 'openai-chat', base_url: `${provider.base}/v1`, key: 'sk-any', models: ['dark', 'gone'] },
      },
      prices: { 'sandbox-chat': { input: 1, output: 2 } },
    },
  });
  await load();
});
afterAll(async () => {
  await weir?.remove();
  await provider?.stop();
  await stopRedis();
});

/** Served, streamed, unpriced, failed and refused requests. */
async function load(): Promise<void> {
  const ask = async (fields: object): Promise<void> => {
    const reply = await post(weir, { messages: [{ role: 'user', content: 'Say something about weirs.' }], ...fields });
    await reply.text();
  };
  await Promise.all([
    ask({ model: 'sandbox-chat' }),
    ask({ model: 'sandbox-chat', stream: true }),
    ask({ model: 'dark' }),
    ask({ model: 'sandbox-500' }),
    ask({ model: 'no-such-model' }),
    ask({ model: 'sandbox-chat', max_tokens: -1 }),
  ]);
}

const metrics = async (): Promise<string> => (await fetch(`${weir.url}/metrics`)).text();

describe('what they name', () => {
  const expressions = [...rules.map(({ expr }) => expr), ...queries.map(([, expr]) => filledIn(expr))];
  const named = expressions.map(namedIn);

  test('every metric exists in the text of a running Weir', async () => {
    const text = await metrics();
    const known = new Set(text.split('\n').flatMap((line) => /^(?!#)[\w:]+/.exec(line)?.[0] ?? []));
    for (const [, family = ''] of text.matchAll(/^# TYPE (\w+) (?:gauge|counter)$/gm)) known.add(family);
    const metricsNamed = new Set(named.flatMap((each) => each.metrics));
    expect([...metricsNamed].filter((name) => !known.has(name) && !recorded.has(name) && name !== 'up')).toEqual([]);
    // The parser finds them at all, and nothing that is shown is left out.
    const families = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, family = '']) => family);
    const used = [...metricsNamed].map((name) => name.replace(/_bucket$/, ''));
    expect(families.filter((family) => !used.includes(family))).toEqual([]);
  });

  test('every label and every code exists', async () => {
    const labels = new Set([...(await metrics()).matchAll(/[{,](\w+)="/g)].map(([, label = '']) => label));
    const ofPrometheus = ['job', 'instance', 'le'];
    const unknown = named.flatMap((each) => each.labels.filter((label) => !labels.has(label)));
    expect(unknown.filter((label) => !ofPrometheus.includes(label))).toEqual([]);
    const codes = named.flatMap((each) => each.values.flatMap(([label, value]) => (label === 'code' ? [value] : [])));
    expect(codes).toContain('gateway_overloaded');
    expect(codes.filter((code) => !(code in errorTable))).toEqual([]);
  });

  test('every alert has a severity, and says what it is about and what to do', () => {
    const alerts = rules.filter(({ alert }) => alert !== undefined);
    expect(alerts.length).toBeGreaterThan(10);
    for (const { alert, labels, annotations } of alerts) {
      expect([alert, ['critical', 'warning', 'info'].includes(labels?.['severity'] ?? '')]).toEqual([alert, true]);
      expect([alert, Object.keys(annotations ?? {}).toSorted()]).toEqual([alert, ['action', 'description', 'summary']]);
    }
  });

  test('dashboards choose their data source, and their panels do not overlap', () => {
    for (const [, { panels, templating }] of dashboards) {
      expect(templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource' });
      const sources = panels.flatMap(({ targets = [] }) => targets.map(({ datasource }) => datasource.uid));
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's way to name a variable.
      expect(new Set(sources)).toEqual(new Set(['${datasource}']));
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
      );
      expect(new Set(cells).size).toBe(cells.length);
      expect(cells.every((cell) => Number(cell.split(',')[0]) < 24)).toBe(true);
    }
  });
});

describe('Prometheus', () => {
  const { afterAll, beforeAll, test } = needing('prometheus');

  describe('promtool', () => {
    test('accepts the metrics without a complaint', async () => {
      expect(await promtool(['check', 'metrics'], await metrics())).toEqual({ code: 0, output: '' });
    });

    test('accepts the rules, and their tests pass', async () => {
      const checked = await promtool(['check', 'rules', rulesFile]);
      expect(checked.output).toContain(`SUCCESS: ${rules.length} rules found`);
      expect(checked.code).toBe(0);
      const tested = await promtool(['test', 'rules', join(deploy, 'prometheus/rules.test.yaml')]);
      expect([tested.code, tested.output.includes('SUCCESS')]).toEqual([0, true]);
    });

    test('accepts the configuration', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'weir-test-'));
      for (const name of ['prometheus.yaml', 'rules.yaml'])
        await Bun.write(join(folder, name), await textOf(`prometheus/${name}`));
      await Bun.write(join(folder, 'weir-metrics-token'), 'any');
      const checked = await promtool(['check', 'config', join(folder, 'prometheus.yaml')]);
      await rm(folder, { recursive: true });
      expect([checked.code, checked.output.includes('SUCCESS')]).toEqual([0, true]);
    });
  });

  describe('a server that scrapes Weir', () => {
    let server: PrometheusServer;
    beforeAll(async () => {
      const config = (await textOf('prometheus/prometheus.yaml'))
        .replaceAll(/_interval: 15s/g, '_interval: 1s')
        .replace('localhost:8787', new URL(weir.url).host);
      const files = { 'rules.yaml': await textOf('prometheus/rules.yaml'), 'weir-metrics-token': weir.token };
      server = await startPrometheus(config, files);
      await until(async () => (await server.query('weir_requests_total')).length > 0, 30_000, 'the first scrape');
      // A rate needs values that grow from one scrape to another.
      await load();
      const rate = 'sum(rate(weir_attempt_output_tokens_per_second_count[30s])) > 0';
      await until(async () => (await server.query(rate)).length > 0, 30_000, 'a scrape after more requests');
    });
    afterAll(() => server?.stop());

    test('reads it without a fault', async () => {
      const { activeTargets } = (await server.get('targets?state=active')) as {
        activeTargets: { health: string; lastError: string }[];
      };
      expect(activeTargets.map(({ health, lastError }) => [health, lastError])).toEqual([['up', '']]);
    });

    test('evaluates every rule, and what is recorded has values', async () => {
      type Groups = { groups: { rules: { name: string; health: string; lastError?: string }[] }[] };
      const evaluated = async () => ((await server.get('rules')) as Groups).groups.flatMap((group) => group.rules);
      await until(async () => (await evaluated()).every(({ health }) => health !== 'unknown'), 30_000, 'all rules');
      expect((await evaluated()).filter(({ health }) => health !== 'ok')).toEqual([]);
      for (const name of recorded) {
        const known = async () => (await server.query(name)).some(({ value }) => Number.isFinite(value));
        await until(known, 30_000, `a value of ${name}`);
      }
    });

    /** Empty where nothing is configured. */
    const optional = hasService('redis') ? /^$/ : /weir_redis_up/;

    test.each(queries)('%s has data', async (_, expression) => {
      if (optional.test(expression)) return;
      const asked = filledIn(expression);
      expect(asked).not.toContain('$');
      await until(async () => (await server.queryRange(asked)).some(Number.isFinite), 30_000, `data for ${asked}`);
    });
  });
});
