/** The worst known bodies, and the reply to each. Their cost for other callers is measured by `npm run soak`. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createToken } from '../harness/token.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { worstBodies } from '../harness/worst-bodies.ts';

let upstream: RunningUpstream;
let weir: RunningWeir;
beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir({
    yaml: { providers: { up: { kind: 'openai', base_url: upstream.base, key: 'sk-upstream', models: ['gpt-4.1'] } } },
  });
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
});

/** Bytes as they are: a text of this size would be encoded again for each request. */
async function statusOf(token: string, body: Uint8Array<ArrayBuffer>): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const reply = await fetch(`${weir.base}/chat/completions`, { method: 'POST', headers, body });
  await reply.body?.cancel();
  return reply.status;
}

const bodies = worstBodies.map(({ name, status, make }) => ({ name, status, body: new Uint8Array(make()) }));

test.each(bodies)('$name: refused by its limits, or served', async ({ body, status }) => {
  expect(await statusOf(weir.token, body)).toBe(status);
}, 300_000);

test('a token with one request a minute gets no further body read', async () => {
  const token = await createToken(weir, '--rpm', '1', '--models', 'nothing-at-all');
  const statuses: number[] = [];
  for (const { body } of bodies) statuses.push(await statusOf(token.token, body));
  expect(statuses).toEqual([413, 429, 429, 429, 429]);
}, 300_000);
