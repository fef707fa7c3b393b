/** A real Redis Cluster on loopback ports: its slots in equal parts, and a second server for some masters. */

import { limitKeys } from '../../src/store/redis/redis-keys.ts';
import { freePort } from './ports.ts';
import { type RedisServer, startRedis, tellRedis } from './redis.ts';
import { until } from './until.ts';

const slots = 16_384;

export interface RedisCluster {
  readonly nodes: readonly RedisServer[];
  /** The slot of Weir's keys. */
  readonly slot: string;
  /** The node that decides over Weir's keys. */
  owner(): Promise<RedisServer>;
  /** A master that does not. */
  other(): Promise<RedisServer>;
  idOf(node: RedisServer): Promise<string>;
  /** Starts a further server that follows this master, and is in step with it. */
  follow(master: RedisServer): Promise<RedisServer>;
  /** Makes it the master, in step with the one before it. */
  promote(follower: RedisServer): Promise<void>;
  /** Moves the slot of Weir's keys to another master; `between` runs while keys are at both. */
  moveSlot(to: RedisServer, between?: () => Promise<void>): Promise<void>;
  kill(): Promise<void>;
}

async function startNode(): Promise<RedisServer> {
  const bus = await freePort();
  return startRedis(undefined, {
    options: ['--cluster-enabled', 'yes', '--cluster-port', String(bus), '--cluster-node-timeout', '1000'],
  });
}

export async function startCluster(masters = 3): Promise<RedisCluster> {
  const nodes = await Promise.all(Array.from({ length: masters }, startNode));
  const [first] = nodes;
  if (first === undefined) throw new Error('a cluster has a node');
  const part = Math.ceil(slots / masters);
  const firstId = await tellRedis(first.url, 'CLUSTER', 'MYID');
  const idOf = async ({ url }: RedisServer): Promise<string> => String(await tellRedis(url, 'CLUSTER', 'MYID'));
  const slot = String(await tellRedis(first.url, 'CLUSTER', 'KEYSLOT', limitKeys('x')[0]));

  for (const [index, { url }] of nodes.entries()) {
    const [from, to] = [index * part, Math.min(slots, (index + 1) * part) - 1];
    await tellRedis(url, 'CLUSTER', 'ADDSLOTSRANGE', String(from), String(to));
    await tellRedis(url, 'CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
    if (index > 0) await meet(first.url, url);
  }
  const isOk = async ({ url }: RedisServer, count: number): Promise<boolean> => {
    const info = String(await tellRedis(url, 'CLUSTER', 'INFO'));
    return /cluster_state:ok/.test(info) && info.includes(`cluster_known_nodes:${count}`);
  };
  const settled = () =>
    until(async () => (await Promise.all(nodes.map((node) => isOk(node, nodes.length)))).every(Boolean));
  await settled();

  const ownerId = async (): Promise<string> => {
    for (const range of (await tellRedis(first.url, 'CLUSTER', 'SLOTS')) as [
      number,
      number,
      [string, number, string],
    ][])
      if (range[0] <= Number(slot) && Number(slot) <= range[1]) return range[2][2];
    return String(firstId);
  };
  const find = async (matches: (id: string) => boolean): Promise<RedisServer> => {
    for (const node of nodes) if (matches(await idOf(node))) return node;
    throw new Error('no such node');
  };
  const owner = async (): Promise<RedisServer> => {
    const id = await ownerId();
    return find((each) => each === id);
  };
  return {
    nodes,
    slot,
    owner,
    idOf,
    async other() {
      const id = await ownerId();
      return find((each) => each !== id);
    },
    async follow(master) {
      const node = await startNode();
      nodes.push(node);
      await meet(first.url, node.url);
      await settled();
      await tellRedis(node.url, 'CLUSTER', 'REPLICATE', await idOf(master));
      await until(async () => /master_link_status:up/.test(String(await tellRedis(node.url, 'INFO', 'replication'))));
      return node;
    },
    async promote(follower) {
      let sentMs = Number.NEGATIVE_INFINITY;
      await until(async () => {
        if ((await ownerId()) === (await idOf(follower))) return true;
        // The masters may refuse their votes, because they gave one a moment ago; an attempt ends after 5 s.
        if (performance.now() - sentMs < 6_000) return false;
        sentMs = performance.now();
        await tellRedis(follower.url, 'CLUSTER', 'FAILOVER').catch(() => undefined);
        return false;
      });
    },
    async moveSlot(to, between) {
      const from = await owner();
      const [fromId, toId] = [await idOf(from), await idOf(to)];
      await tellRedis(to.url, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId);
      await tellRedis(from.url, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
      await between?.();
      const keys = (await tellRedis(from.url, 'CLUSTER', 'GETKEYSINSLOT', slot, '10000')) as string[];
      const { hostname, port } = new URL(to.url);
      if (keys.length > 0) await tellRedis(from.url, 'MIGRATE', hostname, port, '', '0', '60000', 'KEYS', ...keys);
      for (const { url } of [to, from, ...nodes.filter((node) => node !== to && node !== from)])
        await tellRedis(url, 'CLUSTER', 'SETSLOT', slot, 'NODE', toId).catch(() => undefined);
    },
    async kill() {
      await Promise.all(nodes.map((node) => node.kill()));
    },
  };
}

async function meet(url: string, other: string): Promise<void> {
  const { hostname, port } = new URL(other);
  const info = String(await tellRedis(other, 'CONFIG', 'GET', 'cluster-port').then(JSON.stringify));
  const bus = /(\d{4,5})/.exec(info)?.[1] ?? '';
  await tellRedis(url, 'CLUSTER', 'MEET', hostname, port, bus);
}
