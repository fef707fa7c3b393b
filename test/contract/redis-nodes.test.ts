/**
 * Limits in whatever answers at `redis_url`: wherever Redis takes writes, four replicas serve exactly the limit, and wherever it
 * does not, they know why. Real servers: a cluster, followers, demoted nodes, servers that are no Redis for data.
 */

import { expect } from 'bun:test';
import { callerOf } from '../../src/access/levels/caller-of.ts';
import { checkRedis } from '../../src/store/redis/find-redis.ts';
import { limitKeys } from '../../src/store/redis/redis-keys.ts';
import { createRedisLimiter, type RedisLimiter, type RedisLimiterOptions } from '../../src/store/redis/redis-limits.ts';
import { makeDoor } from '../harness/door.ts';
import { needing } from '../harness/needs.ts';
import { freePort } from '../harness/ports.ts';
import { type RedisServer, startRedis, tellRedis } from '../harness/redis.ts';
import { type RedisCluster, startCluster } from '../harness/redis-cluster.ts';
import { sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';

const { afterAll, afterEach, beforeAll, describe, test } = needing('redis');

const rpm = 40;
const password = 'p@ss/word-of-redis';
/** A busy machine is not a Redis that is gone; a dead one refuses connections at once. */
const timeoutMs = 10_000;

const opened: RedisLimiter[] = [];
const servers: RedisServer[] = [];
const ending: (() => void)[] = [];

async function replicas(
  urls: readonly string[],
  given: Pick<RedisLimiterOptions, 'checkEveryMs' | 'timeoutMs' | 'onChange'> = {},
): Promise<readonly RedisLimiter[]> {
  const made = Array.from({ length: 4 }, (_, index) => {
    const url = urls[index % urls.length] ?? '';
    return createRedisLimiter({ url, nowMs: () => performance.now(), timeoutMs, ...given });
  });
  opened.push(...made);
  await Promise.all(made.map(({ tried }) => tried));
  return made;
}

const callerWith = (terms: { readonly rpm?: number; readonly concurrency?: number }) => {
  const id = `nodes-${crypto.randomUUID()}`;
  return callerOf({ id, hint: '', createdAtMs: 0, terms: { name: id, ...terms } });
};

/** All at once, over all replicas in turn. */
async function served(
  limiters: readonly RedisLimiter[],
  caller = callerWith({ rpm }),
  times = 3 * rpm,
): Promise<number> {
  const entries = Array.from({ length: times }, async (_, index) => limiters[index % 4]?.enter(caller, 0, `r${index}`));
  return (await Promise.allSettled(entries)).filter(({ status }) => status === 'fulfilled').length;
}

/** Of many tokens at once: their keys must not be of several nodes. */
async function servedOfMany(limiters: readonly RedisLimiter[]): Promise<number> {
  const tokens = Array.from({ length: sized(4, 16) }, () => served(limiters));
  return (await Promise.all(tokens)).reduce((sum, each) => sum + each, 0) / tokens.length;
}

async function server(...given: Parameters<typeof startRedis>): Promise<RedisServer> {
  const started = await startRedis(...given);
  servers.push(started);
  return started;
}

const faults = (limiters: readonly RedisLimiter[]) => limiters.map(({ fault }) => fault?.message);
const decides = (limiters: readonly RedisLimiter[]) => () => limiters.every(({ fault, shared }) => shared && !fault);
const demote = (node: RedisServer, master: RedisServer) =>
  tellRedis(node.url, 'REPLICAOF', '127.0.0.1', new URL(master.url).port);
const inStep = async (node: RedisServer) =>
  until(async () => /master_link_status:up/.test(String(await tellRedis(node.url, 'INFO', 'replication'))));

afterEach(async () => {
  for (const limiter of opened.splice(0)) limiter.close();
  for (const end of ending.splice(0)) end();
  await Promise.all(servers.splice(0).map((each) => each.kill()));
}, 60_000);

describe('a cluster of three masters', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startCluster();
  }, 300_000);
  afterAll(async () => {
    await cluster?.kill();
  });
  const byName = ({ url }: RedisServer) => url.replace('127.0.0.1', 'localhost');

  test('whichever node a replica is given, by name or by address, all decide together', async () => {
    const urls = [...cluster.nodes.map(({ url }) => url), ...cluster.nodes.slice(0, 1).map(byName)];
    const limiters = await replicas(urls);
    expect(await servedOfMany(limiters)).toBe(rpm);
    expect(faults(limiters)).toEqual([undefined, undefined, undefined, undefined]);
    for (const url of urls) expect(await checkRedis(url)).toContain(new URL((await cluster.owner()).url).port);
  }, 120_000);

  test('user and password are those of the URL at every node', async () => {
    for (const { url } of cluster.nodes)
      await tellRedis(url, 'ACL', 'SETUSER', 'weir', 'on', `>${password}`, '~{weir}:*', '+@all');
    const urls = cluster.nodes.map(({ url }) => url.replace('//', `//weir:${encodeURIComponent(password)}@`));
    const limiters = await replicas(urls);
    expect(await served(limiters)).toBe(rpm);
    expect(faults(limiters)).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('another database than 0 is a mistake, in one sentence', async () => {
    const [limiter] = await replicas([`${cluster.nodes[0]?.url}/3`]);
    expect(limiter?.fault).toMatchObject({ isMistake: true });
    expect(limiter?.fault?.message).toBe(
      'A Redis Cluster has no database but 0: remove the number at the end of redis_url.',
    );
  });

  test('while the slot is moved under load the limit holds where Redis decides, and it is followed at once', async () => {
    const limiters = await replicas(cluster.nodes.map(({ url }) => url));
    const caller = callerWith({ rpm });
    expect(await served(limiters, caller, 20)).toBe(20);
    const next = await cluster.other();
    await cluster.moveSlot(next);
    expect(await served(limiters, caller)).toBe(rpm - 20);
    await cluster.moveSlot(await cluster.other(), async () => {
      // A token whose keys are at neither node cannot be counted until the move is done.
      await served(limiters);
      await until(() => limiters.every(({ fault }) => /ASK|TRYAGAIN|MOVED/.test(fault?.message ?? '')));
    });
    await until(decides(limiters));
    expect(await servedOfMany(limiters)).toBe(rpm);
  }, 120_000);

  test('a follower that is promoted under load is followed, also where the first node is gone', async () => {
    const before = await cluster.owner();
    const follower = await cluster.follow(before);
    let connected = 0;
    const onChange = (works: boolean): void => void (works && connected++);
    const limiters = await replicas([before.url], { onChange });
    const caller = callerWith({ rpm });
    expect(await served(limiters, caller, 20)).toBe(20);
    await tellRedis(before.url, 'WAIT', '1', '10000');
    await cluster.promote(follower);
    expect(await served(limiters, caller)).toBe(rpm - 20);
    await until(decides(limiters));
    await before.kill();
    // What they were given is gone, and they have to connect once more.
    connected = 0;
    await tellRedis(follower.url, 'CLIENT', 'KILL', 'TYPE', 'normal');
    await until(() => connected >= 4 && decides(limiters)());
    expect(await servedOfMany(limiters)).toBe(rpm);
  }, 120_000);
});

