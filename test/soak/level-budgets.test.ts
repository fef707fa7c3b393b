/**
 * Four replicas and 200 requests at once, with budgets on five levels of which another one binds in each round. Every level
 * that counts is exact against the provider's invoice; with a replica that is killed while they run, none is overdrawn.
 */

import { expect, setDefaultTimeout } from 'bun:test';
import { digestOf } from '../../src/access/levels/end-users.ts';
import type { LevelBudget, LevelTerms } from '../../src/access/organization.ts';
import { post } from '../harness/chat.ts';
import { askDatabase } from '../harness/kept-database.ts';
import { expectBalanced } from '../harness/ledger-rows.ts';
import { addUnit, setUnitTerms, tokenIn } from '../harness/levels.ts';
import { needing } from '../harness/needs.ts';
import { type Replicas, startReplicas } from '../harness/replicas.ts';
import { sized } from '../harness/size.ts';
import type { MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { chargedAttempts, countOf, expectRecorded, ledgerOf, type Sent, send } from './crowd.ts';
import { chat, costNano, type Kind, kinds, type PricedProvider, startPricedProvider } from './priced-provider.ts';

setDefaultTimeout(15 * 60_000);

const count = 4;
const crowd = 200;
const rounds = sized(5, 20);
const admitted = 23;
const plenty = 150;
const endUsers = 4;

const levelNames = ['organization', 'team', 'project', 'token', 'user'] as const;
type LevelName = (typeof levelNames)[number];

const dollars = (requests: number): LevelBudget => ({
  id: 'money',
  unit: 'usd',
  limit: BigInt(requests) * costNano,
  period: 'total',
});
const requests = (limit: number, id: string): LevelBudget => ({
  id,
  unit: 'requests',
  limit: BigInt(limit),
  period: 'total',
});

interface Placed {
  readonly token: MadeToken;
  /** What each level may serve, by the name of its scope. */
  readonly scopes: ReadonlyMap<string, bigint>;
  /** How many of the crowd can be served. */
  readonly served: number;
}

/** New levels for each round; the organization is one, so that its budget has a new id. */
async function place(replicas: Replicas, round: number, binding: LevelName): Promise<Placed> {
  const weir = replicas.at(0);
  const limitOf = (level: LevelName): number => (level === binding ? admitted : plenty);
  // Each end user has a part of the crowd, so that all of them together bind.
  const perUser = binding === 'user' ? 6 : plenty;
  const organization = requests(limitOf('organization'), `round-${round}`);
  const team = { budgets: [dollars(limitOf('team')), requests(plenty, 'count')] };
  const project: LevelTerms = {
    budgets: [requests(limitOf('project'), 'count')],
    endUsers: { budgets: [requests(perUser, 'each'), { ...dollars(perUser), id: 'money' }] },
  };
  await setUnitTerms(weir, 'org', { budgets: [organization] });
  const teamId = await addUnit(weir, 'team', `Team ${round}`, team);
  const projectId = await addUnit(weir, 'project', `Project ${round}`, project, teamId);
  const budget = { limitNano: BigInt(limitOf('token')) * costNano, period: 'total' as const };
  const token = await tokenIn(weir, { unitId: projectId, terms: { budget } });
  const users = Array.from({ length: endUsers }, (_, index) => `user:${projectId}/${digestOf(`user-${index}`)}`);
  const scopes = new Map<string, bigint>([
    [`org:org#round-${round}`, organization.limit],
    [`team:${teamId}#money`, dollars(limitOf('team')).limit],
    [`team:${teamId}#count`, BigInt(plenty)],
    [`project:${projectId}#count`, BigInt(limitOf('project'))],
    [`token:${token.id}`, budget.limitNano],
    ...users.flatMap((user): [string, bigint][] => [
      [`${user}#each`, BigInt(perUser)],
      [`${user}#money`, dollars(perUser).limit],
    ]),
  ]);
  return { token, scopes, served: binding === 'user' ? perUser * endUsers : admitted };
}

/** Replicas drop what they know of the organization within a second: waits until each one explains with the new budget. */
async function untilKnown(replicas: Replicas, probe: MadeToken, budgetId: string): Promise<void> {
  const explained = async ({ base }: { readonly base: string }): Promise<boolean> => {
    const reply = await post({ ...probe, base }, chat.body('probe'), { headers: { 'x-weir-explain': '1' } });
    return (await reply.text()).includes(`"${budgetId}"`);
  };
  await until(async () => (await Promise.all(replicas.all.map(explained))).every(Boolean), undefined, 'the new budget');
}

function sendAll(replicas: Replicas, { token }: Placed, kind: Kind, name: string, times = crowd): Promise<Sent[]> {
  const one = (_: unknown, index: number) => {
    const { base } = replicas.at(index % count);
    // Those beside each other are of the same user, so that a user's requests come to all replicas.
    const user = `user-${Math.floor(index / count) % endUsers}`;
    const named: Kind = { ...kind, body: (nonce) => ({ ...kind.body(nonce), user }) };
    return send({ base, token: token.token }, named, `${name}-${index}`);
  };
  return Promise.all(Array.from({ length: times }, one));
}

interface Standing {
  readonly spent: bigint;
  readonly held: bigint;
}

async function standings({ place: at }: Replicas, { scopes }: Placed): Promise<ReadonlyMap<string, Standing>> {
  const names = [...scopes.keys()].map((name) => `'${name}'`).join(', ');
  const rows = await askDatabase(
    at,
    `SELECT scope, CAST(spent_nano AS TEXT) AS spent, CAST(held_nano AS TEXT) AS held FROM budgets WHERE scope IN (${names})`,
  );
  return new Map(
    rows.map((row) => [row['scope'] ?? '', { spent: BigInt(row['spent'] ?? 0), held: BigInt(row['held'] ?? 0) }]),
  );
}

/** Of scopes that count requests one, of those that count money what it cost. */
const unitCost = (scope: string): bigint => (/#(count|each|round-\d+)$/.test(scope) ? 1n : costNano);

const { afterAll, beforeAll, describe, test } = needing('postgres');

describe('budgets of five levels on four replicas', () => {
  let provider: PricedProvider;
  let replicas: Replicas;
  let probe: MadeToken;

  beforeAll(async () => {
    provider = startPricedProvider();
    replicas = await startReplicas(count, { yaml: provider.yaml });
    probe = await tokenIn(replicas.at(0), { terms: { mayExplain: true } });
  });
  afterAll(async () => {
    await replicas?.remove();
    await provider?.stop();
  });

  async function runRound(round: number, kills: boolean): Promise<void> {
    const binding = levelNames[round % levelNames.length] ?? 'token';
    const kind = kinds[round % kinds.length] ?? kinds[0];
    if (kind === undefined) throw new Error('no kind');
    provider.invoice.length = 0;
    provider.replyMs = kills ? (nonce) => 100 + (Bun.hash.crc32(nonce) % 900) : () => 0;
    const placed = await place(replicas, round, binding);
    await untilKnown(replicas, probe, `round-${round}`);
    const sending = sendAll(replicas, placed, kind, `${round}`);
    if (kills) {
      await until(() => provider.invoice.length >= 5, undefined, 'requests at the provider');
      await replicas.at(round % count).kill();
      await replicas.at(round % count).restart();
    }
    const sent = await sending;
    const ledger = await ledgerOf(replicas.place, placed.token.id);
    const found = await standings(replicas, placed);
    const { exact, estimated } = chargedAttempts(ledger);
    const invoiced = provider.invoice.length;
    console.log(
      `round ${round + 1}, ${binding} binds, ${kind.name}${kills ? ', a replica killed' : ''}: ${countOf(sent, 'served')} served, ${countOf(sent, 'spent')} refused, invoice ${invoiced}, ${exact.length} exact, ${estimated.length} estimated`,
    );
    expectBalanced({ ...ledger, budgets: [] });
    expectRecorded(sent, provider.invoice, ledger);
    for (const [scope, limit] of placed.scopes) {
      const { spent, held } = found.get(scope) ?? { spent: 0n, held: 0n };
      expect([scope, held, spent <= limit]).toEqual([scope, 0n, true]);
    }
    if (kills) {
      expect(invoiced).toBeLessThanOrEqual(exact.length + estimated.length);
      expect(exact.length + estimated.length).toBeLessThanOrEqual(placed.served);
      return;
    }
    expect([countOf(sent, 'served'), countOf(sent, 'spent')]).toEqual([placed.served, crowd - placed.served]);
    expect([invoiced, exact.length, estimated.length]).toEqual([placed.served, placed.served, 0]);
    const shared = [...placed.scopes.keys()].filter((scope) => !scope.startsWith('user:'));
    for (const scope of shared)
      expect([scope, found.get(scope)?.spent]).toEqual([scope, BigInt(placed.served) * unitCost(scope)]);
    for (const ending of ['#each', '#money']) {
      const users = [...found].filter(([scope]) => scope.startsWith('user:') && scope.endsWith(ending));
      const sum = users.reduce((total, [scope, { spent }]) => total + spent / unitCost(scope), 0n);
      expect([ending, sum]).toEqual([ending, BigInt(placed.served)]);
    }
  }

  test(`${crowd} at once, ${rounds} rounds, another level binds in each`, async () => {
    for (let round = 0; round < rounds; round++) await runRound(round, false);
  });

  test(`the same with a replica killed in every second round`, async () => {
    for (let round = 0; round < rounds; round++) await runRound(1_000 + round, round % 2 === 0);
  });
});
