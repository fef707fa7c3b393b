/** Transcripts and translations of a Gemini model, which writes them as an answer, by the OpenAI library. */

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import OpenAI, { APIError } from 'openai';
import { createToken } from '../../harness/token.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';

interface Body {
  readonly contents: readonly { readonly parts: readonly { readonly text?: string; readonly inlineData?: object }[] }[];
  readonly generationConfig: Readonly<Record<string, unknown>>;
}

const seen: { path: string; body: Body }[] = [];
const segments = [
  { start: 0, end: 1.5, text: 'Hello there.', speaker: 'A' },
  { start: 1.5, end: 3, text: 'General weir.', speaker: 'B' },
];
let finishReason = 'STOP';

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    if (request.method !== 'POST') return Response.json({ models: [] });
    const body = (await request.json()) as Body;
    seen.push({ path: new URL(request.url).pathname, body });
    const isTimed = body.generationConfig['responseJsonSchema'] !== undefined;
    const text = isTimed ? JSON.stringify({ language: 'en', segments }) : 'Hello there. General weir.\n';
    return Response.json({
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hm.', thought: true }, { text }] }, finishReason }],
      usageMetadata: {
        promptTokenCount: 130,
        candidatesTokenCount: 10,
        thoughtsTokenCount: 5,
        promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 96 }],
      },
    });
  },
});

const model = 'gemini-3.8-flash';
let weir: RunningWeir;
let openai: OpenAI;
beforeAll(async () => {
  const base_url = `http://127.0.0.1:${server.port}/v1beta`;
  weir = await startWeir({
    yaml: {
      providers: { gemini: { kind: 'gemini', base_url, key: 'k', models: [model] } },
      prices: { [model]: { input: 1, output: 10 } },
    },
  });
  openai = new OpenAI({ baseURL: weir.base, apiKey: weir.token, maxRetries: 0 });
});
beforeEach(() => {
  seen.splice(0);
  finishReason = 'STOP';
});
afterAll(async () => {
  await weir.remove();
  await server.stop(true);
});

/** Three seconds of silence. */
function wave(): File {
  const samples = new Uint8Array(48_000);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return new File([head, samples], 'speech.wav', { type: 'audio/wav' });
}

test('the plain text, with the audio as it was sent', async () => {
  const file = wave();
  const reply = await openai.audio.transcriptions.create({ model, file, language: 'en', prompt: 'Weir.' });
  expect(reply.text).toBe('Hello there. General weir.');
  expect(reply.usage).toMatchObject({ input_tokens: 130, output_tokens: 15 });
  const [{ path, body } = { path: '', body: undefined }] = seen;
  expect(path).toBe(`/v1beta/models/${model}:generateContent`);
  const [audio, asked] = body?.contents[0]?.parts ?? [];
  const data = Buffer.from(await file.arrayBuffer()).toString('base64');
  expect(audio?.inlineData).toEqual({ mimeType: 'audio/wav', data });
  for (const words of ['word for word', '"en"', '"Weir."']) expect(asked?.text).toContain(words);
});

test('times and speakers, where they are asked for', async () => {
  const verbose = await openai.audio.transcriptions.create({ model, file: wave(), response_format: 'verbose_json' });
  expect(verbose).toMatchObject({ language: 'en', duration: 3, text: 'Hello there. General weir.' });
  expect(verbose.segments?.map(({ start, end }) => [start, end])).toEqual([
    [0, 1.5],
    [1.5, 3],
  ]);
  const cues = await openai.audio.transcriptions.create({ model, file: wave(), response_format: 'srt' });
  expect(cues as unknown as string).toContain('00:00:01,500 --> 00:00:03,000\nGeneral weir.');
});

test('a translation, and a stream', async () => {
  const english = await openai.audio.translations.create({ model, file: wave() });
  expect((english as { text: string }).text).toBe('Hello there. General weir.');
  expect(seen[0]?.body.contents[0]?.parts[1]?.text).toContain('into English');
  const stream = await openai.audio.transcriptions.create({ model, file: wave(), stream: true });
  let text = '';
  for await (const event of stream) if (event.type === 'transcript.text.done') text = event.text;
  expect(text).toBe('Hello there. General weir.');
});

test('a reply that was cut or refused is an error, not half a transcript', async () => {
  finishReason = 'MAX_TOKENS';
  const failing = openai.audio.transcriptions.create({ model, file: wave() });
  const error = await failing.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(APIError);
  expect((error as APIError).code).toBe('upstream_refused');
});

test('a budget has room for all that the model may write, and it is held to that', async () => {
  // Three seconds: 96 + 1,024 tokens in at 1 USD a million, 3 × 24 + 4,096 out at 10 USD.
  const poor = await createToken(weir, '--budget-usd', '0.04');
  const rich = await createToken(weir, '--budget-usd', '0.05');
  const ask = (apiKey: string) =>
    new OpenAI({ baseURL: weir.base, apiKey, maxRetries: 0 }).audio.transcriptions.create({ model, file: wave() });
  expect(await ask(poor.token).catch((error: APIError) => error.status)).toBe(402);
  expect((await ask(rich.token)).text).not.toBe('');
  expect(seen.map(({ body }) => body.generationConfig['maxOutputTokens'])).toEqual([4_168]);
});
