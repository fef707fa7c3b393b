/** Proves that a key gives its first reply again, refuses what it must, and that what is kept has a size. */

import { beforeEach, describe, expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { isReply, type Reply } from '../../http/reply.ts';
import { type Claim, IdempotentReplies, type KeyStore } from './idempotency.ts';

interface Remembered {
  requestId: string;
  fingerprint: string;
  state: 'running' | 'finished' | 'lost';
  atMs: number;
}

class MemoryKeys implements KeyStore {
  readonly rows = new Map<string, Remembered>();

  async begin(claim: Parameters<KeyStore['begin']>[0]): ReturnType<KeyStore['begin']> {
    const name = `${claim.tokenId} ${claim.key}`;
    const row = this.rows.get(name);
    if (row !== undefined && row.atMs > claim.atMs - claim.lifetimeMs) return { begun: false, ...row };
    this.rows.set(name, { ...claim, state: 'running' });
    return { begun: true };
  }

  async finish(tokenId: string, key: string): Promise<void> {
    const row = this.rows.get(`${tokenId} ${key}`);
    if (row !== undefined) row.state = 'finished';
  }

  async forget(tokenId: string, key: string): Promise<void> {
    this.rows.delete(`${tokenId} ${key}`);
  }

  async expire(beforeMs: number): Promise<void> {
    for (const [name, { atMs }] of this.rows) if (atMs < beforeMs) this.rows.delete(name);
  }
}

const minuteMs = 60_000;
let nowMs: number;
let keys: MemoryKeys;
let replies: IdempotentReplies;
let requests: number;
let livedSince: (atMs: number) => boolean;

beforeEach(() => {
  nowMs = 1_000 * minuteMs;
  keys = new MemoryKeys();
  livedSince = () => true;
  replies = new IdempotentReplies({ store: keys, wallMs: () => nowMs, livedSince: (atMs) => livedSince(atMs) });
  requests = 0;
});

interface Asked {
  readonly key?: string;
  readonly tokenId?: string;
  readonly endpoint?: string;
  readonly body?: string;
}

function begin({ key = 'k', tokenId = 't', endpoint = 'chat', body = '{}' }: Asked = {}): Promise<Claim | Reply> {
  requests++;
  return replies.begin({ key, tokenId, endpoint, requestId: `req_${requests}`, body: Buffer.from(body) });
}

async function claim(asked: Asked = {}): Promise<Claim> {
  const begun = await begin(asked);
  if (isReply(begun)) throw new Error('A reply came where a claim was expected.');
  return begun;
}

async function refusal(asked: Asked = {}): Promise<GatewayError> {
  const thrown = await begin(asked).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof GatewayError)) throw new Error('Nothing was refused.');
  return thrown;
}

async function finished(asked: Asked, bytes: number): Promise<void> {
  const begun = await claim(asked);
  begun.add(new Uint8Array(bytes));
  await begun.finish({});
}

describe('a key', () => {
  test('that finished gives the same bytes and head again, and names the request that made them', async () => {
    const first = await claim();
    // As a connection hands it out: a Buffer, whose slices share its memory.
    const piece = Buffer.from('hello ');
    first.add(piece);
    // A lane may reuse its buffer as soon as it handed it over.
    piece.fill(0);
    first.add(Buffer.from('world'));
    await first.finish({ 'content-type': 'text/event-stream', 'x-request-id': 'req_1' });
    const again = await begin();
    if (!(again instanceof Response)) throw new Error('The key was claimed twice.');
    expect(await again.text()).toBe('hello world');
    expect(again.headers.get('content-type')).toBe('text/event-stream');
    expect(again.headers.get('x-weir-replayed')).toBe('req_1');
    expect(again.headers.get('x-request-id')).toBe('req_2');
  });

  test('whose request still runs is 409 with a time to come back', async () => {
    await claim();
    const error = await refusal();
    expect([error.code, error.status]).toEqual(['idempotency_in_progress', 409]);
    expect(error.retryAfterMs).toBe(1_000);
  });

  test('is refused for another body and for another endpoint, running or finished', async () => {
    const first = await claim();
    expect((await refusal({ body: '{"a":1}' })).code).toBe('idempotency_key_reused');
    await first.finish({});
    const error = await refusal({ endpoint: 'embeddings' });
    expect([error.code, error.status]).toEqual(['idempotency_key_reused', 409]);
  });

  test('is free again once it is forgotten', async () => {
    const first = await claim();
    await first.forget();
    await (await claim()).finish({});
    expect(await begin()).toBeInstanceOf(Response);
  });

  test('that was spent without a reply is not run again', async () => {
    await (await claim()).spend();
    expect((await refusal()).code).toBe('idempotency_key_reused');
  });

  test('whose process died while it ran is not run again, and says why', async () => {
    await claim();
    const row = keys.rows.get('t k');
    if (row !== undefined) row.state = 'lost';
    const error = await refusal();
    expect([error.code, error.status, error.row.retryable]).toEqual(['idempotency_outcome_unknown', 409, false]);
    expect(error.message).toContain('req_1');
    expect((await refusal({ body: '{"a":1}' })).code).toBe('idempotency_key_reused');
  });

  test('is trusted only while other replicas cannot have taken this process for dead since it was claimed', async () => {
    const begunAtMs = nowMs;
    const first = await claim();
    first.confirm();
    livedSince = (atMs) => atMs > begunAtMs;
    expect(() => first.confirm()).toThrow('Nothing was sent.');
  });

  test('belongs to its token', async () => {
    await finished({}, 1);
    await claim({ tokenId: 'other' });
  });

  for (const [name, key] of [
    ['empty', ''],
    ['too long', 'k'.repeat(256)],
    ['with a space', 'a b'],
    ['outside ASCII', 'schlüssel'],
  ] as const) {
    test(`${name} is 400 and reaches no store`, async () => {
      const error = await refusal({ key });
      expect([error.code, error.status]).toEqual(['header_invalid', 400]);
      expect(keys.rows.size).toBe(0);
    });
  }

  test('of 255 characters is taken', async () => {
    await claim({ key: '~'.repeat(255) });
  });
});

