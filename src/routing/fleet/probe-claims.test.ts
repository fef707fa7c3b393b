/** When a replica claims a probe, keeps it and gives it up, with a clock and a state that the tests control. */

import { expect, test } from 'bun:test';
import { MemoryFleetState } from '../../../test/harness/memory-fleet-state.ts';
import { scriptedProvider } from '../../../test/harness/scripted-targets.ts';
import { Catalogue } from '../catalogue.ts';
import type { Health } from '../health.ts';
import { KeyRing } from '../keys.ts';
import { type ChangeList, FleetView } from './fleet-state.ts';
import { healthSource } from './health-source.ts';
import { ProbeClaims } from './probe-claims.ts';

const leaseMs = 10_000;

function fleet() {
  const clock = { nowMs: 1_000 };
  const state = new MemoryFleetState(() => clock.nowMs);
  const replica = () => {
    const catalogue = new Catalogue([scriptedProvider({ name: 'up', keys: ['one'] })], []);
    const view = new FleetView();
    let woken = 0;
    const claims = new ProbeClaims(healthSource(catalogue, new KeyRing()), view, () => woken++);
    catalogue.shareProbes((name) => claims.turnsOf('target', name));
    const health = catalogue.home('up', 'm')?.health as Health;
    health.applyReported('open', clock.nowMs, clock.nowMs);
    return {
      health,
      claims,
      admits: () => health.admits(clock.nowMs),
      woken: () => woken,
      async exchange(): Promise<ChangeList> {
        const changes: ChangeList = { remove: [], put: [], claim: [] };
        claims.outgoing(changes, view, clock.nowMs);
        const reading = await state.exchange(changes, view.revision);
        view.take(reading, clock.nowMs);
        claims.incoming(view, clock.nowMs, reading.claimed);
        return changes;
      },
      lose() {
        view.forget();
        claims.lost();
      },
    };
  };
  return { clock, replica };
}

async function twoReplicas() {
  const { clock, replica } = fleet();
  const [a, b] = [replica(), replica()];
  await a.exchange();
  await b.exchange();
  return { clock, a, b };
}

test('a replica that never reached the state probes by itself', () => {
  const a = fleet().replica();
  expect([a.admits(), a.woken()]).toEqual([true, 0]);
});

test('a request asks for the probe, and the first replica to ask gets it', async () => {
  const { clock, a, b } = await twoReplicas();
  expect([a.admits(), a.admits(), a.woken()]).toEqual([false, false, 1]);
  // Waiting for the answer is not waiting for a probe.
  expect(a.health.readyAtMs(clock.nowMs)).toBe(clock.nowMs);
  expect(b.admits()).toBe(false);
  await a.exchange();
  await b.exchange();
  expect([a.admits(), b.admits()]).toEqual([true, false]);
  expect(b.health.readyAtMs(clock.nowMs)).toBe(Number.POSITIVE_INFINITY);
  // It knows who has it, and sends nothing more.
  expect((await b.exchange()).claim).toEqual([]);
});

test('it is kept while the probe is in flight, and released with its end', async () => {
  const { clock, a, b } = await twoReplicas();
  a.admits();
  await a.exchange();
  const probe = a.health.enter(clock.nowMs);
  for (let seconds = 0; seconds < 40; seconds++) {
    clock.nowMs += 1_000;
    await a.exchange();
    await b.exchange();
    expect(b.admits()).toBe(false);
  }
  a.health.failed(probe, clock.nowMs);
  expect((await a.exchange()).remove).toHaveLength(1);
  await b.exchange();
  b.admits();
  await b.exchange();
  expect(b.admits()).toBe(true);
});

test('the claim of a replica that died runs out', async () => {
  const { clock, a, b } = await twoReplicas();
  a.admits();
  await a.exchange();
  a.health.enter(clock.nowMs);
  await b.exchange();
  clock.nowMs += leaseMs - 1;
  expect(b.admits()).toBe(false);
  clock.nowMs += 1;
  expect(b.admits()).toBe(false);
  await b.exchange();
  expect(b.admits()).toBe(true);
});

test('without a request to probe with it is given up, and the next request here need not wait', async () => {
  const { clock, a, b } = await twoReplicas();
  a.admits();
  await a.exchange();
  clock.nowMs += 1_001;
  expect((await a.exchange()).remove).toHaveLength(1);
  clock.nowMs += 60_000;
  // Two looks, as of a plan and of the walk behind it.
  expect([a.admits(), a.admits()]).toEqual([true, true]);
  a.health.enter(clock.nowMs);
  await a.exchange();
  await b.exchange();
  expect(b.admits()).toBe(false);
  clock.nowMs += 1_001;
  expect((await a.exchange()).remove).toEqual([]);
});

test('what was given up here and claimed elsewhere is not probed here', async () => {
  const { clock, a, b } = await twoReplicas();
  a.admits();
  await a.exchange();
  clock.nowMs += 1_001;
  await a.exchange();
  b.admits();
  await b.exchange();
  await a.exchange();
  expect([a.admits(), b.admits()]).toEqual([false, true]);
});

test('each replica probes by itself while the state is unavailable', async () => {
  const { a, b } = await twoReplicas();
  a.admits();
  await a.exchange();
  await b.exchange();
  a.lose();
  b.lose();
  expect([a.admits(), b.admits()]).toEqual([true, true]);
});
