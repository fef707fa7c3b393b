/** Deliveries on a test clock: what is signed, how long each wait is, and when retries end. */

import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { fixedKeys } from '../../../test/harness/fixed-keys.ts';
import type { EgressRequest } from '../../upstream/egress/fetch-from-caller.ts';
import type { Callback } from '../task-store.ts';
import { Callbacks, callbackSecret, signedHeaders } from './callbacks.ts';

const key = new Uint8Array(32).fill(3);
const body = '{"type":"video.completed"}';

/** A store with one callback, and a scripted receiver. */
function world(answer: () => number | Error, ...olderKeys: Uint8Array[]) {
  let nowMs = 1_700_000_000_000;
  let due: number | undefined = nowMs;
  let tries = 0;
  const sent: (EgressRequest & { readonly atMs: number })[] = [];
  const warnings: string[] = [];
  const callbacks = new Callbacks({
    keys: fixedKeys(key, ...olderKeys),
    wallMs: () => nowMs,
    random: () => 0,
    warn: (message) => void warnings.push(message),
    store: {
      async claimCallbacks(atMs, leaseMs): Promise<readonly Callback[]> {
        if (due === undefined || due > atMs) return [];
        due = atMs + leaseMs;
        return [
          { taskId: 'video_1', tokenId: 'token-1', url: 'https://a.example/', body, tries: tries++, createdAtMs: 0 },
        ];
      },
      async endCallback() {
        due = undefined;
      },
      async postponeCallback(_taskId, dueAtMs) {
        due = dueAtMs;
      },
    },
    egress: {
      async open(request) {
        sent.push({ ...request, atMs: nowMs });
        const said = answer();
        if (said instanceof Error) throw said;
        const reject = () => Promise.reject(new Error('the reply of a receiver is not read'));
        return { status: said, header: () => undefined, whole: reject, read: reject, cancel: () => undefined };
      },
    },
  });
  return {
    callbacks,
    sent,
    warnings,
    isOpen: () => due !== undefined,
    /** To the moment when the callback is due next. */
    async turn() {
      if (due !== undefined) nowMs = due;
      await callbacks.deliver();
    },
  };
}

describe('a delivery', () => {
  test('that was taken is not repeated', async () => {
    const here = world(() => 204);
    await here.turn();
    await here.turn();
    expect([here.sent.length, here.isOpen()]).toEqual([1, false]);
    expect(here.sent[0]).toMatchObject({ method: 'POST', url: 'https://a.example/', redirectsMax: 0, body });
  });

  test('that was not waits longer each time, and is given up in the end', async () => {
    const answers: readonly (number | Error)[] = [500, 302, 404, new Error('no route'), 429, 503, 400, 418, 500];
    let at = 0;
    const here = world(() => answers[at++] ?? 200);
    while (here.isOpen()) await here.turn();
    const waits = here.sent.slice(1).map(({ atMs }, index) => (atMs - (here.sent[index]?.atMs ?? 0)) / 1_000);
    expect(waits).toEqual([5, 30, 120, 600, 1_800, 7_200, 14_400, 28_800]);
    expect(here.sent).toHaveLength(9);
    expect(here.warnings).toEqual(['A callback was given up.']);
  });

  test('is signed again for each try with the time of that try, under the same id', async () => {
    let at = 0;
    const here = world(() => (at++ === 0 ? 500 : 200));
    await here.turn();
    await here.turn();
    const [first, second] = here.sent.map(({ headers }) => headers);
    expect(first?.['webhook-id']).toBe(second?.['webhook-id'] ?? '');
    expect(Number(second?.['webhook-timestamp']) - Number(first?.['webhook-timestamp'])).toBe(5);
    expect(first?.['webhook-signature']).not.toBe(second?.['webhook-signature'] ?? '');
  });

  test('that was stopped is left to the next process', async () => {
    const here = world(() => 200);
    await here.callbacks.stop();
    await here.turn();
    expect([here.sent.length, here.isOpen()]).toEqual([0, true]);
  });
});

test('while keys are exchanged a delivery carries a signature of each, the newest first', async () => {
  const older = new Uint8Array(32).fill(9);
  const here = world(() => 200, older);
  await here.turn();
  const [sent] = here.sent;
  const headers = sent?.headers as Record<string, string>;
  const [id = '', at = ''] = [headers['webhook-id'], headers['webhook-timestamp']];
  const by = (each: Uint8Array): string =>
    signedHeaders([callbackSecret(each, 'token-1')], id, body, Number(at) * 1_000)['webhook-signature'] ?? '';
  expect(headers['webhook-signature']).toBe(`${by(key)} ${by(older)}`);
});

test('every token has a secret of its own, and the signature is that of the open standard', () => {
  const secret = callbackSecret(key, 'token-1');
  expect(secret).toStartWith('whsec_');
  expect(callbackSecret(key, 'token-2')).not.toBe(secret);
  const headers = signedHeaders([secret], 'msg_1', body, 1_700_000_000_999);
  const raw = Buffer.from(secret.slice(6), 'base64');
  const right = createHmac('sha256', raw).update(`msg_1.1700000000.${body}`).digest('base64');
  expect(headers).toEqual({
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1700000000',
    'webhook-signature': `v1,${right}`,
  });
});
