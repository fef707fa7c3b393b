/** Finds the node of Redis that takes Weir's writes: the one of the URL, or the one that a cluster names. */

import { addressesAt, faultAt, nodeNamedIn, type RedisAddress, RedisFault, shownAddress } from './redis-address.ts';
import { RedisNode } from './redis-node.ts';
import type { RedisScript } from './redis-script.ts';

interface FindOptions {
  readonly url: string;
  /** The node that Redis has just named. */
  readonly named?: readonly RedisAddress[];
  /** Nodes that were learned from Redis earlier, for when the one of the URL is gone. */
  readonly known?: readonly RedisAddress[];
  readonly scripts?: readonly RedisScript[];
  readonly timeoutMs: number;
}

const triesMax = 10;
/** All tries together, in timeouts of one. */
const timeoutsMax = 5;

const keyOf = ({ url, certificateName = '' }: RedisAddress): string => `${url} ${certificateName}`;

/** Rejects with a `RedisFault` that says why there is none. */
export async function findRedis({
  url,
  named = [],
  known = [],
  scripts = [],
  timeoutMs,
}: FindOptions): Promise<RedisNode> {
  const untilMs = performance.now() + timeoutsMax * timeoutMs;
  const open: RedisAddress[] = [...named, { url }, ...known];
  const tried = new Set<string>();
  let fault: RedisFault | undefined;
  for (let address = open.shift(); address !== undefined; address = open.shift()) {
    if (tried.has(keyOf(address))) continue;
    if (tried.size >= triesMax || performance.now() > untilMs) break;
    tried.add(keyOf(address));
    try {
      return await RedisNode.open({ address, scripts, timeoutMs });
    } catch (error) {
      const found = faultAt(address, error, url);
      const { next, refused } = namedBy(error, address, url);
      // What followed from the operator's own URL says more than what is remembered of other nodes.
      if (fault === undefined || !known.some((each) => keyOf(each) === keyOf(address))) fault = refused ?? found;
      open.unshift(...next);
    }
  }
  throw fault ?? new RedisFault(`${shownAddress({ url })}: no reply within ${timeoutsMax * timeoutMs} ms`);
}

function namedBy(said: unknown, at: RedisAddress, url: string): Named {
  try {
    const named = nodeNamedIn(said, at);
    return { next: named === undefined ? [] : addressesAt(url, named) };
  } catch (error) {
    return { next: [], refused: faultAt(at, error, url) };
  }
}

interface Named {
  readonly next: readonly RedisAddress[];
  readonly refused?: RedisFault;
}

/** For `weir doctor`: where Weir's keys are. Rejects with the reason where they cannot be written. */
export async function checkRedis(url: string, timeoutMs = 2_000): Promise<string> {
  const node = await findRedis({ url, timeoutMs });
  try {
    const others = await node.others();
    return others.length === 0 ? 'takes writes' : `takes writes; Weir’s keys are at ${shownAddress(node.address)}`;
  } finally {
    node.close();
  }
}
