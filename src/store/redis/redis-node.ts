/** A connection to one node of Redis that was seen to take what Weir writes. No command waits longer than its timeout. */

import { type RedisAddress, RedisFault, readNode } from './redis-address.ts';
import { diagnose } from './redis-diagnosis.ts';
import { checkKeys } from './redis-keys.ts';
import { batchScript, checkBatches } from './redis-limit-scripts.ts';
import type { RedisScript } from './redis-script.ts';

interface RedisNodeOptions {
  readonly address: RedisAddress;
  /** Loaded before it is used, so that commands keep their order from the first one. */
  readonly scripts: readonly RedisScript[];
  readonly timeoutMs: number;
}

const mistakes: readonly (readonly [pattern: RegExp, text: string])[] = [
  [
    /SELECT is not allowed in cluster mode/,
    'A Redis Cluster has no database but 0: remove the number at the end of redis_url.',
  ],
  [/DB index is out of range/, 'This Redis has no database with the number at the end of redis_url.'],
  [
    /unknown command .?(?:EVAL|EVALSHA|SCRIPT|SELECT)\b/i,
    'This server runs no scripts, as a Redis Sentinel does not: redis_url must name the Redis itself, by a name that follows its failovers.',
  ],
];

export class RedisNode {
  readonly address: RedisAddress;
  /** Called once, when the connection ends by itself or is too late with a reply. */
  onEnd: ((error: Error) => void) | undefined;
  readonly #client: Bun.RedisClient;
  readonly #timeoutMs: number;
  /** Send times of commands without a reply, oldest first. One timer watches them all. */
  readonly #sentAtMs = new Map<number, number>();
  #commands = 0;
  #watch: Timer | undefined;
  #isRetired = false;

  private constructor(address: RedisAddress, client: Bun.RedisClient, timeoutMs: number) {
    this.address = address;
    this.#client = client;
    this.#timeoutMs = timeoutMs;
    client.onclose = () => this.#end(new Error('the connection was closed'));
  }

  /** Throws a `RedisFault`, or the error reply of Redis. */
  static async open({ address, scripts, timeoutMs }: RedisNodeOptions): Promise<RedisNode> {
    const { certificateName } = address;
    const client = new Bun.RedisClient(address.url, {
      // Reconnecting is ours: the client's own would queue commands or give up for good.
      autoReconnect: false,
      enableOfflineQueue: false,
      connectionTimeout: timeoutMs,
      maxRetries: 0,
      ...(certificateName !== undefined && { tls: { serverName: certificateName } }),
    });
    try {
      await client.connect();
    } catch {
      client.close();
      throw await diagnose(address, timeoutMs);
    }
    const node = new RedisNode(address, client, timeoutMs);
    try {
      // The first that fails says most: after it the client only says that it has failed.
      await Promise.all([...scripts.map(({ source }) => node.#send('SCRIPT', ['LOAD', source])), node.check()]);
      return node;
    } catch (error) {
      node.close();
      const text = error instanceof Error ? error.message : '';
      const mistake = mistakes.find(([pattern]) => pattern.test(text));
      throw mistake === undefined ? error : new RedisFault(mistake[1], { isMistake: true });
    }
  }

  /** Writes as limits do: a read-only replica, and a node that does not decide over Weir's keys, refuse it. */
  async check(): Promise<void> {
    await Promise.all(checkBatches.map((values) => this.run(batchScript, checkKeys, values)));
  }

  async run(script: RedisScript, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...values];
    try {
      return await this.#send('EVALSHA', [script.sha1, ...rest]);
    } catch (error) {
      // An operator may flush the server's scripts while we use them.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return this.#send('EVAL', [script.source, ...rest]);
    }
  }

  /** The nodes of its cluster; none where it is no cluster, or does not say. */
  async others(): Promise<readonly { readonly host: string; readonly port: number }[]> {
    const ranges: unknown = await this.#send('CLUSTER', ['SLOTS']).catch(() => []);
    if (!Array.isArray(ranges)) return [];
    const named = ranges.flatMap((range) => (Array.isArray(range) ? (range.slice(2) as unknown[]) : []));
    return named.flatMap((each) => (Array.isArray(each) ? (readNode(each[0], each[1]) ?? []) : []));
  }

  /** Closes once the commands that wait have their replies, or are too late. */
  retire(): void {
    this.onEnd = undefined;
    this.#isRetired = true;
    if (this.#sentAtMs.size === 0) this.close();
  }

  /** Rejects the commands that wait. */
  close(): void {
    this.onEnd = undefined;
    clearTimeout(this.#watch);
    this.#watch = undefined;
    this.#client.close();
  }

  async #send(name: string, values: string[]): Promise<unknown> {
    const command = this.#commands++;
    this.#sentAtMs.set(command, performance.now());
    this.#watch ??= setTimeout(() => this.#watchOldest(), this.#timeoutMs);
    try {
      return await this.#client.send(name, values);
    } finally {
      this.#sentAtMs.delete(command);
      if (this.#isRetired && this.#sentAtMs.size === 0) this.close();
    }
  }

  #watchOldest(): void {
    this.#watch = undefined;
    for (const oldestMs of this.#sentAtMs.values()) {
      const leftMs = oldestMs + this.#timeoutMs - performance.now();
      if (leftMs <= 0) this.#end(new Error(`no reply within ${this.#timeoutMs} ms`));
      else this.#watch = setTimeout(() => this.#watchOldest(), leftMs);
      return;
    }
  }

  #end(error: Error): void {
    const { onEnd } = this;
    // Closing is what rejects the commands that wait on a server that no longer answers.
    this.close();
    onEnd?.(error);
  }
}
