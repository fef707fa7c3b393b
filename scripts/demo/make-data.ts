/** Makes the demo data: a scratch instance, its people and tokens, and the requests of some days up to now. */

import { join } from 'node:path';
import type { OverviewView } from '../../src/admin/contracts/analytics-contract.ts';
import { weirBySource } from '../../test/harness/program.ts';
import { until } from '../../test/harness/until.ts';
import { type RunningWeir, startWeir } from '../../test/harness/weir.ts';
import { Administrator, expectDone } from './administrator.ts';
import { MovableClock } from './clock.ts';
import { ownerName, strangerRow, strangerSecret, tokenRows } from './people.ts';
import { startProviders } from './providers.ts';
import { Sender } from './sender.ts';
import { videoPrompts } from './texts.ts';
import { type Arrival, arrivalsIn, dayMs, hourMs } from './traffic.ts';

interface DemoOptions {
  readonly days: number;
  readonly folder: string;
  report(line: string): void;
}

/** Replies by the first digit of their status, without those of videos, whose status becomes known later. */
export type StatusCounts = Readonly<Record<'2' | '4' | '5', number>>;

export interface Demo {
  readonly weir: RunningWeir;
  readonly administrator: Administrator;
  /** By the name of the token. */
  readonly secrets: ReadonlyMap<string, string>;
  /** What the clients were answered. */
  readonly sent: StatusCounts;
  /** What the console says about the same time. */
  readonly recorded: StatusCounts;
  end(): Promise<void>;
}

/**
 * Before it the instance is started again, which sums the hours before and lets it forget which targets and keys
 * failed: what the console says about health is then of this time.
 */
const lastPartMs = hourMs;
/** At these shares of the time a video is ordered of a provider. */
const videoShares = [0.08, 0.35, 0.62, 0.9];

/** When people sign in, so that sessions and the audit log are of the whole time. */
const visitShares: readonly (readonly [share: number, name: string])[] = [
  [0.26, 'Jonas'],
  [0.5, 'Chen Wei'],
  [0.68, 'Finance'],
  [0.85, 'Ravi'],
  [0.93, 'Mara'],
];
/** Without what is not a request of a client, such as the calls of a moderation gate. */
const countedEndpoints = ['chat', 'responses', 'messages', 'generate-content', 'embeddings', 'images', 'speech'];

const settings = {
  content_storage: { requests: true },
  // A request that finds every target of its model unavailable must not hold up the days after it.
  clocks: { patience_ms: 0 },
  tasks: { ask_every_ms: 50 },
  log: { level: 'warn' },
};

export async function makeDemo({ days, folder, report }: DemoOptions): Promise<Demo> {
  const endMs = Date.now();
  const startMs = endMs - days * dayMs;
  const clock = new MovableClock(folder, startMs);
  const { providers, stop } = startProviders();
  const [bun = '', ...main] = weirBySource;
  const weir = await startWeir({
    holders: 'one',
    yaml: settings,
    dataFolder: folder,
    token: null,
    program: [bun, '--preload', join(import.meta.dir, 'moved-clock.ts'), ...main],
    env: { WEIR_DEMO_CLOCK: clock.file },
    unchecked: 'the data is for people to look at',
  });
  const end = async (): Promise<void> => {
    await weir.stop();
    stop();
  };
  try {
    const administrator = new Administrator(weir);
    const secrets = await administrator.prepare(providers, startMs, endMs);
    secrets.set(strangerRow.name, strangerSecret);
    const sender = new Sender({ url: weir.url, clock, secrets });
    const arrivals = arrivalsIn({ startMs, endMs });
    report(`Sending ${arrivals.reduce((sum, { calls }) => sum + calls.length, 0)} requests of ${days} days …`);
    await play({ weir, clock, administrator, sender, arrivals, startMs, endMs });
    clock.moveToRealTime();
    const sent = byFirstDigit(sender.statuses);
    return { weir, administrator, secrets, sent, recorded: await recordedCounts(administrator, startMs, sent), end };
  } catch (error) {
    await end();
    throw error;
  }
}