describe('a server and its follower', () => {
  test('a read-only follower is no Redis for limits, and says so at the check, not at the first request', async () => {
    const [master, follower] = [await server(), await server()];
    await demote(follower, master);
    await inStep(follower);
    const limiters = await replicas([follower.url]);
    for (const text of faults(limiters)) expect(text).toMatch(/^127\.0\.0\.1:\d+: READONLY You can't write/);
    expect(await served(limiters)).toBe(3 * rpm);
    expect(await checkRedis(follower.url).catch(String)).toContain('READONLY');
    await tellRedis(follower.url, 'REPLICAOF', 'NO', 'ONE');
    await until(decides(limiters));
    expect(await servedOfMany(limiters)).toBe(rpm);
  }, 120_000);

  test('the connected node is demoted while nothing is asked: the check finds it', async () => {
    const [one, other] = [await server(), await server()];
    const limiters = await replicas([one.url], { checkEveryMs: 50 });
    await demote(one, other);
    await until(() => limiters.every(({ fault }) => fault?.message.includes('READONLY')));
    expect(limiters.every(({ shared }) => !shared)).toBe(true);
  }, 120_000);

  test('behind a name that follows the failover, a demoted node is left with the next request', async () => {
    const [one, other] = [await server(), await server()];
    await demote(other, one);
    await inStep(other);
    const target = new URL(one.url);
    const door = makeDoor(target);
    ending.push(() => door.shut());
    const limiters = await replicas([`redis://127.0.0.1:${door.port}`]);
    const caller = callerWith({ rpm });
    expect(await served(limiters, caller, 20)).toBe(20);
    await tellRedis(one.url, 'WAIT', '1', '10000');
    await tellRedis(other.url, 'REPLICAOF', 'NO', 'ONE');
    await demote(one, other);
    target.port = new URL(other.url).port;
    expect(await served(limiters, caller)).toBe(rpm - 20);
    expect(decides(limiters)()).toBe(true);
  }, 120_000);
});

test('slots that are in use are in a Redis that is back empty before anything else is decided', async () => {
  const first = await server();
  const limiters = await replicas([first.url]);
  const caller = callerWith({ concurrency: 4 });
  expect(await served(limiters, caller, 16)).toBe(4);
  await first.kill();
  await until(() => limiters.every(({ shared }) => !shared));
  const again = await server(Number(new URL(first.url).port));
  await until(decides(limiters));
  expect(await tellRedis(again.url, 'ZCARD', limitKeys(caller.tokenId)[1])).toBe(4);
  expect(await served(limiters, caller, 16)).toBe(0);
}, 120_000);

test('a database number stays in force', async () => {
  const { url } = await server();
  const [limiter] = await replicas([`${url}/3`]);
  const caller = callerWith({ rpm });
  await limiter?.enter(caller, 0, 'r');
  expect(await tellRedis(`${url}/3`, 'EXISTS', limitKeys(caller.tokenId)[0])).toBe(1);
  expect(await tellRedis(url, 'EXISTS', limitKeys(caller.tokenId)[0])).toBe(0);
});

interface Unusable {
  readonly name: string;
  readonly make: () => Promise<string>;
  readonly text: RegExp;
  /** A start with it is refused. */
  readonly isMistake?: boolean;
  /** Where a server waits for more. */
  readonly timeoutMs?: number;
}

const withPassword = async (given: string): Promise<string> => {
  const { url } = await server();
  await tellRedis(url, 'CONFIG', 'SET', 'requirepass', password);
  return url.replace('//', `//${given}`);
};
const listening = (said: string | undefined) => async (): Promise<string> => {
  const socket = {
    data: (peer: Bun.Socket) => void (said !== undefined && peer.end(said)),
  };
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket });
  ending.push(() => listener.stop(true));
  return `redis://:${encodeURIComponent(password)}@127.0.0.1:${listener.port}`;
};

