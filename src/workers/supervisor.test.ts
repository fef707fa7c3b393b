/** The supervisor with processes that only join it. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { until } from '../../test/harness/until.ts';
import { freePort } from '../http/listener.ts';
import { startSupervisor } from './supervisor.ts';

/** A worker as far as its supervisor knows it: it serves nothing. */
const joining = `
  import { joinHub } from ${JSON.stringify(join(import.meta.dir, 'worker-link.ts'))};
  const place = JSON.parse(process.env.PLACE);
  const link = await joinHub(place, () => process.exit(0));
  const services = { metrics: async () => '', endInstance: async () => undefined };
  await link.ready(services, crypto.randomUUID(), '');
  process.stderr.write(process.pid + '\\n');
  process.on('SIGTERM', () => process.exit(0));
`;

test('a worker that does not answer for long is killed and replaced', async () => {
  const said: string[] = [];
  const pids: number[] = [];
  const host = '127.0.0.1';
  const supervisor = await startSupervisor({
    workers: 1,
    host,
    port: freePort(host, 0),
    sqlite: undefined,
    command: [process.execPath, '-e', joining],
    environmentOf: (place) => ({ PLACE: JSON.stringify(place) }),
    say: (message) => said.push(message),
    writeLine: (line) => pids.push(Number(line)),
    touchEveryMs: 100,
  });
  try {
    await until(() => pids.length > 0);
    const pid = pids[0] ?? 0;
    process.kill(pid, 'SIGSTOP');
    await until(() => pids.length > 1, undefined, 'another worker');
    const ended = said.filter((message) => message.includes(`(process ${pid})`));
    expect(ended).toEqual([
      `Worker 1 (process ${pid}) has not answered for 1.2 s: it is ended.`,
      `Worker 1 (process ${pid}) ended: SIGKILL. Another one is started.`,
    ]);
  } finally {
    await supervisor.stop();
  }
});
