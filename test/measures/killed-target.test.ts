/** One of three targets is killed under a steady load and comes back: no request fails, and the latency recovers. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { judge } from './figures.ts';
import { p99, type Sample, startLoad } from './load.ts';

const perSecond = Number(process.env['WEIR_CHAOS_RATE'] ?? 300);
const warmUpMs = 6_000;
const awayMs = 4_000;
/** Long enough that more would come at once, were the first not a probe. */
const workMs = 40;

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
}, 30_000);
afterAll(async () => {
  await weir?.remove();
  await Promise.all(upstreams?.map((upstream) => upstream.stop()) ?? []);
});

test(`one of three targets killed under ${perSecond} requests/s`, async () => {
  const { base, token } = weir;
  const load = await startLoad({ base, token, model: 'steady', perSecond, workMs, secondsMax: 60 });
  const startedAtMs = Date.now();
  await Bun.sleep(warmUpMs);
  const killedAtMs = Date.now();
  const [killed] = upstreams;
  if (killed === undefined) throw new Error('no target to kill');
  await killed.kill();
  await Bun.sleep(awayMs);
  const backAtMs = Date.now();
  const back = await startUpstream(['gpt-4.1'], killed.port);
  upstreams[0] = back;
  await until(async () => (await back.invoice()).length > perSecond / 3, 30_000, 'traffic to the one that came back');
  const samples = await load.finish();

  const between = (fromMs: number, toMs: number): Sample[] =>
    samples.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
  const before = between(startedAtMs + 2_000, killedAtMs);
  const after = between(killedAtMs + 2_000, backAtMs);
  const failed = samples.filter(({ status }) => status !== 200);
  const ratio = p99(after) / p99(before);
  const invoice = (await back.invoice()).toSorted((one, other) => one.atMs - other.atMs);
  const second = samples.filter(({ attempts }) => attempts > 1).length;
  console.log(
    `chaos: ${samples.length} requests at ${perSecond}/s, ${failed.length} failed, ${second} needed a second target; ` +
      `p99 ${p99(before).toFixed(1)} ms before the kill, ${p99(after).toFixed(1)} ms from 2 s after it on (${ratio.toFixed(2)}x); ` +
      `first request to the one that came back ${Math.round((invoice[0]?.atMs ?? 0) - backAtMs)} ms after its start`,
  );
  expect(failed).toEqual([]);
  expect(before.filter(({ provider }) => provider === 'up0').length).toBeGreaterThan(before.length / 5);
  expect(after.filter(({ provider }) => provider === 'up0').length).toBe(0);
  judge('p99 from 2 s after the kill', ratio, 5, 'times the p99 before');
  expect(invoice.every(({ outcome }) => outcome !== 'cut')).toBe(true);
}, 120_000);
