/** A provider that takes every request and never answers: requests for other models are served meanwhile. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { post, scripted } from '../../harness/chat.ts';
import { sized } from '../../harness/size.ts';
import { until } from '../../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';

const hangingAtOnce = sized(80, 200);
const others = sized(80, 200);

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
      // A client that disconnects ends the provider's request at once.
      clocks: { read_on_ms: 0 },
    },
  });
}, 300_000);
afterAll(async () => {
  await weir?.remove();
  await Promise.all(upstreams?.map((upstream) => upstream.stop()) ?? []);
});

test(`${hangingAtOnce} requests hang at one provider: the others are served, and disconnecting ends the hanging ones`, async () => {
  const leaver = new AbortController();
  const hanging = Array.from({ length: hangingAtOnce }, () =>
    post(weir, scripted({ head: 'never' }, { model: 'stuck' }), { signal: leaver.signal }).catch(() => undefined),
  );
  const invoice = async () => (await upstreams[0]?.invoice()) ?? [];
  await until(async () => (await invoice()).length === hangingAtOnce, 60_000, 'every hanging request');
  const statuses = await Promise.all(
    Array.from({ length: others }, async () => (await post(weir, scripted({}, { model: 'fine' }))).status),
  );
  expect(statuses).toEqual(Array(others).fill(200));
  expect((await invoice()).filter(({ outcome }) => outcome !== 'open')).toEqual([]);
  leaver.abort();
  await Promise.all(hanging);
  await until(async () => (await invoice()).every(({ outcome }) => outcome === 'left'), 60_000, 'every hang-up');
  expect((await invoice()).length).toBe(hangingAtOnce);
});
