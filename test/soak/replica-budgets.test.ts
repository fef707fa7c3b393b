/**
 * Four replicas, one budget for 37 requests, and 500 requests at once: exactly 37 are served, in every round and for every
 * kind of request. With a fault while they run, what the provider did is charged, and the budget still ends where it must.
 */

import { expect, setDefaultTimeout } from 'bun:test';
import { expectBalanced, type LedgerRows, totalCostNano } from '../harness/ledger-rows.ts';
import { needing } from '../harness/needs.ts';
import { type PostgresCluster, postgresCluster } from '../harness/postgres.ts';
import { freezePostgres, restartPostgres } from '../harness/postgres-faults.ts';
import { stopRedis } from '../harness/redis.ts';
import { type Replicas, startReplicas } from '../harness/replicas.ts';
import { sized } from '../harness/size.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { budgetFor, chargedAttempts, countOf, expectRecorded, ledgerOf, type Sent, send } from './crowd.ts';
import { costNano, type Kind, kinds, type PricedProvider, startPricedProvider } from './priced-provider.ts';

setDefaultTimeout(15 * 60_000);

const count = 4;
const admitted = 37;
const crowd = sized(200, 500);
const rounds = sized(4, 20);
const budgetNano = BigInt(admitted) * costNano;

const kindOf = (round: number): Kind => {
  const kind = kinds[round % kinds.length];
  if (kind === undefined) throw new Error('no kind');
  return kind;
};

/** All at once, over all replicas in turn. */
function sendAll(replicas: Replicas, token: MadeToken, kind: Kind, name: string, requests = crowd): Promise<Sent[]> {
  const one = (_: unknown, index: number) => {
    const { base } = replicas.at(index % count);
    return send({ base, token: token.token }, kind, `${name}-${index}`);
  };
  return Promise.all(Array.from({ length: requests }, one));
}

function show(what: string, sent: readonly Sent[], invoiced: number, ledger: LedgerRows, startedMs: number): void {
  const { exact, estimated } = chargedAttempts(ledger);
  const lost = countOf(sent, 'unanswered') + countOf(sent, 'cut');
  const figures = [
    `${countOf(sent, 'served')} served`,
    `${countOf(sent, 'spent')} refused`,
    `${countOf(sent, 'unavailable')} times 503`,
    `${lost} lost`,
    `invoice ${invoiced}`,
    `${exact.length} charged exactly`,
    `${estimated.length} estimated`,
    `${((performance.now() - startedMs) / 1_000).toFixed(1)} s`,
  ];
  console.log(`${what}: ${figures.join(', ')}`);
}

for (const redis of [false, true]) {
  const { afterAll, beforeAll, describe, test } = needing('postgres', ...(redis ? (['redis'] as const) : []));
  describe(`four replicas on PostgreSQL${redis ? ' and Redis' : ''}`, () => {
    let provider: PricedProvider;
    let replicas: Replicas;

    beforeAll(async () => {
      provider = startPricedProvider();
      replicas = await startReplicas(count, { yaml: provider.yaml, redis });
    });
    afterAll(async () => {
      await replicas?.remove();
      await provider?.stop();
      if (redis) await stopRedis();
    });

    test(`${admitted} of ${crowd} at once, ${rounds} rounds`, async () => {
      for (let round = 0; round < rounds; round++) {
        const startedMs = performance.now();
        provider.invoice.length = 0;
        const kind = kindOf(round);
        // With a limit of rates, Redis decides first.
        const token = await createToken(replicas.at(0), ...budgetFor(admitted), '--rpm', '100000');
        const sent = await sendAll(replicas, token, kind, `${round}`);
        const ledger = await ledgerOf(replicas.place, token.id);
        show(`round ${round + 1}, ${kind.name}`, sent, provider.invoice.length, ledger, startedMs);
        expect([countOf(sent, 'served'), countOf(sent, 'spent')]).toEqual([admitted, crowd - admitted]);
        expect(provider.invoice).toHaveLength(admitted);
        expectRecorded(sent, provider.invoice, ledger);
        expectBalanced(ledger);
        expect(ledger.attempts).toHaveLength(admitted);
        expect(ledger.budgets).toEqual([{ scope: `token:${token.id}`, spentNano: budgetNano, heldNano: 0n }]);
      }
    });
  });
}

interface Fault {
  readonly name: string;
  /** A replica dies: its clients lose their connections, and what it had open is estimated. */
  readonly kills: boolean;
  run(round: number): Promise<void>;
}

const { afterAll, beforeAll, describe, test } = needing('postgres');

