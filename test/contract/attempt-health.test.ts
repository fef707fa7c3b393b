/** How attempts ended, on both engines: summed by minute, provider, key and model, with the last error of each. */

import { expect } from 'bun:test';
import { createHealthReader } from '../../src/admin/health/health-reader.ts';
import { AttemptSums } from '../../src/observe/attempt-sums.ts';
import type { EndedAttempt } from '../../src/relay/attempts/ended-attempt.ts';
import { Catalogue } from '../../src/routing/catalogue.ts';
import { KeyRing } from '../../src/routing/keys.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { scriptedProvider } from '../harness/scripted-targets.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

const minute = 60_000;
const hour = 60 * minute;
const now = 1_000 * hour;

const served = (given: Partial<EndedAttempt> = {}): EndedAttempt => ({
  ...{ provider: 'a', model: 'm', keyId: 'a1', verdict: '', atMs: now, totalMs: 1_000 },
  ...given,
});
const failed = (given: Partial<EndedAttempt> = {}): EndedAttempt =>
  served({
    verdict: 'uncertain',
    error: { requestId: 'req_1', status: 500, code: 'upstream_failed', message: 'Boom.' },
    ...given,
  });

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`attempt health on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    beforeEach(async () => {
      place = await engine.place();
      store = await place.open(() => now);
    });
    afterEach(() => place.dispose());

    const sumsOf = (opened: Store) =>
      new AttemptSums({
        store: opened.attemptHealth,
        onFault: (error) => {
          throw error;
        },
      });

    /** Health as a process sees it that starts now: nothing is known but what the database has. */
    async function reportAfterRestart(names: readonly string[] = ['a', 'b'], wallMs = now) {
      const providers = names.map((name) => scriptedProvider({ name, keys: [`${name}1`, `${name}2`] }));
      const reader = createHealthReader({
        store: store.attemptHealth,
        flush: async () => undefined,
        catalogue: new Catalogue(providers, []),
        keys: new KeyRing(),
        providerNames: () => names,
        nowMs: () => 0,
        wallMs: () => wallMs,
      });
      return reader.read();
    }

    test('a request that fell back: the attempt of the first provider counts as failed, that of the second as served', async () => {
      const sums = sumsOf(store);
      for (let request = 0; request < 10; request++) {
        if (request % 5 < 2) {
          sums.add(
            failed({ error: { requestId: `req_${request}`, status: 503, code: 'upstream_failed', message: 'Busy.' } }),
          );
          sums.add(served({ provider: 'b', keyId: 'b1' }));
        } else sums.add(served());
      }
      await sums.flush();
      const report = await reportAfterRestart();
      expect(report.provider('a')).toMatchObject({
        ...{ attempts: 10, failed: 4, errorRate: 0.4, state: 'degraded' },
        lastError: {
          status: 503,
          code: 'upstream_failed',
          message: 'Busy.',
          requestId: 'req_6',
          model: 'm',
          keyId: 'a1',
        },
      });
      expect(report.provider('b')).toMatchObject({ attempts: 4, failed: 0, errorRate: 0, state: 'healthy' });
      expect(report.key('a', 'a1')).toMatchObject({ attempts: 10, failed: 4, state: 'degraded' });
      expect(report.key('a', 'a2')).toEqual({ provider: 'a', keyId: 'a2', attempts: 0, failed: 0, state: 'no-data' });
      expect(report.target('a', 'm')).toMatchObject({ attempts: 10, errorRate: 0.4, state: 'degraded' });
      expect(report.targetsOf('b').map(({ model, state }) => [model, state])).toEqual([['m', 'healthy']]);
    });

    test('percentiles, tokens per second and errors are those of the provider, of each key and of each model', async () => {
      const sums = sumsOf(store);
      for (let index = 1; index <= 100; index++) {
        const [keyId, model] = index % 2 === 0 ? (['a1', 'quick'] as const) : (['a2', 'slow'] as const);
        const firstTokenMs = model === 'quick' ? 100 : 2_000;
        sums.add(served({ keyId, model, firstTokenMs, totalMs: firstTokenMs + 1_000, outputTokens: 50 }));
      }
      // It says nothing about how quick the provider is: not streamed, or not served.
      sums.add(served({ keyId: 'a1', model: 'quick', totalMs: 1_100, outputTokens: 9_999 }));
      sums.add(failed({ keyId: 'a1', model: 'quick', totalMs: 60_000 }));
      await sums.flush();
      const report = await reportAfterRestart();
      const quick = report.target('a', 'quick');
      const slow = report.target('a', 'slow');
      const close = (value: number | undefined, to: number) =>
        expect(Math.abs((value ?? 0) - to)).toBeLessThan(0.035 * to);
      close(quick.firstTokenMs?.p50, 100);
      close(quick.firstTokenMs?.p95, 100);
      close(quick.totalMs?.p95, 1_100);
      close(slow.firstTokenMs?.p50, 2_000);
      close(slow.totalMs?.p50, 3_000);
      expect([quick.tokensPerSecond, slow.tokensPerSecond]).toEqual([50, 50]);
      expect(report.key('a', 'a2')?.firstTokenMs).toEqual(slow.firstTokenMs);
      close(report.provider('a').firstTokenMs?.p50, 100);
      close(report.provider('a').firstTokenMs?.p95, 2_000);
      expect([quick.attempts, quick.failed, slow.attempts, slow.failed]).toEqual([52, 1, 50, 0]);
      expect([quick.lastError?.message, slow.lastError]).toEqual(['Boom.', undefined]);
    });

    test('the window is the last hour by minutes; the last error stays', async () => {
      const sums = sumsOf(store);
      sums.add(failed({ atMs: now - 61 * minute }));
      for (const age of [59, 59, 1]) sums.add(served({ atMs: now - age * minute }));
      sums.add(failed({ atMs: now - minute + 5 }));
      sums.add(served());
      await sums.flush();
      const { minutes, attempts, failed: bad } = (await reportAfterRestart()).provider('a');
      expect([attempts, bad, minutes.length]).toEqual([5, 1, 60]);
      expect([minutes[0], minutes[58], minutes[59], minutes[30]]).toEqual([
        { attempts: 2, failed: 0 },
        { attempts: 2, failed: 1 },
        { attempts: 1, failed: 0 },
        { attempts: 0, failed: 0 },
      ]);
      const later = (await reportAfterRestart(['a'], now + 3 * hour)).provider('a');
      expect([later.attempts, later.state, later.lastError?.at]).toEqual([
        0,
        'no-data',
        new Date(now - minute + 5).toISOString(),
      ]);
      await store.attemptHealth.expire(now + hour, now - 2 * hour);
      expect(await store.attemptHealth.since(0)).toMatchObject({
        sums: [],
        minutes: [],
        ends: [{ code: 'upstream_failed' }],
      });
      await store.attemptHealth.expire(now + hour, now + hour);
      expect((await store.attemptHealth.since(0)).ends).toEqual([]);
    });

    test('a rejected key is rejected after a restart, however long ago, until something is served with it', async () => {
      const refused = { requestId: 'req_1', status: 401, code: 'provider_unavailable', message: 'Invalid API key.' };
      const sums = sumsOf(store);
      sums.add(served({ atMs: now - 5 * hour }));
      sums.add(failed({ atMs: now - 4 * hour, verdict: 'key-refused', error: refused }));
      await sums.flush();
      const report = await reportAfterRestart();
      expect(report.key('a', 'a1')).toMatchObject({ state: 'key-rejected', lastError: { status: 401 } });
      expect(report.key('a', 'a2')?.state).toBe('no-data');
      expect([report.provider('a').state, report.provider('b').state]).toEqual(['key-rejected', 'no-data']);
      // Another key may serve it.
      expect(report.target('a', 'm').state).toBe('no-data');
      sums.add(failed({ keyId: 'a2', verdict: 'key-dead', error: refused }));
      await sums.flush();
      const dead = await reportAfterRestart();
      expect([dead.target('a', 'm').state, dead.target('a', 'never-called').state]).toEqual([
        'key-rejected',
        'key-rejected',
      ]);
      sums.add(served({ atMs: now + 1 }));
      await sums.flush();
      const back = await reportAfterRestart();
      expect([back.key('a', 'a1')?.state, back.target('a', 'm').state]).toEqual(['healthy', 'degraded']);
      expect(back.provider('a').state).toBe('key-rejected');
    });

    test('another key under the same id starts without a past', async () => {
      const sums = sumsOf(store);
      sums.add(failed({ verdict: 'key-refused' }));
      await sums.flush();
      expect((await reportAfterRestart()).key('a', 'a1')?.state).toBe('key-rejected');
      sums.forgetKey('a', 'a1');
      sums.add(served({ atMs: now + 1 }));
      await sums.flush();
      const { ends } = await store.attemptHealth.since(now - hour);
      expect(ends).toEqual([
        expect.objectContaining({ rejectedAtMs: 0, failedAtMs: 0, code: '', servedAtMs: now + 1 }),
      ]);
    });

    test('replicas are added up, and writing twice changes nothing', async () => {
      const second = engine.name === 'sqlite' ? store : await place.open(() => now);
      const [one, other] = [sumsOf(store), sumsOf(second)];
      one.add(served({ totalMs: 100 }));
      await one.flush();
      one.add(failed({ atMs: now + 10 }));
      await one.flush();
      await one.flush();
      if (engine.name !== 'sqlite') {
        other.add(failed({ atMs: now + 5, error: { requestId: 'req_2', code: 'upstream_timeout', message: 'Late.' } }));
        await other.flush();
      }
      const found = (await reportAfterRestart()).provider('a');
      expect([found.attempts, found.failed, found.lastError?.message]).toEqual(
        engine.name === 'sqlite' ? [2, 1, 'Boom.'] : [3, 2, 'Boom.'],
      );
    });

    test('what could not be written is written the next time', async () => {
      let works = false;
      const sums = new AttemptSums({
        store: {
          forgetKey: store.attemptHealth.forgetKey,
          put: async (minutes, ends) => {
            if (!works) throw new Error('away');
            await store.attemptHealth.put(minutes, ends);
          },
        },
        onFault: () => undefined,
      });
      sums.add(failed());
      await expect(sums.flush()).rejects.toThrow('away');
      sums.add(served({ atMs: now + minute }));
      works = true;
      await sums.flush();
      expect((await reportAfterRestart(['a'], now + minute)).provider('a')).toMatchObject({ attempts: 2, failed: 1 });
    });

    test('a million attempts are read as a few rows', async () => {
      const sums = sumsOf(store);
      const perMinute = 16_668;
      for (let age = 59; age >= 0; age--) {
        for (let index = 0; index < perMinute; index++) {
          const names = { keyId: `a${index % 2}`, model: `m${index % 3}` };
          sums.add(served({ ...names, atMs: now - age * minute, totalMs: index % 5_000 }));
        }
        await sums.flush();
      }
      expect(Number((await place.query('SELECT COUNT(*) FROM attempt_minutes'))[0]?.[0])).toBe(60 * 6);
      expect((await store.attemptHealth.since(now - hour)).sums.length).toBe(6);
      expect((await reportAfterRestart()).provider('a').attempts).toBe(60 * perMinute);
    });

    test('models of callers’ names: beyond a bound they are counted without their model, and none is lost', async () => {
      const sums = sumsOf(store);
      for (let index = 0; index < 3_000; index++) sums.add(served({ model: `m${index}` }));
      await sums.flush();
      const report = await reportAfterRestart();
      expect([report.provider('a').attempts, report.target('a', '').attempts]).toEqual([3_000, 1_000]);
    });
  });
}