interface Play {
  readonly weir: RunningWeir;
  readonly clock: MovableClock;
  readonly administrator: Administrator;
  readonly sender: Sender;
  readonly arrivals: readonly Arrival[];
  readonly startMs: number;
  readonly endMs: number;
}

/** Requests in the order of their time, and between them what people do. */
async function play({ clock, sender, arrivals, ...rest }: Play): Promise<void> {
  const { endMs } = rest;
  let at = 0;
  for (const { atMs, act } of eventsOf({ clock, sender, arrivals, ...rest })) {
    const end = arrivals.findIndex((arrival) => arrival.atMs >= atMs);
    await sender.sendAll(arrivals.slice(at, end === -1 ? undefined : end), endMs - dayMs);
    at = end === -1 ? arrivals.length : end;
    clock.moveTo(atMs);
    await act();
  }
  await sender.sendAll(arrivals.slice(at), endMs - dayMs);
}

interface PlannedEvent {
  readonly atMs: number;
  act(): Promise<void>;
}

function eventsOf({ weir, administrator, sender, startMs, endMs }: Play): readonly PlannedEvent[] {
  const timeOf = (share: number): number => startMs + share * (endMs - startMs);
  const revocations = tokenRows.flatMap(({ name, revokedAfter }) =>
    revokedAfter === undefined ? [] : [{ atMs: timeOf(revokedAfter), act: () => administrator.revoke(name) }],
  );
  const videos = videoShares.map((share, index) => {
    const prompt = videoPrompts[index % videoPrompts.length];
    const body = { model: 'veo-3.1-generate-preview', prompt, seconds: '4', size: '1280x720' };
    return { atMs: timeOf(share), act: () => sender.makeVideo('marketing', body) };
  });
  const visits = visitShares.map(([share, name]) => ({
    atMs: timeOf(share),
    act: async () => void (await administrator.client(name)),
  }));
  const raise = { atMs: timeOf(0.3), act: () => administrator.changeBudget('Ravi', 'support-bot', '150') };
  const shownVideo = { model: 'sandbox-video', prompt: videoPrompts[0], seconds: '2', size: '640x360' };
  const last = [
    {
      atMs: endMs - lastPartMs,
      async act() {
        await weir.stop();
        await weir.restart();
        await administrator.applyLateTerms();
      },
    },
    { atMs: endMs - lastPartMs / 2, act: () => sender.makeVideo('marketing', shownVideo) },
  ];
  return [...revocations, ...videos, ...visits, raise, ...last].sort((one, other) => one.atMs - other.atMs);
}

function byFirstDigit(statuses: ReadonlyMap<number, number>): StatusCounts {
  const counts = { '2': 0, '4': 0, '5': 0 };
  for (const [status, count] of statuses) {
    const digit = String(status).charAt(0);
    if (digit !== '2' && digit !== '4' && digit !== '5') throw new Error(`A reply had the status ${status}.`);
    counts[digit] += count;
  }
  return counts;
}

/** Rows are written a moment after their replies; what never arrives is for the caller to report. */
async function recordedCounts(
  administrator: Administrator,
  startMs: number,
  sent: StatusCounts,
): Promise<StatusCounts> {
  const owner = await administrator.client(ownerName);
  const read = async (digit: '2' | '4' | '5'): Promise<number> => {
    const query = new URLSearchParams({
      from: new Date(startMs).toISOString(),
      to: new Date(Date.now() + hourMs).toISOString(),
      status: digit,
    });
    for (const endpoint of countedEndpoints) query.append('endpoint', endpoint);
    return (expectDone(await owner.get(`/usage/overview?${query}`)) as OverviewView).total.requests;
  };
  let counts: StatusCounts = { '2': 0, '4': 0, '5': 0 };
  const isThere = async (): Promise<boolean> => {
    counts = { '2': await read('2'), '4': await read('4'), '5': await read('5') };
    return counts['2'] + counts['4'] + counts['5'] >= sent['2'] + sent['4'] + sent['5'];
  };
  await until(isThere, 60_000, 'the last requests in the list').catch(() => undefined);
  return counts;
}
