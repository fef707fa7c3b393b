/** Weir without a free file descriptor: it reports that, blames no provider, and serves again once there is one. */

import { expect } from 'bun:test';
import { errorOf, post, scripted } from '../harness/chat.ts';
import { needing } from '../harness/needs.ts';
import { startUpstream } from '../harness/upstream.ts';
import { startWeir } from '../harness/weir.ts';

/** More than the failures that open a breaker. */
const refusals = 15;
const { test } = needing('prlimit');

test('too many open files is 503 gateway_overloaded, is logged, and no breaker opens', async () => {
  const upstream = await startUpstream(['first', 'second']);
  const place = { kind: 'openai-chat', base_url: upstream.base, key: 'sk-1' };
  // Two names of one server: the second one has no connection yet.
  const elsewhere = { ...place, base_url: upstream.base.replace('127.0.0.1', 'localhost') };
  const weir = await startWeir({
    yaml: { providers: { one: { ...place, models: ['first'] }, two: { ...elsewhere, models: ['second'] } } },
  });
  const limit = async (files: number): Promise<void> => {
    const set = Bun.spawn(['prlimit', '--pid', `${weir.pid}`, `--nofile=${files}:`]);
    expect(await set.exited).toBe(0);
  };
  try {
    // The client's connection is open before the limit is reached, and free again: its reply was read.
    const first = await post(weir, scripted({}, { model: 'first' }));
    expect(first.status).toBe(200);
    await first.arrayBuffer();
    // Below every descriptor that Weir may close and so make free again: only input, output and error remain.
    await limit(3);
    for (let round = 0; round < refusals; round++) {
      const reply = await post(weir, scripted({}, { model: 'second' }));
      expect(reply.status).toBe(503);
      expect(reply.headers.get('retry-after')).not.toBeNull();
      expect((await errorOf(reply)).code).toBe('gateway_overloaded');
    }
    expect(weir.output()).toContain('too many open files');
    expect(weir.output()).toContain('LimitNOFILE');
    await limit(1_024);
    expect((await post(weir, scripted({}, { model: 'second' }))).status).toBe(200);
  } finally {
    await weir.remove();
    await upstream.stop();
  }
}, 300_000);
