/**
 * Two workers, one of which is killed every two seconds under a steady load: the ledger stays exact, and no request is lost
 * that had not begun.
 */

import { describe, expect, setDefaultTimeout } from 'bun:test';
import { expectBalanced, type LedgerRows, totalCostNano } from '../harness/ledger-rows.ts';
import { needing } from '../harness/needs.ts';
import { sized } from '../harness/size.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { listeningSockets, workerPids } from '../harness/worker-processes.ts';
import { budgetFor, chargedAttempts, countOf, expectRecorded, ledgerOf, type Sent, send } from './crowd.ts';
import {
  chat,
  costNano,
  type InvoiceLine,
  type PricedProvider,
  startPricedProvider,
  stream,
} from './priced-provider.ts';

setDefaultTimeout(15 * 60_000);

const workers = 2;
const killEveryMs = 2_000;
const kills = sized(5, 30);
const requestsPerSecond = 60;
/** As the official libraries: two retries, the first after half a second. */
const triesMax = 3;
const retryAfterMs = 500;
/** Every tenth request is of a token whose budget ends during the load. */
const smallEvery = 10;
const smallBudget = kills * 2;

/** Without a budget, a worker records a request in a journal of its own. */
type Budget = 'none' | 'large' | 'small';
type Tokens = Readonly<Record<Budget, MadeToken>>;

/** One request of a client, with its retries. */
interface Asked {
  readonly budget: Budget;
  readonly tries: readonly Sent[];
}

