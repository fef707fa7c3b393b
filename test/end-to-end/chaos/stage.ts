/** Three scripted targets, the configuration that routes to them in every format, and Weir's rows about them. */

import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { FaultyTarget, type TargetEntry } from '../../fake-upstream/faults/target.ts';
import { providerKey } from '../../fake-upstream/wire/provider.ts';
import { usage } from '../../fake-upstream/wire/scenes.ts';
import { type ProviderName, wireProviders } from '../../fake-upstream/wire/start-all.ts';
import { until } from '../../harness/until.ts';
import type { RunningWeir } from '../../harness/weir.ts';

export const targetNames = ['a', 'b', 'c'] as const;
export type TargetName = (typeof targetNames)[number];

/** USD per million tokens: different for each target, so that a row's cost shows who was paid. */
const prices = {
  'model-a': { input: 1, output: 2, cache_read: 1 },
  'model-b': { input: 3, output: 5, cache_read: 3 },
  'model-c': { input: 7, output: 11, cache_read: 7 },
} as const;

/** What one good reply of a target costs. */
export function costOf(target: TargetName): bigint {
  const { input, output } = prices[`model-${target}`];
  return BigInt((usage.input * input + usage.output * output) * 1_000);
}

/** What is charged at least for a request that a target may have answered: a thousand tokens of output. */
export function leastOwed(target: TargetName): bigint {
  return BigInt(prices[`model-${target}`].output * 1_000 * 1_000);
}

/** The most that a broken reply can cost: its whole input, and one output token for each character. */
export function partCostMax(target: TargetName, writtenCharacters: number): bigint {
  const { input, output } = prices[`model-${target}`];
  return BigInt((usage.input * input + writtenCharacters * output) * 1_000);
}

export interface Stage {
  readonly targets: Readonly<Record<TargetName, FaultyTarget>>;
  /** Every target's invoice for one nonce, in the order of time. */
  asked(nonce: string): TargetEntry[];
  stop(): void;
}

export async function startTargets(): Promise<Stage> {
  const [a, b, c] = await Promise.all([FaultyTarget.start('a'), FaultyTarget.start('b'), FaultyTarget.start('c')]);
  const targets = { a, b, c };
  return {
    targets,
    asked: (nonce) =>
      targetNames
        .flatMap((name) => targets[name].invoice.filter((entry) => entry.nonce === nonce))
        .toSorted((one, other) => one.atMs - other.atMs),
    stop() {
      for (const name of targetNames) targets[name].stop();
    },
  };
}

export interface ModelPlan {
  readonly name: string;
  readonly wire: ProviderName;
  /** `in order`: a and b are siblings, a nearly always first, c the next tier. `equal`: all alike. */
  readonly order: 'in order' | 'equal';
  /** Targets whose connections are refused. */
  readonly refusing?: readonly TargetName[];
  readonly firstEventTimeoutMs?: number;
}

const layouts: Readonly<Record<ModelPlan['order'], Readonly<Record<TargetName, object>>>> = {
  'in order': { a: { tier: 0, weight: 1_000_000 }, b: { tier: 0, weight: 0.000_001 }, c: { tier: 1 } },
  equal: { a: { tier: 0 }, b: { tier: 0 }, c: { tier: 0 } },
};

/** Each model has its own providers, so that no case is affected by the health of another's targets and keys. */
export function yamlFor({ targets }: Stage, plans: readonly ModelPlan[], closedPort: number): Record<string, object> {
  const providers: Record<string, object> = {};
  const models: Record<string, object> = {};
  for (const plan of plans) {
    const { kind, version } = wireProviders[plan.wire];
    for (const name of targetNames) {
      const isRefusing = plan.refusing?.includes(name) === true;
      providers[`${plan.name}-${name}`] = {
        kind,
        base_url: isRefusing ? `http://127.0.0.1:${closedPort}${version}` : targets[name].base(plan.wire),
        key: providerKey,
        models: [`model-${name}`],
      };
    }
    models[plan.name] = {
      affinity: false,
      choose: 'weighted',
      targets: targetNames.map((name) => ({
        provider: `${plan.name}-${name}`,
        model: `model-${name}`,
        ...layouts[plan.order][name],
        ...(plan.firstEventTimeoutMs !== undefined && { first_event_timeout_ms: plan.firstEventTimeoutMs }),
      })),
    };
  }
  return { providers, models, prices };
}

export interface ChaosRow {
  readonly requestId: string;
  readonly provider: string;
  readonly attempts: number;
  readonly status: number;
  readonly code: string;
  readonly costNano: bigint;
  readonly estimated: boolean;
  /** How many attempts are in the ledger, and their total cost. */
  readonly opened: number;
  readonly paidNano: bigint;
  /** What each of them cost, in their order. */
  readonly paidEach: readonly bigint[];
}

/** The usage rows of these requests, once all are written and every attempt is closed. */
export async function rowsOf(weir: RunningWeir, requestIds: readonly string[]): Promise<ReadonlyMap<string, ChaosRow>> {
  let rows = new Map<string, ChaosRow>();
  await until(
    () => {
      rows = readRows(weir, requestIds);
      return rows.size === new Set(requestIds).size;
    },
    60_000,
    'a usage row for every request',
  );
  return rows;
}

type Row = Readonly<Record<string, string | null>>;

function readRows(weir: RunningWeir, requestIds: readonly string[]): Map<string, ChaosRow> {
  const database = new Database(join(weir.dataFolder, 'weir.db'), { readonly: true });
  database.run('PRAGMA busy_timeout = 60000');
  try {
    const wanted = new Set(requestIds);
    const text = (name: string) => `CAST(${name} AS TEXT) AS ${name}`;
    const columns = ['attempts', 'status', 'cost_nano', 'estimated'].map(text).join(', ');
    const usageRows = database.query<Row, []>(`SELECT request_id, provider, code, ${columns} FROM usage_rows`).all();
    const opened = Map.groupBy(
      database.query<Row, []>(`SELECT request_id, ${text('cost_nano')} FROM attempts ORDER BY id`).all(),
      (row) => row['request_id'] ?? '',
    );
    const rows = new Map<string, ChaosRow>();
    for (const row of usageRows) {
      const requestId = row['request_id'] ?? '';
      const attempts = opened.get(requestId) ?? [];
      if (!wanted.has(requestId) || attempts.some(({ cost_nano }) => cost_nano === null)) continue;
      rows.set(requestId, {
        requestId,
        provider: row['provider'] ?? '',
        attempts: Number(row['attempts']),
        status: Number(row['status']),
        code: row['code'] ?? '',
        costNano: BigInt(row['cost_nano'] ?? 0),
        estimated: row['estimated'] === '1',
        opened: attempts.length,
        paidEach: attempts.map(({ cost_nano }) => BigInt(cost_nano ?? 0)),
        paidNano: attempts.reduce((sum, { cost_nano }) => sum + BigInt(cost_nano ?? 0), 0n),
      });
    }
    return rows;
  } finally {
    database.close();
  }
}

/** Runs all, so many at a time. */
export async function pooled<T>(items: readonly T[], width: number, run: (item: T) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) await run(next.value);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
