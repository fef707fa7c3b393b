/** Images behind URLs and videos behind a load balancer: every replica serves them, or says why it cannot. */

import { expect } from 'bun:test';
import OpenAI from 'openai';
import { errorOf } from '../../harness/chat.ts';
import { needing } from '../../harness/needs.ts';
import { type Replicas, startReplicas } from '../../harness/replicas.ts';
import { type ScriptedBucket, startBucket } from '../../harness/scripted-bucket.ts';
import { until } from '../../harness/until.ts';
import type { RunningWeir } from '../../harness/weir.ts';

const { afterAll, beforeAll, describe, test } = needing('postgres');

const clientOf = ({ base, token }: RunningWeir): OpenAI => new OpenAI({ apiKey: token, baseURL: base, maxRetries: 0 });

async function imageAt(weir: RunningWeir): Promise<string> {
  const asked = { model: 'sandbox-image', prompt: 'a red boat', size: '128x128', response_format: 'url' } as const;
  return (await clientOf(weir).images.generate(asked)).data?.[0]?.url ?? '';
}

async function videoAt(weir: RunningWeir): Promise<string> {
  const client = clientOf(weir);
  const asked = { model: 'sandbox-video', prompt: 'a red boat', seconds: '1' as never, size: '64x64' as never };
  const { id } = await client.videos.create(asked);
  await until(async () => (await client.videos.retrieve(id)).status === 'completed', 60_000, 'the video is made');
  return id;
}

/** The same URL at each replica, as a balancer would send it. */
const fetchAt = (weir: RunningWeir, url: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(weir.url + new URL(url).pathname + new URL(url).search, { headers });

async function expectEverywhere(replicas: Replicas, url: string): Promise<void> {
  const found = new Set<string>();
  for (const weir of replicas.all) {
    const whole = await fetchAt(weir, url);
    expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'image/png']);
    const bytes = Buffer.from(await whole.bytes());
    found.add(bytes.toString('base64'));
    const part = await fetchAt(weir, url, { range: 'bytes=4-' });
    expect([part.status, part.headers.get('content-range')]).toEqual([
      206,
      `bytes 4-${bytes.length - 1}/${bytes.length}`,
    ]);
    expect(Buffer.from(await part.bytes()).equals(bytes.subarray(4))).toBe(true);
  }
  expect(found.size).toBe(1);
}

const contentAt = (weir: RunningWeir, id: string): Promise<Response> =>
  fetch(`${weir.base}/videos/${id}/content`, { headers: { authorization: `Bearer ${weir.token}` } });

const yaml = { tasks: { ask_every_ms: 50 } };

describe('without a bucket', () => {
  let replicas: Replicas;
  beforeAll(async () => {
    replicas = await startReplicas(2, { yaml: { ...yaml, results: { image_token_bytes_max: 30_000 } } });
  }, 300_000);
  afterAll(() => replicas.remove());

  test('an image is served by every replica, and sealed in the database', async () => {
    await expectEverywhere(replicas, await imageAt(replicas.at(0)));
    const rows = await replicas.query('SELECT content FROM result_parts');
    expect(rows.length).toBeGreaterThan(0);
    for (const { content } of rows) expect(String(content)).toStartWith('2.');
  });

  test('a token’s images stay within its bytes, at whichever replica they are made', async () => {
    const urls: string[] = [];
    for (let index = 0; index < 8; index++) urls.push(await imageAt(replicas.at(index % 2)));
    const kept = async (): Promise<number> => {
      const [row] = await replicas.query('SELECT CAST(COALESCE(SUM(bytes), 0) AS INTEGER) AS bytes FROM kept_results');
      return Number(row?.['bytes']);
    };
    // An image is more than the sixteenth of the limit after which a replica checks the total.
    await until(async () => (await kept()) <= 30_000, 60_000);
    expect((await fetchAt(replicas.at(0), urls[0] ?? '')).status).toBe(404);
    await expectEverywhere(replicas, urls.at(-1) ?? '');
  });

  test('a video stored at another replica is refused with that reason, and start and doctor warn about it', async () => {
    const id = await videoAt(replicas.at(0));
    const replies = await Promise.all(replicas.all.map((weir) => contentAt(weir, id)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404]);
    const refused = replies.find(({ status }) => status === 404);
    if (refused === undefined) throw new Error('one of them has it');
    const { code, message } = await errorOf(refused);
    expect([code, message]).toEqual(['not_found', expect.stringContaining('in the data folder of another replica')]);
    expect(message).toContain('results.bucket');
    expect(replicas.at(1).output()).toContain('results.bucket');
    const { stdout } = await replicas.at(1).command('doctor');
    expect(stdout).toMatch(/results.*results\.bucket/);
  }, 300_000);
});

describe('with a bucket', () => {
  const access = {
    bucket: 'kept-results',
    region: 'eu-test-1',
    accessKeyId: 'AKIATEST',
    secretAccessKey: 'secret-of-it',
  };
  let bucket: ScriptedBucket;
  let replicas: Replicas;
  beforeAll(async () => {
    bucket = startBucket(access);
    const results = { bucket: access.bucket, endpoint: bucket.endpoint, region: access.region };
    const env = { WEIR_RESULTS_ACCESS_KEY: access.accessKeyId, WEIR_RESULTS_SECRET_KEY: access.secretAccessKey };
    replicas = await startReplicas(2, { yaml: { ...yaml, results }, env });
  }, 300_000);
  afterAll(async () => {
    await replicas.remove();
    await bucket.stop();
  });

  test('images and videos are stored in it and served by every replica', async () => {
    await expectEverywhere(replicas, await imageAt(replicas.at(0)));
    expect([...bucket.objects.keys()]).toEqual([expect.stringMatching(/^weir\/images\/[0-9a-f]{32}\.png$/)]);
    const id = await videoAt(replicas.at(1));
    const replies = await Promise.all(replicas.all.map((weir) => contentAt(weir, id)));
    const [one, other] = await Promise.all(replies.map((reply) => reply.bytes()));
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(one).toEqual(other ?? new Uint8Array());
    expect(replicas.at(1).output()).not.toContain('results.bucket');
  }, 300_000);

  test('an image that the bucket refuses is in the reply itself', async () => {
    bucket.fault = () => new Response(null, { status: 403 });
    try {
      const asked = { model: 'sandbox-image', prompt: 'a red boat', size: '128x96', response_format: 'url' } as const;
      const [image] = (await clientOf(replicas.at(0)).images.generate(asked)).data ?? [];
      expect([image?.url, image?.b64_json?.slice(0, 8)]).toEqual([undefined, 'iVBORw0K']);
    } finally {
      bucket.fault = undefined;
    }
  });
});
