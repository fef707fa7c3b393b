/** Transcription is reserved and charged by the length of a file, not by the number of its bytes. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { errorOf } from '../harness/chat.ts';
import { settledLedger, type UsageRow } from '../harness/ledger-rows.ts';
import { frameSamples, silentFlac } from '../harness/silent-flac.ts';
import { createToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let asked = 0;
/** Reports no usage. */
const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    await request.arrayBuffer();
    if (request.method === 'POST') asked++;
    return request.method === 'POST' ? Response.json({ text: '' }) : Response.json({ object: 'list', data: [] });
  },
});
let weir: RunningWeir;

beforeAll(async () => {
  const base = `http://127.0.0.1:${upstream.port}/v1`;
  const provider = { kind: 'openai-chat', base_url: base, key: 'sk-upstream', models: ['transcripts'] };
  weir = await startWeir({ yaml: { providers: { up: provider }, prices: { transcripts: { minute: 0.6 } } } });
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop(true);
});

/** A cent for each second. */
const nanoPerSecond = 10_000_000n;
const seconds = Math.ceil((100 * frameSamples) / 8_000);

function transcribe(token: string, file: Uint8Array<ArrayBuffer>, more: Readonly<Record<string, string>> = {}) {
  const form = new FormData();
  form.set('model', 'transcripts');
  form.set('response_format', 'text');
  for (const [name, value] of Object.entries(more)) form.set(name, value);
  form.set('file', new Blob([file]), 'audio.flac');
  const headers = { authorization: `Bearer ${token}` };
  return fetch(`${weir.base}/audio/transcriptions`, { method: 'POST', headers, body: form });
}

async function rowOf(reply: Response): Promise<UsageRow | undefined> {
  const id = reply.headers.get('x-request-id');
  let row: UsageRow | undefined;
  await until(async () => {
    row = (await settledLedger(weir)).usage.find(({ requestId }) => requestId === id);
    return row !== undefined;
  });
  return row;
}

test.each([
  ['true', 100 * frameSamples],
  ['absent', 0],
  ['a lie', 8_000],
])('a quarter of an hour of silence in a kilobyte, its claimed length %s', async (_claim, claimedSamples) => {
  const file = silentFlac(100, claimedSamples);
  expect(file.length).toBeLessThan(1_400);
  const poor = await createToken(weir, '--budget-usd', `${(seconds - 1) / 100}`, '--budget-period', 'total');
  asked = 0;
  const refused = await transcribe(poor.token, file);
  expect([refused.status, (await errorOf(refused)).code, asked]).toEqual([402, 'budget_spent', 0]);
  const reply = await transcribe(weir.token, file);
  expect(reply.status).toBe(200);
  expect(await rowOf(reply)).toMatchObject({ estimated: true, costNano: BigInt(seconds) * nanoPerSecond });
});

test('audio at a URL beside the file is refused', async () => {
  asked = 0;
  for (const name of ['url', 'file_url', 'file_id', 'audio']) {
    const reply = await transcribe(weir.token, silentFlac(1, 0), { [name]: 'https://example.com/long.mp3' });
    expect([reply.status, (await errorOf(reply)).param]).toEqual([400, name]);
  }
  expect(asked).toBe(0);
});
