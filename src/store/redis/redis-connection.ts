/** A connection to Redis that is either up or known to be down: no command waits longer than its timeout, and it reconnects by itself. */

interface RedisScript {
  readonly source: string;
  readonly sha1: string;
}

export function redisScript(source: string): RedisScript {
  return { source, sha1: new Bun.CryptoHasher('sha1').update(source).digest('hex') };
}

export interface RedisConnectionOptions {
  readonly url: string;
  /** Loaded on every connection before it is used, so that commands keep their order from the first one. */
  readonly scripts?: readonly RedisScript[];
  /** To connect, and for a command to be answered. */
  readonly timeoutMs?: number;
  readonly probeEveryMs?: number;
  /** Called when Redis goes away and when it is back, for the log. */
  readonly onChange?: (available: boolean) => void;
}

interface RedisConnection {
  readonly available: boolean;
  /** Resolves when the first attempt to connect ended, well or not. */
  readonly tried: Promise<void>;
  /** Rejects at once while Redis is away, and within the command's time when it goes away. */
  run(script: RedisScript, keys: readonly string[], values: readonly string[]): Promise<unknown>;
  close(): void;
}

export function createRedisConnection(options: RedisConnectionOptions): RedisConnection {
  const { url, scripts = [], timeoutMs = 400, probeEveryMs = 250, onChange } = options;
  /** Send times of commands without a reply, oldest first. One timer watches them all. */
  const sentAtMs = new Map<number, number>();
  let commands = 0;
  let watch: Timer | undefined;
  let probe: Timer | undefined;
  let client: Bun.RedisClient | undefined;
  let closed = false;

  const drop = (failed: Bun.RedisClient): void => {
    if (client !== failed) return;
    client = undefined;
    sentAtMs.clear();
    clearTimeout(watch);
    watch = undefined;
    // Closing is what rejects the commands that wait on a server that no longer answers.
    failed.close();
    onChange?.(false);
    probeAfter(probeEveryMs);
  };

  const watchOldest = (watched: Bun.RedisClient): void => {
    watch = undefined;
    for (const oldestMs of sentAtMs.values()) {
      const leftMs = oldestMs + timeoutMs - performance.now();
      if (leftMs <= 0) drop(watched);
      else watch = setTimeout(watchOldest, leftMs, watched);
      return;
    }
  };

  const send = async (used: Bun.RedisClient, name: string, values: string[]): Promise<unknown> => {
    const command = commands++;
    sentAtMs.set(command, performance.now());
    watch ??= setTimeout(watchOldest, timeoutMs, used);
    try {
      return await used.send(name, values);
    } finally {
      sentAtMs.delete(command);
    }
  };

  const connect = async (): Promise<void> => {
    if (closed) return;
    const fresh = new Bun.RedisClient(url, {
      // Reconnecting is ours: the client's own would queue commands or give up for good.
      autoReconnect: false,
      enableOfflineQueue: false,
      connectionTimeout: timeoutMs,
      maxRetries: 0,
    });
    try {
      await fresh.connect();
      const checks = [fresh.send('PING', []), ...scripts.map(({ source }) => fresh.send('SCRIPT', ['LOAD', source]))];
      await within(timeoutMs, Promise.all(checks));
    } catch {
      fresh.close();
      probeAfter(probeEveryMs);
      return;
    }
    if (closed) {
      fresh.close();
      return;
    }
    fresh.onclose = () => drop(fresh);
    client = fresh;
    onChange?.(true);
  };

  const probeAfter = (delayMs: number): void => {
    if (closed) return;
    clearTimeout(probe);
    probe = setTimeout(() => void connect(), delayMs);
    probe.unref();
  };

  return {
    get available() {
      return client !== undefined;
    },
    tried: connect(),
    async run(script, keys, values) {
      const used = client;
      if (used === undefined) throw new Error('Redis is away.');
      const rest = [String(keys.length), ...keys, ...values];
      try {
        return await send(used, 'EVALSHA', [script.sha1, ...rest]).catch((error: unknown) => {
          if (!isUnknownScript(error)) throw error;
          return send(used, 'EVAL', [script.source, ...rest]);
        });
      } catch (error) {
        drop(used);
        throw error;
      }
    },
    close() {
      closed = true;
      clearTimeout(watch);
      clearTimeout(probe);
      const open = client;
      client = undefined;
      open?.close();
    },
  };
}

/** An operator may flush the server's scripts while we use them. */
function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

async function within<Value>(timeoutMs: number, value: Promise<Value>): Promise<Value> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No reply within ${timeoutMs} ms.`)), timeoutMs);
  });
  try {
    return await Promise.race([value, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Pings a Redis; rejects with the reason where it does not answer. */
export async function pingRedis(url: string, timeoutMs = 2_000): Promise<void> {
  const client = new Bun.RedisClient(url, { connectionTimeout: timeoutMs, autoReconnect: false });
  try {
    await client.connect();
    await client.ping();
  } finally {
    client.close();
  }
}
