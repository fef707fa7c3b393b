/**
 * Three replicas and one provider: they share open circuits, one probes for all, and what one learned all know. Through
 * Redis, and through PostgreSQL where there is no Redis.
 */

import { expect } from 'bun:test';
import { post } from '../../harness/chat.ts';
import { needing } from '../../harness/needs.ts';
import { stopRedis } from '../../harness/redis.ts';
import { type RefusingUpstream, startRefusing } from '../../harness/refusing-upstream.ts';
import { type Replicas, startReplicas } from '../../harness/replicas.ts';
import { createToken } from '../../harness/token.ts';
import { until } from '../../harness/until.ts';

const count = 3;
const indexes = [0, 1, 2] as const;
const broken = { status: 500, body: { error: { message: 'broken' } } };
const closed = ['0', '1'];
const halfOpen = '3';
const open = '4';
const isOpen = (state: string): boolean => state === open || state === halfOpen;

for (const kind of ['redis', 'postgres'] as const) {
  const { afterAll, beforeAll, beforeEach, describe, test } = needing('postgres', kind);
  describe(`three replicas share through ${kind}`, () => {
    let upstream: RefusingUpstream;
    let replicas: Replicas;
    let token: string;

    beforeAll(async () => {
      upstream = startRefusing();
      const up = {
        kind: 'openai-chat',
        base_url: `${upstream.base}/v1`,
        key: 'sk-up',
        models: ['one', 'two', 'three'],
      };
      const yaml = { providers: { up }, clocks: { patience_ms: 2_000 } };
      replicas = await startReplicas(count, { yaml, redis: kind === 'redis' });
      ({ token } = await createToken(replicas.at(0), '--may-explain'));
    }, 300_000);
    afterAll(async () => {
      await replicas?.remove();
      await upstream?.stop();
      if (kind === 'redis') await stopRedis();
    });
    beforeEach(() => upstream.reset());

    async function say(index: number, model: string, more: object = {}, headers = {}) {
      const body = { model, messages: [{ role: 'user', content: 'Good day' }], ...more };
      const reply = await post({ base: replicas.at(index).base, token }, body, { headers });
      return { status: reply.status, headers: reply.headers, text: await reply.text() };
    }
    const stateAt = async (index: number, model: string): Promise<string> => {
      const metrics = await (await fetch(`${replicas.at(index).url}/metrics`)).text();
      return new RegExp(`^weir_target_state\\{provider="up",model="${model}"\\} (\\d)$`, 'm').exec(metrics)?.[1] ?? '';
    };
    const allAre = async (model: string, isRight: (state: string) => boolean): Promise<boolean> =>
      (await Promise.all(indexes.map((index) => stateAt(index, model)))).every(isRight);

    /** Replica 0 sees it fail; then no replica uses it. */
    async function openEverywhere(model: string): Promise<void> {
      upstream.answer = () => broken;
      await until(async () => {
        await say(0, model);
        return isOpen(await stateAt(0, model));
      });
      await until(() => allAre(model, isOpen));
      upstream.reset();
    }
    const untilHalfOpen = (model: string): Promise<void> => until(() => allAre(model, (state) => state === halfOpen));

    test('an open circuit is probed once for all of them, and closes for all of them', async () => {
      const model = 'one';
      await openEverywhere(model);
      await untilHalfOpen(model);
      // The first probe takes so long that all other requests run out of patience.
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const answers = Array.from({ length: 3 * count }, (_, nth) => say(nth % count, model));
      upstream.hold = () => held;
      await until(() => upstream.seen.length > 0);
      const ended: number[] = [];
      for (const answer of answers) void answer.then(({ status }) => ended.push(status));
      await until(() => ended.length === answers.length - 1);
      expect(ended).toEqual(ended.map(() => 503));
      expect(upstream.seen).toHaveLength(1);
      // It fails: the circuit stays open everywhere, and the next probe is one for all again.
      upstream.answer = () => broken;
      release();
      await Promise.all(answers);
      await untilHalfOpen(model);
      expect(upstream.seen).toHaveLength(1);
      upstream.reset();
      await until(async () => (await say(2, model)).status === 200);
      expect(upstream.seen).toHaveLength(1);
      await until(() => allAre(model, (state) => closed.includes(state)));
      for (const index of indexes) expect((await say(index, model)).status).toBe(200);
      expect(upstream.seen).toHaveLength(1 + count);
    }, 300_000);

    test('the probe of a killed replica is sent by another', async () => {
      const model = 'two';
      await openEverywhere(model);
      await untilHalfOpen(model);
      upstream.hold = () => new Promise(() => undefined);
      const left = say(1, model).catch(() => undefined);
      await until(() => upstream.seen.length === 1);
      await replicas.at(1).kill();
      await left;
      upstream.reset();
      await until(async () => (await say(2, model)).status === 200);
      await replicas.at(1).restart();
      await until(() => allAre(model, (state) => closed.includes(state)));
    }, 300_000);

    test('a parameter that one replica learned to omit is omitted by all', async () => {
      const model = 'three';
      upstream.answer = ({ body }) =>
        body['temperature'] === undefined
          ? undefined
          : {
              status: 400,
              body: {
                error: {
                  message: "Unsupported parameter: 'temperature' is not supported with this model.",
                  type: 'invalid_request_error',
                  code: 'unsupported_parameter',
                  param: 'temperature',
                },
              },
            };
      expect((await say(0, model, { temperature: 0.5 })).status).toBe(200);
      expect(upstream.seen.map(({ body }) => body['temperature'])).toEqual([0.5, undefined]);
      const explained = async (index: number): Promise<string> =>
        (await say(index, model, { temperature: 0.5 }, { 'x-weir-explain': '1' })).text;
      for (const index of indexes) await until(async () => (await explained(index)).includes('learned from a refusal'));
      for (const index of indexes) {
        const { status, headers } = await say(index, model, { temperature: 0.5 });
        expect([status, headers.get('x-weir-attempts'), headers.get('x-weir-losses')]).toEqual([
          200,
          '1',
          'temperature',
        ]);
      }
      expect(upstream.seen.slice(2).map(({ body }) => body['temperature'])).toEqual(indexes.map(() => undefined));
    }, 300_000);
  });
}
