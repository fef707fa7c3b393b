/** Close to what it may use, Weir refuses new requests and stays alive; the health checks still answer. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { errorOf, post, scripted } from '../harness/chat.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let weir: RunningWeir;
beforeAll(async () => {
  // Less than any process of Weir takes.
  weir = await startWeir({ yaml: { limits: { memory_bytes_max: 67_108_864 } } });
});
afterAll(() => weir.remove());

test('new requests get 503 with a time to wait', async () => {
  let refused: Response | undefined;
  await until(async () => {
    const reply = await post(weir, scripted({}, { model: 'sandbox-chat' }));
    if (reply.status === 503) refused = reply;
    else await reply.text();
    return refused !== undefined;
  });
  expect(refused?.headers.get('retry-after')).toBe('1');
  if (refused !== undefined) expect((await errorOf(refused)).code).toBe('gateway_overloaded');
  for (const path of ['healthz', 'readyz', 'metrics'])
    expect([path, (await fetch(`${weir.url}/${path}`)).status]).toEqual([path, 200]);
});