describe.each(['sqlite', 'postgres'] as const)('two workers on %s', (database) => {
  const { afterAll, beforeAll, test } = needing(database);
  let provider: PricedProvider;
  let weir: RunningWeir;

  beforeAll(async () => {
    provider = startPricedProvider();
    provider.replyMs = (nonce) => 20 + (Bun.hash.crc32(nonce) % 280);
    weir = await startWeir({ database, env: { WEIR_SERVER_WORKERS: `${workers}` }, yaml: provider.yaml });
  });
  afterAll(async () => {
    await weir?.remove();
    await provider?.stop();
  });

  const bothServe = (): Promise<void> =>
    until(
      async () => (await workerPids(weir)).length === workers && (await listeningSockets(weir)) === workers,
      undefined,
      'both workers to serve',
    );

  async function ask(tokens: Tokens, index: number, budget: Budget): Promise<Asked> {
    const tries: Sent[] = [];
    for (let nth = 0; nth < triesMax; nth++) {
      if (nth > 0) await Bun.sleep(retryAfterMs * 2 ** (nth - 1));
      const sent = await send(tokens[budget], index % 4 === 0 ? stream : chat, `${index}.${nth}`);
      tries.push(sent);
      if (sent.outcome !== 'unanswered' && sent.outcome !== 'unavailable') break;
    }
    return { budget, tries };
  }

  /** Steady, whatever becomes of the requests, until it is stopped. */
  function startLoad(tokens: Tokens): () => Promise<Asked[]> {
    const asked: Promise<Asked>[] = [];
    const startedMs = performance.now();
    const timer = setInterval(() => {
      const due = ((performance.now() - startedMs) * requestsPerSecond) / 1_000;
      while (asked.length < due) {
        const index = asked.length;
        const budget = index % smallEvery === 0 ? 'small' : index % 3 === 0 ? 'large' : 'none';
        asked.push(ask(tokens, index, budget));
      }
    }, 10);
    return () => {
      clearInterval(timer);
      return Promise.all(asked);
    };
  }

  /** One worker every two seconds, the oldest. The other one serves: on a slow machine its start is waited for. */
  async function killWorkers(): Promise<readonly number[]> {
    const killed: number[] = [];
    while (killed.length < kills) {
      const nextMs = performance.now() + killEveryMs;
      await bothServe();
      const [oldest = 0] = await workerPids(weir);
      process.kill(oldest, 'SIGKILL');
      killed.push(oldest);
      await until(async () => !(await workerPids(weir)).includes(oldest), undefined, 'the end of the killed worker');
      await Bun.sleep(Math.max(0, nextMs - performance.now()));
    }
    return killed;
  }

  test(`${kills} kills`, async () => {
    await bothServe();
    const tokens = {
      none: await createToken(weir),
      large: await createToken(weir, '--budget-usd', '1000', '--budget-period', 'total'),
      small: await createToken(weir, ...budgetFor(smallBudget)),
    };
    const startedMs = performance.now();
    const stopLoad = startLoad(tokens);
    const killed = await killWorkers();
    const seconds = (performance.now() - startedMs) / 1_000;
    const asked = await stopLoad();
    await bothServe();
    for (const pid of killed) expect(weir.output()).toContain(`(process ${pid}) ended: SIGKILL`);
    for (const budget of ['none', 'large'] as const) {
      const own = asked.filter((each) => each.budget === budget);
      const ledger = await ledgerOf(weir, tokens[budget].id);
      show(`${killed.length} kills in ${seconds.toFixed(1)} s, budget: ${budget}`, own, ledger);
      expectComplete(own, provider.invoice);
      expectCharged(own, ledger);
    }

    // The other token's budget ends in between: it is not overdrawn, and what is left of it is served in the end.
    const ofSmall = asked.filter(({ budget }) => budget === 'small');
    const last: Asked[] = [];
    for (let index = 0; index < 2 * smallBudget; index++) last.push(await ask(tokens, 1_000_000 + index, 'small'));
    const smallLedger = await ledgerOf(weir, tokens.small.id);
    show('a small budget', [...ofSmall, ...last], smallLedger);
    expectComplete(ofSmall, provider.invoice);
    expectCharged([...ofSmall, ...last], smallLedger);
    const spentNano = totalCostNano(smallLedger.attempts);
    expect(spentNano).toBeLessThanOrEqual(BigInt(smallBudget) * costNano);
    expect(spentNano).toBeGreaterThan(BigInt(smallBudget - 1) * costNano);

    const later = await Promise.all(
      Array.from({ length: 40 }, (_, index) => send(tokens.large, chat, `later ${index}`)),
    );
    expect(countOf(later, 'served')).toBe(40);
  });

  function show(what: string, asked: readonly Asked[], ledger: LedgerRows): void {
    const { exact, estimated } = chargedAttempts(ledger);
    const ended = (outcome: Sent['outcome']): number =>
      asked.filter(({ tries }) => tries.at(-1)?.outcome === outcome).length;
    const figures = [
      `${asked.length} requests`,
      `${ended('served')} served`,
      `${asked.filter(({ tries }) => tries.length > 1).length} with retries`,
      `${ended('spent')} refused`,
      `${ended('cut')} cut`,
      `${ended('unanswered') + ended('unavailable')} unanswered`,
      `${exact.length} charged exactly`,
      `${estimated.length} estimated`,
    ];
    console.log(`${database}, ${what}: ${figures.join(', ')}`);
  }

  /**
   * A reply that had begun cannot be retried, nor would a library do so: such a request is lost, and it had begun. One that
   * got no reply succeeds on a retry; if every try reached the provider before its worker was killed, it had begun too.
   */
  function expectComplete(asked: readonly Asked[], invoice: readonly InvoiceLine[]): void {
    const arrived = new Set(invoice.map(({ nonce }) => nonce));
    const lost = asked.filter(({ tries }) => !['served', 'spent'].includes(tries.at(-1)?.outcome ?? ''));
    const notBegun = lost.filter(({ tries }) => tries.some(({ nonce }) => !arrived.has(nonce)));
    expect(notBegun).toEqual([]);
  }

  /**
   * What was served is charged what it cost. A killed worker's open attempts are charged as estimated, also those that it
   * had not yet sent; so the invoice is between the exact charges and all charges.
   */
  function expectCharged(asked: readonly Asked[], ledger: LedgerRows): void {
    const sent = asked.flatMap(({ tries }) => tries);
    const nonces = new Set(sent.map(({ nonce }) => nonce));
    const invoice = provider.invoice.filter(({ nonce }) => nonces.has(nonce));
    const { exact, estimated } = chargedAttempts(ledger);
    expectBalanced(ledger);
    expectRecorded(sent, invoice, ledger);
    expect(ledger.attempts).toHaveLength(exact.length + estimated.length);
    expect(totalCostNano(exact)).toBe(BigInt(exact.length) * costNano);
    for (const attempt of estimated) expect(attempt.costNano).toBeLessThanOrEqual(costNano);
    expect(countOf(sent, 'served')).toBeLessThanOrEqual(exact.length);
    expect(exact.length).toBeLessThanOrEqual(invoice.length);
    expect(invoice.length).toBeLessThanOrEqual(exact.length + estimated.length);
    // Each estimate is of a try whose reply the kill ended.
    const unanswered = countOf(sent, 'unanswered') + countOf(sent, 'cut');
    expect(estimated.length).toBeLessThanOrEqual(unanswered);
    expect(exact.length - countOf(sent, 'served')).toBeLessThanOrEqual(unanswered - estimated.length);
    const codes = new Map(ledger.usage.map(({ requestId, code }) => [requestId, code]));
    for (const { requestId } of estimated) expect(codes.get(requestId)).toBe('swept');
  }
});