describe('four replicas with faults', () => {
  let provider: PricedProvider;
  let cluster: PostgresCluster;
  let replicas: Replicas;

  const freezeFor = async (seconds: number): Promise<void> => {
    const thaw = freezePostgres(cluster);
    await Bun.sleep(seconds * 1_000);
    thaw();
  };
  const faults: readonly Fault[] = [
    {
      name: 'a replica is killed',
      kills: true,
      async run(round) {
        await replicas.at(round % count).kill();
        await replicas.at(round % count).restart();
      },
    },
    { name: 'PostgreSQL restarts', kills: false, run: () => restartPostgres(cluster, 'fast') },
    { name: 'PostgreSQL crashes', kills: false, run: () => restartPostgres(cluster, 'immediate') },
    { name: 'PostgreSQL is frozen for 5 s', kills: false, run: () => freezeFor(5) },
    { name: 'PostgreSQL is frozen for 20 s', kills: false, run: () => freezeFor(20) },
  ];

  beforeAll(async () => {
    provider = startPricedProvider();
    // Some replies come before the fault, some during it, some after it.
    provider.replyMs = (nonce) => 100 + (Bun.hash.crc32(nonce) % 1_400);
    cluster = await postgresCluster();
    // The default, which tests usually make longer: an outage is to be noticed.
    const env = { WEIR_CLOCKS_DATABASE_TIMEOUT_MS: '5000' };
    replicas = await startReplicas(count, { databaseUrl: cluster.url, yaml: provider.yaml, env });
  });
  afterAll(async () => {
    await replicas?.remove();
    await provider?.stop();
  });

  const isServing = async (token: MadeToken): Promise<boolean> => {
    const asked = replicas.all.map(({ base }) => fetch(`${base}/models`, authorized(token)).catch(() => undefined));
    return (await Promise.all(asked)).every((reply) => reply?.status === 200);
  };
  const authorized = ({ token }: MadeToken) => ({ headers: { authorization: `Bearer ${token}` } });

  /**
   * Exactly provable after a fault: the budget is not overdrawn, refused requests were not sent, and every served one is
   * charged what it cost. A killed replica leaves attempts whose end only it knew: they are charged as estimated, also
   * those that it had not yet sent, so the invoice is between the exact charges and all charges. Without one there is no
   * estimate: the charges are the invoice.
   */
  function expectCharged(sent: readonly Sent[], ledger: LedgerRows, { kills }: Fault): void {
    const { exact, estimated } = chargedAttempts(ledger);
    const invoiced = provider.invoice.length;
    expectBalanced(ledger);
    expectRecorded(sent, provider.invoice, ledger);
    expect(totalCostNano(ledger.attempts)).toBeLessThanOrEqual(budgetNano);
    expect(totalCostNano(exact)).toBe(BigInt(exact.length) * costNano);
    expect(countOf(sent, 'served')).toBeLessThanOrEqual(exact.length);
    expect(exact.length).toBeLessThanOrEqual(invoiced);
    expect(invoiced).toBeLessThanOrEqual(exact.length + estimated.length);
    if (kills) return;
    expect([countOf(sent, 'unanswered'), countOf(sent, 'cut')]).toEqual([0, 0]);
    expect([countOf(sent, 'served'), exact.length, estimated.length]).toEqual([invoiced, invoiced, 0]);
  }

  async function runRound(fault: Fault, round: number): Promise<void> {
    const startedMs = performance.now();
    provider.invoice.length = 0;
    const kind = kindOf(round);
    const token = await createToken(replicas.at(0), ...budgetFor(admitted));
    const sending = sendAll(replicas, token, kind, `${fault.name} ${round}`);
    // Another moment in each round: between the first opening and the last.
    const inFlight = 1 + ((round * 11) % (admitted - 1));
    await until(() => provider.invoice.length >= inFlight, undefined, `${inFlight} requests at the provider`);
    await fault.run(round);
    const sent = await sending;
    const ledger = await ledgerOf(replicas.place, token.id);
    show(`${fault.name}, ${kind.name}`, sent, provider.invoice.length, ledger, startedMs);
    expectCharged(sent, ledger, fault);

    // What the fault left of the budget is admitted afterwards, and nothing more.
    await until(() => isServing(token), undefined, 'all replicas to serve');
    const later = await sendAll(replicas, token, kind, `${fault.name} ${round} later`, 2 * admitted);
    const end = await ledgerOf(replicas.place, token.id);
    show('  afterwards', later, provider.invoice.length, end, startedMs);
    expect(countOf(later, 'served') + countOf(later, 'spent')).toBe(2 * admitted);
    expectCharged([...sent, ...later], end, fault);
    const spentNano = totalCostNano(end.attempts);
    // An estimate may be a part of a request's cost, where a stream's last checkpoint was one.
    expect(spentNano).toBeGreaterThan(budgetNano - costNano);
    if (chargedAttempts(end).estimated.length === 0) expect(spentNano).toBe(budgetNano);
  }

  test.each(faults.map((fault) => [fault.name, fault] as const))('%s', async (_, fault) => {
    for (let round = 0; round < sized(2, kinds.length); round++) await runRound(fault, round);
  });
});
