/** The built executable, alone in an empty folder: it must contain its threads, its voice and its fonts. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { pixelsIn } from '../../harness/bitmaps.ts';
import { freePort } from '../../harness/ports.ts';
import { until } from '../../harness/until.ts';

const buildTimeoutMs = 300_000;
const script = join(import.meta.dir, '../../../scripts/build.ts');
const token = `test-token-${crypto.randomUUID()}`;

let folder: string;
let child: Bun.Subprocess<'ignore', 'ignore', 'ignore'> | undefined;
let client: OpenAI;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-alone-'));
  const program = process.env['WEIR_TEST_EXECUTABLE'] ?? (await build(join(folder, 'weir')));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  child = Bun.spawn([program, 'serve'], {
    cwd: folder,
    env: {
      WEIR_PORT: `${port}`,
      WEIR_DATA: join(folder, 'data'),
      WEIR_FIRST_TOKEN: token,
      WEIR_DISCOVERY_LOCAL: 'false',
    },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  await until(
    async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.status === 200,
    60_000,
    'GET /healthz',
  );
  client = new OpenAI({ apiKey: token, baseURL: `${url}/v1`, maxRetries: 0 });
}, buildTimeoutMs);

async function build(file: string): Promise<string> {
  const built = Bun.spawn([process.execPath, script, file], { stdout: 'pipe', stderr: 'pipe' });
  const [code, output] = await Promise.all([built.exited, new Response(built.stderr).text()]);
  if (code !== 0) throw new Error(`The build ended with ${code}: ${output}`);
  return file;
}

afterAll(async () => {
  child?.kill('SIGKILL');
  await child?.exited;
  await rm(folder, { recursive: true, force: true });
});

test('vectors and verdicts', async () => {
  const { data } = await client.embeddings.create({ model: 'sandbox-embed', input: ['river', 'mill'] });
  expect(data.map(({ embedding }) => embedding.length)).toEqual([256, 256]);
  const { results } = await client.moderations.create({ input: 'I will kill you.' });
  expect(results[0]?.flagged).toBe(true);
});

test('an image, inline and behind a URL, and of every kind', async () => {
  const asked = { model: 'sandbox-image', prompt: 'a boat', size: '256x256' } as const;
  const inline = await client.images.generate(asked);
  expect(pixelsIn(inline.data?.[0]?.b64_json)).toMatchObject({ width: 256, height: 256 });
  const kept = await client.images.generate({ ...asked, response_format: 'url' });
  const served = await fetch(kept.data?.[0]?.url ?? '');
  expect(Buffer.from(await served.bytes()).toString('base64')).toBe(inline.data?.[0]?.b64_json ?? '');
  for (const output_format of ['jpeg', 'webp'] as const) {
    const { data } = await client.images.generate({ ...asked, output_format });
    expect(data?.[0]?.b64_json?.length).toBeGreaterThan(100);
  }
});

test.each(['wav', 'flac', 'mp3'] as const)('speech and back: %s', async (response_format) => {
  const input = 'The old mill.';
  const speech = await client.audio.speech.create({ model: 'sandbox-speak', voice: 'alloy', input, response_format });
  const file = new File([await speech.bytes()], `speech.${response_format}`);
  const transcript = await client.audio.transcriptions.create({ model: 'sandbox-transcribe', file });
  expect(transcript.text).toBe(input);
});
