/** A connection to Redis that is either up or known to be down: it follows the node that decides, and reconnects by itself. */

import { findRedis } from './find-redis.ts';
import { addressesAt, faultAt, namesAnotherNode, nodeNamedIn, type RedisAddress, RedisFault } from './redis-address.ts';
import type { RedisNode } from './redis-node.ts';
import type { RedisScript } from './redis-script.ts';

export interface RedisConnectionOptions {
  readonly url: string;
  /** Loaded on every connection before it is used. */
  readonly scripts?: readonly RedisScript[];
  /** To connect, and for a command to be answered. */
  readonly timeoutMs?: number;
  readonly probeEveryMs?: number;
  /** How often a connection that nothing uses is checked. */
  readonly checkEveryMs?: number;
  /** Called when Redis cannot be used, with the reason, whenever that changes, and when it can be used. */
  readonly onChange?: (available: boolean, reason?: string) => void;
}

/** So many nodes of a cluster are remembered, since each of them names the one that decides. */
const knownMax = 6;
/** After so many attempts in vain, attempts are rarer. */
const eagerAttempts = 40;
const patientTimes = 8;

export class RedisConnection {
  readonly #options: RedisConnectionOptions;
  readonly #timeoutMs: number;
  #node: RedisNode | undefined;
  /** While the node that decides is looked for, after another one said that it does not: commands wait for it. */
  #moving: Promise<RedisNode | undefined> | undefined;
  #known: readonly RedisAddress[] = [];
  #fault: RedisFault | undefined;
  #attempts = 0;
  #probe: Timer | undefined;
  #check: Timer | undefined;
  #isClosed = false;
  /** Resolves when the first attempt to connect ended, well or not. */
  readonly tried: Promise<void>;

  constructor(options: RedisConnectionOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? 400;
    this.tried = this.#connect();
  }

  get available(): boolean {
    return this.#node !== undefined || this.#moving !== undefined;
  }

  /** Why Redis cannot be used. */
  get fault(): RedisFault | undefined {
    return this.#fault;
  }

  /** Rejects at once while Redis is away, and within the command's time when it goes away. */
  async run(script: RedisScript, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    const node = this.#node ?? (await this.#moving);
    if (node === undefined) throw new RedisFault('Redis is away.');
    try {
      return await node.run(script, keys, values);
    } catch (error) {
      if (!namesAnotherNode(error)) throw this.#drop(node, error);
      const next = await this.#move(node, error);
      if (next === undefined) throw error;
      // Nothing of it was carried out, so it may be sent again, once.
      return next.run(script, keys, values).catch((again: unknown) => {
        throw this.#drop(next, again);
      });
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#probe);
    clearTimeout(this.#check);
    const open = this.#node;
    this.#node = undefined;
    open?.close();
  }

  async #connect(): Promise<void> {
    if (this.#isClosed) return;
    const { url, scripts = [] } = this.#options;
    try {
      this.#use(await findRedis({ url, scripts, known: this.#known, timeoutMs: this.#timeoutMs }));
    } catch (error) {
      this.#lost(error, { url });
    }
  }

  /** One search for all commands that learned of it at the same time. */
  #move(node: RedisNode, error: unknown): Promise<RedisNode | undefined> {
    if (this.#moving !== undefined) return this.#moving;
    if (this.#node !== node) return Promise.resolve(this.#node);
    node.retire();
    this.#node = undefined;
    this.#moving = this.#findAfter(node, error);
    return this.#moving;
  }

  async #findAfter({ address }: RedisNode, error: unknown): Promise<RedisNode | undefined> {
    const { url, scripts = [] } = this.#options;
    try {
      const node = nodeNamedIn(error, address);
      const named = node === undefined ? [] : addressesAt(url, node);
      this.#use(await findRedis({ url, scripts, named, known: this.#known, timeoutMs: this.#timeoutMs }));
    } catch (failed) {
      this.#lost(failed, address);
    } finally {
      this.#moving = undefined;
    }
    return this.#node;
  }

  #use(node: RedisNode): void {
    if (this.#isClosed) {
      node.close();
      return;
    }
    node.onEnd = (error) => void this.#drop(node, error);
    this.#node = node;
    this.#attempts = 0;
    this.#fault = undefined;
    this.#remember(node.address, []);
    void node.others().then((others) => {
      const { url } = this.#options;
      this.#remember(
        node.address,
        others.flatMap((each) => addressesAt(url, each)),
      );
    });
    this.#checkLater(node);
    this.#options.onChange?.(true);
  }

  #remember(address: RedisAddress, others: readonly RedisAddress[]): void {
    this.#known = [address, ...others.filter(({ url }) => url !== address.url)].slice(0, knownMax);
  }

  /** A demoted node says so only to one that writes. */
  #checkLater(node: RedisNode): void {
    clearTimeout(this.#check);
    this.#check = setTimeout(() => {
      if (this.#node !== node) return;
      void node.check().then(
        () => this.#checkLater(node),
        (error: unknown) => (namesAnotherNode(error) ? void this.#move(node, error) : void this.#drop(node, error)),
      );
    }, this.#options.checkEveryMs ?? 5_000);
    this.#check.unref();
  }

  /** Gives back the error. */
  #drop(node: RedisNode, error: unknown): unknown {
    if (this.#node === node) {
      this.#node = undefined;
      node.close();
      this.#lost(error, node.address);
    }
    return error;
  }

  #lost(error: unknown, address: RedisAddress): void {
    if (this.#isClosed) return;
    const before = this.#fault?.message;
    this.#fault = faultAt(address, error, this.#options.url);
    if (this.#fault.message !== before) this.#options.onChange?.(false, this.#fault.message);
    const { probeEveryMs = 250 } = this.#options;
    this.#attempts += 1;
    clearTimeout(this.#probe);
    const delayMs = this.#attempts > eagerAttempts ? patientTimes * probeEveryMs : probeEveryMs;
    this.#probe = setTimeout(() => void this.#connect(), delayMs);
    this.#probe.unref();
  }
}
