/** Audio whose header says one second: in every container and every form of reply, the charge covers what the provider received. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { settledLedger, totalCostNano, type UsageRow } from '../harness/ledger-rows.ts';
import { type LyingFile, lyingFiles } from '../harness/lying-audio.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

/** A minute costs sixty cents. */
const nanoPerSecond = 10_000_000;
const text = 'so it was';
const segments = [
  { id: 0, start: 0, end: 1, text: 'so it' },
  { id: 1, start: 1, end: 2, text: 'was' },
];
const words = [{ word: 'so', start: 0, end: 1 }];
const files = lyingFiles();
/** What the models take: all forms; short JSON and text alone; all forms, as events too. */
const models = ['whisper-x', 'short-ears', 'whisper-stream'] as const;
const forms = ['text', 'json', 'srt', 'vtt', 'verbose_json'] as const;
type Form = (typeof forms)[number];

interface InvoiceLine {
  readonly model: string;
  readonly form: string;
  readonly seconds: number;
  readonly granularities: readonly string[];
}

const invoice: InvoiceLine[] = [];

/** Reads the whole file, and says how long it was in the long form alone. */
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    if (request.method === 'GET') return Response.json({ object: 'list', data: [] });
    const form = (await request.formData()) as unknown as {
      get(name: string): unknown;
      getAll(name: string): string[];
    };
    const bytes = Buffer.from(await (form.get('file') as Blob).arrayBuffer());
    const [model, wanted] = [String(form.get('model')), String(form.get('response_format') ?? 'json')];
    const received = files.find((file) => file.bytes.equals(bytes));
    if (received === undefined) throw new Error('The file arrived changed.');
    if (model === 'short-ears' && wanted !== 'json' && wanted !== 'text') {
      return Response.json({ error: { message: `no ${wanted}`, type: 'invalid_request_error' } }, { status: 400 });
    }
    const granularities = form.getAll('timestamp_granularities[]');
    invoice.push({ model, form: wanted, seconds: received.seconds, granularities });
    if (form.get('stream') === 'true')
      return new Response(events, { headers: { 'content-type': 'text/event-stream' } });
    return reply(wanted, received.seconds, granularities);
  },
});

const events = [
  { type: 'transcript.text.delta', delta: text },
  { type: 'transcript.text.done', text },
]
  .map((event) => `data: ${JSON.stringify(event)}\n\n`)
  .join('');

function reply(form: string, duration: number, granularities: readonly string[]): Response {
  if (form === 'json') return Response.json({ text });
  if (form !== 'verbose_json') return new Response(text, { headers: { 'content-type': 'text/plain' } });
  const wantsSegments = granularities.length === 0 || granularities.includes('segment');
  return Response.json({
    task: 'transcribe',
    language: 'english',
    duration,
    text,
    ...(wantsSegments && { segments }),
    ...(granularities.includes('word') && { words }),
  });
}

let weir: RunningWeir;

beforeAll(async () => {
  const provider = { kind: 'openai', base_url: `http://127.0.0.1:${server.port}/v1`, key: 'sk-x', models };
  const prices = Object.fromEntries(models.map((model) => [model, { minute: 0.6 }]));
  const untimed = { ...provider, models: ['whisper-tokens'] };
  weir = await startWeir({
    yaml: {
      providers: { up: provider, other: untimed },
      prices: { ...prices, 'whisper-tokens': { input: 1, output: 1 } },
    },
    unchecked: 'the provider says as little as it can',
  });
});
afterAll(async () => {
  await weir.remove();
  await server.stop(true);
});

interface Sent {
  readonly status: number;
  readonly body: string;
  readonly contentType: string;
  readonly requestId: string;
  readonly lines: readonly InvoiceLine[];
}

async function send(
  { name, bytes }: LyingFile,
  model: string,
  fields: readonly (readonly [string, string])[],
): Promise<Sent> {
  const form = new FormData();
  form.set('model', model);
  for (const [field, value] of fields) form.append(field, value);
  form.set('file', new Blob([bytes]), `${name.split(' ')[0]}.bin`);
  const headers = { authorization: `Bearer ${weir.token}` };
  const from = invoice.length;
  const sent = await fetch(`${weir.base}/audio/transcriptions`, { method: 'POST', headers, body: form });
  return {
    status: sent.status,
    body: await sent.text(),
    contentType: sent.headers.get('content-type') ?? '',
    requestId: sent.headers.get('x-request-id') ?? '',
    lines: invoice.slice(from),
  };
}

