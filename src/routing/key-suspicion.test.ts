import { describe, expect, test } from 'bun:test';
import { scriptedRoute } from '../../test/harness/scripted-targets.ts';
import type { ProbeOutcome } from '../providers/probe/probe-key.ts';
import { probeEveryMs } from './key-suspicion.ts';
import { KeyRing } from './keys.ts';

function setUp(outcomes: ProbeOutcome[] | undefined) {
  let nowMs = 1_000;
  let probes = 0;
  const waiting: (() => void)[] = [];
  const probe = (): Promise<ProbeOutcome> => {
    probes += 1;
    return new Promise((resolve) => waiting.push(() => resolve(outcomes?.shift() ?? 'unknown')));
  };
  const ring = new KeyRing(outcomes && probe);
  const { targets } = scriptedRoute([{ name: 'a' }]);
  const [target] = targets;
  const key = target?.provider.keys[0];
  if (target === undefined || key === undefined) throw new Error('no target');
  const clock = () => nowMs;
  return {
    pass: (ms: number) => (nowMs += ms),
    probes: () => probes,
    isUsable: () => ring.pick(target, new Set(), clock) !== undefined,
    served: () => ring.served(target, key, ring.enter(target.provider, key, nowMs), nowMs),
    /** A request that goes out with the key and is refused; the probe is answered at once unless it is to wait. */
    async refused(given: { tokenId?: string; clear?: boolean; model?: string; waits?: boolean } = {}) {
      const { tokenId = 'one', clear = true, model = target.model, waits = false } = given;
      const turn = ring.enter(target.provider, key, nowMs);
      ring.refused({ ...target, model }, key, { turn, tokenId, clear }, clock);
      if (!waits) await this.answer();
    },
    async answer() {
      for (const go of waiting.splice(0)) go();
      await Promise.resolve();
      await Promise.resolve();
    },
  };
}

describe('with a neutral call', () => {
  test('a key that it accepts stays in use, whichever caller is refused', async () => {
    const bench = setUp(Array<ProbeOutcome>(10).fill('works'));
    for (let round = 0; round < 10; round++) {
      await bench.refused({ tokenId: `${round}` });
      bench.pass(probeEveryMs);
    }
    expect([bench.isUsable(), bench.probes()]).toEqual([true, 10]);
  });

  test('a key that it refuses is closed, longer each time, and comes back when it works', async () => {
    const bench = setUp(['refused', 'refused', 'works']);
    await bench.refused();
    expect(bench.isUsable()).toBe(false);
    bench.pass(60_000);
    expect(bench.isUsable()).toBe(true);
    await bench.refused();
    bench.pass(60_000);
    expect(bench.isUsable()).toBe(false);
    bench.pass(60_000);
    expect(bench.isUsable()).toBe(true);
    await bench.refused();
    expect(bench.isUsable()).toBe(true);
    await bench.refused();
    expect(bench.isUsable()).toBe(true);
  });

  test('one runs at a time, and one in ten seconds', async () => {
    const bench = setUp(['works', 'works']);
    for (let round = 0; round < 50; round++) await bench.refused({ waits: true });
    expect(bench.probes()).toBe(1);
    await bench.answer();
    bench.pass(probeEveryMs - 1);
    await bench.refused();
    expect(bench.probes()).toBe(1);
    bench.pass(1);
    await bench.refused();
    expect(bench.probes()).toBe(2);
  });
});

describe.each([
  ['no neutral call', undefined],
  ['one that proves nothing', [] as ProbeOutcome[]],
] as const)('with %s', (_name, outcomes) => {
  const start = () => setUp(outcomes === undefined ? undefined : [...outcomes]);

  test('one caller closes nothing, however often', async () => {
    const bench = start();
    for (let round = 0; round < 20; round++) await bench.refused();
    expect(bench.isUsable()).toBe(true);
  });

  test('two callers close it, or two models', async () => {
    for (const second of [{ tokenId: 'two' }, { model: 'other' }]) {
      const bench = start();
      await bench.refused();
      await bench.refused(second);
      expect(bench.isUsable()).toBe(false);
    }
  });

  test('not where the words are not clear, the first is a minute ago, or it served in between', async () => {
    const unclear = start();
    await unclear.refused({ clear: false });
    await unclear.refused({ clear: false, tokenId: 'two' });
    expect(unclear.isUsable()).toBe(true);
    const late = start();
    await late.refused();
    late.pass(60_000);
    await late.refused({ tokenId: 'two' });
    expect(late.isUsable()).toBe(true);
    const served = start();
    await served.refused();
    served.pass(1);
    served.served();
    await served.refused({ tokenId: 'two' });
    expect(served.isUsable()).toBe(true);
  });
});
