/** One of three targets is killed and comes back: no request fails, and its return begins with a single probe. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { post, scripted } from '../../harness/chat.ts';
import { sized } from '../../harness/size.ts';
import { until } from '../../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';

/** Long enough that more requests would arrive if the first were not a probe. */
const workMs = 40;

const some = sized(24, 60);
const many = sized(48, 100);

let upstreams: RunningUpstream[];
let weir: RunningWeir;
beforeAll(async () => {
  upstreams = await Promise.all(Array.from({ length: 3 }, () => startUpstream()));
  const names = upstreams.map((_, index) => `up${index}`);
  weir = await startWeir({
    yaml: {
      providers: Object.fromEntries(
        upstreams.map(({ base }, index) => [
          `up${index}`,
          { kind: 'openai-chat', base_url: base, key: 'sk-upstream', models: ['gpt-4.1'] },
        ]),
      ),
      models: { steady: { targets: names.map((provider) => ({ provider, model: 'gpt-4.1' })) } },
    },
  });
}, 300_000);
afterAll(async () => {
  await weir?.remove();
  await Promise.all(upstreams?.map((upstream) => upstream.stop()) ?? []);
});

interface Answer {
  readonly status: number;
  readonly provider: string;
}

/** Sends so many requests, eight at a time, each of the eight one after the other. */
async function asked(count: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  const lane = async (): Promise<void> => {
    while (answers.length < count) {
      const reply = await post(weir, scripted({ headDelayMs: workMs }, { model: 'steady' }));
      await reply.text();
      answers.push({ status: reply.status, provider: reply.headers.get('x-weir-provider') ?? '' });
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  return answers;
}

const failedOf = (answers: readonly Answer[]) => answers.filter(({ status }) => status !== 200);
const byKilled = (answers: readonly Answer[]) => answers.filter(({ provider }) => provider === 'up0').length;

test('one of three targets is killed while requests come, and comes back', async () => {
  const before = await asked(some);
  expect([failedOf(before), byKilled(before) > 0]).toEqual([[], true]);
  const [killed] = upstreams;
  if (killed === undefined) throw new Error('nothing to kill');
  const during = asked(many);
  await killed.kill();
  expect(failedOf(await during)).toEqual([]);
  const after = await asked(some);
  expect([failedOf(after), byKilled(after)]).toEqual([[], 0]);

  const back = await startUpstream(['gpt-4.1'], killed.port);
  upstreams[0] = back;
  const later: Answer[] = [];
  await until(async () => {
    later.push(...(await asked(16)));
    return (await back.invoice()).length > 10;
  });
  expect(failedOf(later)).toEqual([]);
  const invoice = (await back.invoice()).toSorted((one, other) => one.atMs - other.atMs);
  // No other request was sent until the probe was answered.
  const [probe, next] = invoice;
  expect(next?.atMs).toBeGreaterThanOrEqual(probe?.endedAtMs ?? Number.POSITIVE_INFINITY);
  expect(invoice.every(({ outcome }) => outcome !== 'cut')).toBe(true);
});
