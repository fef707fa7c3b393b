/** The worst known bodies, and the reply to each. Their cost for other callers is measured by `npm run soak`. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { post } from '../harness/chat.ts';
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

test.each([...worstBodies])('$name: refused by its limits, or served', async ({ make, status }) => {
  expect((await post(weir, make().toString('utf8'))).status).toBe(status);
}, 300_000);

test('a token with one request a minute gets no further body read', async () => {
  const token = await createToken(weir, '--rpm', '1', '--models', 'nothing-at-all');
  const statuses: number[] = [];
  for (const { make } of worstBodies) statuses.push((await post(token, make().toString('utf8'))).status);
  expect(statuses).toEqual([413, 429, 429, 429, 429]);
}, 300_000);
