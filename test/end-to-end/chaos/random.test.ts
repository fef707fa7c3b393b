/** Hundreds of requests through a random schedule of faults: each is answered by one target and paid for once. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { piecesOf, textOf } from '../../fake-upstream/faults/directive.ts';
import type { TargetEntry } from '../../fake-upstream/faults/target.ts';
import { providerNames } from '../../fake-upstream/wire/start-all.ts';
import { Random } from '../../harness/random.ts';
import { sized } from '../../harness/size.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';
import { type Asking, ask, formats, type Reading } from './client.ts';
import { type Stretch, scheduleOf } from './schedule.ts';
import {
  type ChaosRow,
  costOf,
  pooled,
  rowsOf,
  type Stage,
  startTargets,
  type TargetName,
  targetNames,
  yamlFor,
} from './stage.ts';

const requests = Number(process.env['WEIR_CHAOS_REQUESTS'] ?? sized(150, 600));
const seed = Number(process.env['WEIR_CHAOS_SEED'] ?? 261_115);
const concurrency = 16;
const attemptsMax = 4;

let stage: Stage;
let weir: RunningWeir;
beforeAll(async () => {
  stage = await startTargets();
  const plans = providerNames.map((wire) => ({ name: `via-${wire}`, wire, order: 'equal' as const }));
  weir = await startWeir({
    yaml: {
      ...yamlFor(stage, plans, 0),
      clocks: { head_timeout_ms: 5_000, idle_timeout_ms: 5_000, head_hold_ms: 600_000 },
      limits: { attempts_max: attemptsMax },
    },
    env: { WEIR_ROUTING_RETRY_PERCENT_MAX: '100' },
  });
}, 300_000);
afterAll(async () => {
  await weir?.remove();
  stage?.stop();
});

interface Done {
  readonly asking: Asking;
  readonly stretch: Stretch;
  readonly reading: Reading;
}

test(
  `${requests} requests, seed ${seed}: no request fails while a target is healthy, nothing is sent or paid twice`,
  async () => {
    const random = new Random(seed);
    const startedAt = performance.now();
    const done: Done[] = [];
    for (const [index, stretch] of scheduleOf(random, requests).entries()) {
      const waiting = Array.from({ length: stretch.requests }, (_, place) =>
        draw(random, `n${index}x${place}`, stretch),
      );
      const refusing = stretch.refusing === undefined ? undefined : stage.targets[stretch.refusing];
      await refusing?.refuse(true);
      await pooled(waiting, concurrency, async (asking) => {
        done.push({ asking, stretch, reading: await ask(weir, asking) });
      });
      await refusing?.open();
    }
    const rows = await rowsOf(
      weir,
      done.map(({ reading }) => reading.requestId),
    );
    const invoices = Map.groupBy(
      targetNames.flatMap((name) => stage.targets[name].invoice),
      ({ nonce }) => nonce,
    );
    const wrong = done.flatMap((each) => faultsOf(each, rows, invoices.get(each.asking.directive.nonce) ?? []));
    show(done, rows, performance.now() - startedAt);
    expect(wrong).toEqual([]);
    const reported = [...invoices.values()].flat().filter((entry) => entry.reported !== undefined);
    const invoiced = reported.reduce((sum, { target }) => sum + costOf(target as TargetName), 0n);
    const whole = done.filter(({ reading }) => reading.ended).map(({ reading }) => rows.get(reading.requestId));
    expect(whole.reduce((sum, row) => sum + (row?.paidEach.at(-1) ?? 0n), 0n)).toBe(invoiced);
  },
  Math.max(300_000, requests * 100),
);

function draw(random: Random, nonce: string, { faults }: Stretch): Asking {
  return {
    format: random.pick(formats),
    model: `via-${random.pick(providerNames)}`,
    stream: random.chance(),
    directive: { nonce, faults, retryAfterSeconds: 1 },
  };
}

/** What is wrong with one request; usually nothing. */
function faultsOf(
  { asking, stretch, reading }: Done,
  rows: ReadonlyMap<string, ChaosRow>,
  entries: TargetEntry[],
): string[] {
  const { nonce } = asking.directive;
  const wrong: string[] = [...reading.oddities];
  const server = targetNames.find((name) => reading.text.startsWith(`${nonce}@${name}`));
  const row = rows.get(reading.requestId);
  const asked = entries.map(({ target }) => target);
  if (server === undefined) wrong.push(`answered ${reading.status} ${reading.failure ?? ''} and the text of no target`);
  else if (isBroken(asking, stretch, server)) {
    if (reading.text !== piecesOf(nonce, server).slice(0, 2).join('')) wrong.push(`said ${reading.text}`);
    if (reading.marked || reading.failure === undefined) wrong.push('a cut stream that does not show it');
  } else {
    if (reading.text !== textOf(nonce, server)) wrong.push(`said ${reading.text}`);
    if (!reading.ended || reading.failure !== undefined) wrong.push(`no good end: ${reading.failure ?? ''}`);
    if (row?.paidEach.at(-1) !== costOf(server)) wrong.push(`cost ${row?.paidEach.join(' ')}`);
    if (row !== undefined && row.estimated !== row.costNano > costOf(server))
      wrong.push('an estimate that is not named');
  }
  // An overloaded target did no work, and is retried while the others cool down.
  const worked = asked.filter((name) => !overloads.has(stretch.faults[name as TargetName] ?? ''));
  if (new Set(worked).size !== worked.length) wrong.push(`asked ${asked.join('')}`);
  if (row === undefined || row.attempts > attemptsMax || row.attempts < asked.length || row.opened !== row.attempts)
    wrong.push(`${row?.attempts} attempts, ${row?.opened} opened, ${asked.length} invoiced`);
  if (row !== undefined && row.paidNano !== row.costNano) wrong.push(`paid ${row.paidNano}, charged ${row.costNano}`);
  const where = `${nonce} ${asking.format} ${asking.model} ${asking.stream ? 'stream' : 'whole'} ${JSON.stringify(stretch)}`;
  return wrong.map((what) => `${where}: ${what} (asked ${asked.join('')})`);
}

const overloads: ReadonlySet<string> = new Set(['status-503', 'status-529', 'overloaded-first', 'rate', 'rate-until']);

/** After the first event no other target can continue: the client must see the break. */
function isBroken({ stream }: Asking, { faults }: Stretch, server: TargetName): boolean {
  return stream && faults[server]?.endsWith('-late') === true;
}

function show(done: readonly Done[], rows: ReadonlyMap<string, ChaosRow>, durationMs: number): void {
  const attempts = [...rows.values()].map((row) => row.attempts);
  const share = (count: number) => attempts.filter((each) => each === count).length;
  const broken = done.filter(({ reading }) => reading.failure !== undefined && reading.status === 200).length;
  console.log(
    `chaos: seed ${seed}, ${done.length} requests in ${Math.round(durationMs)} ms; ` +
      `served by the first ${share(1)}, the second ${share(2)}, the third ${share(3)} target; ` +
      `${broken} streams cut after their first event, with an error`,
  );
}
