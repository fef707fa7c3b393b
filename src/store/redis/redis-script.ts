/** A script that Redis runs, and the name by which it knows it. */

export interface RedisScript {
  readonly source: string;
  readonly sha1: string;
}

export function redisScript(source: string): RedisScript {
  return { source, sha1: new Bun.CryptoHasher('sha1').update(source).digest('hex') };
}