describe('what is kept', () => {
  test('is a reply of one mebibyte, not of one byte more', async () => {
    await finished({ key: 'fits' }, 1_048_576);
    await finished({ key: 'large' }, 1_048_577);
    expect(await begin({ key: 'fits' })).toBeInstanceOf(Response);
    expect((await refusal({ key: 'large' })).code).toBe('idempotency_key_reused');
  });

  test('is 8 MiB of one token at most: its oldest goes first, and only its own', async () => {
    await finished({ key: 'other', tokenId: 'neighbor' }, 1_048_576);
    // Each costs a little more than its body.
    for (let index = 0; index < 8; index++) await finished({ key: `k${index}` }, 1_048_576);
    expect((await refusal({ key: 'k0' })).code).toBe('idempotency_key_reused');
    for (let index = 1; index < 8; index++) expect(await begin({ key: `k${index}` })).toBeInstanceOf(Response);
    expect(await begin({ key: 'other', tokenId: 'neighbor' })).toBeInstanceOf(Response);
  });

  test('is 32 MiB in all at most: the oldest goes first', async () => {
    const asked = (index: number): Asked => ({ key: 'k', tokenId: `t${index}` });
    for (let index = 0; index < 32; index++) await finished(asked(index), 1_048_576);
    expect((await refusal(asked(0))).code).toBe('idempotency_key_reused');
    for (let index = 1; index < 32; index++) expect(await begin(asked(index))).toBeInstanceOf(Response);
  });

  test('is found at another replica, byte by byte and with its head', async () => {
    const table = new Map<string, Uint8Array<ArrayBuffer>>();
    const shared = {
      async put(tokenId: string, id: string, reply: Uint8Array) {
        // The key must not be called finished before.
        expect(keys.rows.get('t k')?.state).toBe('running');
        table.set(`${tokenId} ${id}`, new Uint8Array(reply));
      },
      async get(tokenId: string, [id = '']: readonly string[]) {
        const found = table.get(`${tokenId} ${id}`);
        return new Map(found === undefined ? [] : [[id, found]]);
      },
    };
    const options = { store: keys, wallMs: () => nowMs, livedSince: () => true, shared };
    replies = new IdempotentReplies(options);
    const body = Uint8Array.from({ length: 512 }, (_, index) => index % 256);
    const first = await claim();
    first.add(body);
    await first.finish({ 'content-type': 'audio/mpeg', 'x-weir-cost-usd': '0.1' });
    replies = new IdempotentReplies(options);
    const again = await begin();
    if (!(again instanceof Response)) throw new Error('The key was claimed twice.');
    expect(await again.bytes()).toEqual(body);
    expect([again.headers.get('content-type'), again.headers.get('x-weir-replayed')]).toEqual(['audio/mpeg', 'req_1']);
    table.clear();
    expect((await refusal()).code).toBe('idempotency_key_reused');
  });

  test('is kept for ten minutes', async () => {
    await finished({}, 1);
    nowMs += 10 * minuteMs - 1;
    expect(await begin()).toBeInstanceOf(Response);
    nowMs += 1;
    expect((await refusal()).code).toBe('idempotency_key_reused');
  });

  test('keys are remembered for a day', async () => {
    await finished({}, 1);
    nowMs += 24 * 60 * minuteMs;
    await replies.expire();
    expect(keys.rows.size).toBe(1);
    nowMs += 1;
    await replies.expire();
    expect(keys.rows.size).toBe(0);
  });
});