const unusable: readonly Unusable[] = [
  { name: 'a port without a server', make: async () => `redis://127.0.0.1:${await freePort()}`, text: /ECONNREFUSED/ },
  { name: 'no password', make: () => withPassword(''), text: /NOAUTH/ },
  { name: 'a wrong password', make: () => withPassword(`:wrong-${encodeURIComponent(password)}@`), text: /WRONGPASS/ },
  { name: 'an unknown user', make: () => withPassword(`u:${encodeURIComponent(password)}@`), text: /WRONGPASS/ },
  {
    name: 'a user that may not write there',
    async make() {
      const { url } = await server();
      await tellRedis(url, 'ACL', 'SETUSER', 'weir', 'on', `>${password}`, '~other:*', '+@all');
      return url.replace('//', `//weir:${encodeURIComponent(password)}@`);
    },
    text: /NOPERM/,
  },
  {
    name: 'a full one',
    async make() {
      const { url } = await server(undefined, { options: ['--maxmemory', '1kb', '--maxmemory-policy', 'noeviction'] });
      return url;
    },
    text: /OOM command not allowed/,
  },
  {
    name: 'a cluster without slots',
    async make() {
      const options = ['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())];
      return (await server(undefined, { options })).url;
    },
    text: /CLUSTERDOWN/,
  },
  {
    name: 'TLS where there is none',
    make: async () => (await server()).url.replace('redis:', 'rediss:'),
    text: /no reply within 500 ms/,
    timeoutMs: 500,
  },
  {
    name: 'a database that is not there',
    make: async () => `${(await server()).url}/99`,
    text: /no database with the number/,
    isMistake: true,
  },
  {
    name: 'a sentinel',
    make: async () => (await server(undefined, { isSentinel: true })).url,
    text: /Redis Sentinel/,
    isMistake: true,
  },
  {
    name: 'a web server',
    make: listening('HTTP/1.1 400 Bad Request\r\n\r\n'),
    text: /^What answers at 127\.0\.0\.1:\d+ is not Redis\.$/,
    isMistake: true,
  },
  {
    name: 'a server whose error repeats the password',
    make: listening(`-ERR who is ${password}\r\n`),
    text: /ERR who is/,
  },
];

test.each(unusable)('what is no Redis for limits is named in its own words: $name', async ({
  make,
  text,
  isMistake = false,
  ...given
}) => {
  const url = await make();
  const [limiter] = await replicas([url], given);
  const { fault } = limiter ?? {};
  expect(limiter?.shared).toBe(false);
  expect(fault?.message).toMatch(text);
  expect(fault?.isMistake).toBe(isMistake);
  expect(fault?.message).not.toContain(password);
  expect(fault?.message).not.toContain('\n');
  expect(fault?.message.length).toBeLessThan(300);
  expect(await checkRedis(url, given.timeoutMs ?? timeoutMs).catch((error: Error) => error.message)).toMatch(text);
}, 120_000);