async function rowsOf(sent: readonly Sent[]): Promise<ReadonlyMap<string, UsageRow>> {
  let rows = new Map<string, UsageRow>();
  await until(async () => {
    rows = new Map((await settledLedger(weir)).usage.map((row) => [row.requestId, row]));
    return sent.every(({ requestId }) => rows.has(requestId));
  });
  return rows;
}

function expectPaid({ requestId, lines }: Sent, rows: ReadonlyMap<string, UsageRow>): void {
  const billed = lines.reduce((sum, { seconds }) => sum + seconds, 0) * nanoPerSecond;
  const charged = Number(rows.get(requestId)?.costNano ?? -1n);
  expect(charged).toBeGreaterThanOrEqual(billed - 1);
  expect(charged).toBeLessThanOrEqual(billed * 1.02);
}

const srt = '1\n00:00:00,000 --> 00:00:01,000\nso it\n\n2\n00:00:01,000 --> 00:00:02,000\nwas\n\n';
const vtt = `WEBVTT\n\n${srt.replace(/^\d\n/gm, '').replaceAll(',', '.')}`;

function expectForm(form: Form, { body, contentType }: Sent): void {
  if (form === 'text') expect(body).toBe(text);
  else if (form === 'srt') expect(body).toBe(srt);
  else if (form === 'vtt') expect([body, contentType]).toEqual([vtt, 'text/vtt; charset=utf-8']);
  else {
    const { usage: _, ...tree } = JSON.parse(body) as Record<string, unknown>;
    if (form === 'json') expect(tree).toEqual({ text });
    else expect(Object.keys(tree)).toEqual(['task', 'language', 'duration', 'text', 'segments']);
  }
}

describe.each(models)('%s', (model) => {
  test('is charged for what it received, in every form, and the caller gets the form', async () => {
    const sent: [Form, Sent][] = [];
    for (const file of files) {
      for (const form of forms) sent.push([form, await send(file, model, [['response_format', form]])]);
    }
    const served = sent.filter(([, { status }]) => status === 200);
    // What the model does not take is refused by its provider, and never asked for in place of what it takes.
    const takes = model === 'short-ears' ? ['text', 'json'] : forms;
    expect(served.length).toBe(files.length * takes.length);
    const rows = await rowsOf(served.map(([, each]) => each));
    for (const [form, each] of served) {
      expectPaid(each, rows);
      expectForm(form, each);
    }
  });
});

test('events are passed on as they come, and charged by what the file holds', async () => {
  const sent: Sent[] = [];
  for (const file of files) sent.push(await send(file, 'whisper-stream', [['stream', 'true']]));
  const rows = await rowsOf(sent);
  for (const each of sent) {
    expect([each.status, each.body]).toEqual([200, events]);
    expectPaid(each, rows);
  }
});

test('the long form has what the caller named, and other forms are not asked for more', async () => {
  const [file] = files;
  if (file === undefined) throw new Error('there are files');
  const named = (word: string) => ['timestamp_granularities[]', word] as const;
  const wordsAlone = await send(file, 'whisper-x', [['response_format', 'verbose_json'], named('word')]);
  expect(JSON.parse(wordsAlone.body)).toMatchObject({ words });
  expect(JSON.parse(wordsAlone.body)).not.toHaveProperty('segments');
  const subtitles = await send(file, 'whisper-x', [['response_format', 'srt'], named('word')]);
  expectForm('srt', subtitles);
  const short = await send(file, 'whisper-x', [named('word')]);
  expectForm('json', short);
});

test('where the price is not by the length, or more is wanted than the long form has, JSON passes as it is', async () => {
  const [file] = files;
  if (file === undefined) throw new Error('there are files');
  const byTokens = await send(file, 'whisper-tokens', [['response_format', 'json']]);
  expect([byTokens.body, byTokens.lines[0]?.form]).toEqual([JSON.stringify({ text }), 'json']);
  const withMore = await send(file, 'whisper-x', [
    ['response_format', 'json'],
    ['include[]', 'logprobs'],
  ]);
  expect([withMore.body, withMore.lines[0]?.form]).toEqual([JSON.stringify({ text }), 'json']);
  expect(totalCostNano((await settledLedger(weir)).attempts)).toBeGreaterThan(0n);
});
