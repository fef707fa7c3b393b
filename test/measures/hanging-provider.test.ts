/** A provider that takes every request and never answers: the latency of the others with and without it. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { post, scripted } from '../harness/chat.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { judge } from './figures.ts';
import { p99, type Sample, startLoad } from './load.ts';

const perSecond = Number(process.env['WEIR_CHAOS_RATE'] ?? 150);
const rounds = 4;
const phaseMs = 1_250;
/** What a change of phase itself costs belongs to neither. */
const settlingMs = 250;
const hangingAtOnce = 200;
const ratioMax = 2;

let upstreams: RunningUpstream[];
let weir: RunningWeir;
beforeAll(async () => {
  upstreams = await Promise.all(Array.from({ length: 3 }, () => startUpstream()));
  const provider = ({ base }: RunningUpstream) => ({
    kind: 'openai-chat',
    base_url: base,
    key: 'sk-upstream',
    models: ['gpt-4.1'],
  });
  const [hanging, one, other] = upstreams.map(provider);
  weir = await startWeir({
    yaml: {
      providers: { hanging, one, other },
      models: {
        stuck: { targets: [{ provider: 'hanging', model: 'gpt-4.1' }] },
        fine: { targets: ['one', 'other'].map((name) => ({ provider: name, model: 'gpt-4.1' })) },
      },
      // The hanging ones are to be gone in the phases without them.
      clocks: { read_on_ms: 0 },
    },
  });
}, 30_000);
afterAll(async () => {
  await weir?.remove();
  await Promise.all(upstreams?.map((upstream) => upstream.stop()) ?? []);
});

test('one provider hangs on all requests', async () => {
  judge('p99 of the others while one provider hangs', await measuredRatio(), ratioMax, 'times their p99 without it');
}, 120_000);

/**
 * The others' p99 while one provider hangs, over theirs while none does, in turns; and that none of
 * their requests failed.
 */
async function measuredRatio(): Promise<number> {
  const { base, token } = weir;
  const load = await startLoad({ base, token, model: 'fine', perSecond, workMs: 20, secondsMax: 60 });
  await Bun.sleep(1_500);
  const phases: { readonly hangs: boolean; readonly fromMs: number; readonly toMs: number }[] = [];
  for (let round = 0; round < rounds * 2; round++) {
    const hangs = round % 2 === 1;
    const leaver = new AbortController();
    const hung = hangs ? hang(leaver.signal) : [];
    const fromMs = Date.now() + settlingMs;
    await Bun.sleep(phaseMs);
    phases.push({ hangs, fromMs, toMs: Date.now() });
    leaver.abort();
    await Promise.all(hung);
  }
  const samples = await load.finish();
  const during = (hangs: boolean): Sample[] =>
    phases
      .filter((phase) => phase.hangs === hangs)
      .flatMap(({ fromMs, toMs }) => samples.filter(({ atMs }) => atMs >= fromMs && atMs < toMs));
  const [without, with_] = [during(false), during(true)];
  const ratio = p99(with_) / p99(without);
  console.log(
    `chaos: p99 of the others ${p99(without).toFixed(1)} ms, ${p99(with_).toFixed(1)} ms while ${hangingAtOnce} requests ` +
      `hang at one provider (${ratio.toFixed(2)}x, ${with_.length} requests at ${perSecond}/s)`,
  );
  expect(samples.filter(({ status }) => status !== 200)).toEqual([]);
  return ratio;
}

function hang(signal: AbortSignal): Promise<unknown>[] {
  const body = scripted({ head: 'never' }, { model: 'stuck' });
  return Array.from({ length: hangingAtOnce }, () => post(weir, body, { signal }).catch(() => undefined));
}
