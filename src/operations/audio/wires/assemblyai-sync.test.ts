import { expect, test } from 'bun:test';
import type { TranscribeRequest } from '../../transcribe.ts';
import type { FormFile, WireReply } from '../../wire.ts';
import { assemblyaiSyncProvider as wire } from './assemblyai-sync.ts';

const file: FormFile = {
  field: 'file',
  filename: 'a.wav',
  mediaType: 'audio/wav',
  bytes: 3,
  async *open() {
    yield Uint8Array.of(1, 2, 3);
  },
};
const asked: TranscribeRequest = {
  model: 'given',
  file,
  translate: false,
  format: 'json',
  granularities: [],
  stream: false,
};
const replied = (tree: unknown): WireReply => ({ contentType: 'application/json', tree, bytes: new Uint8Array() });
const making = { nowMs: 0, newId: (prefix: string) => prefix };

async function sent(request: Partial<TranscribeRequest>) {
  const { value, losses } = wire.writeRequest({ ...asked, ...request }, 'universal-3-5-pro');
  const fields = value.body.kind === 'form' ? value.body.fields : [];
  const config = fields.find(({ name }) => name === 'config')?.value;
  const parts = typeof config === 'object' ? await Array.fromAsync(config.open()) : [];
  return {
    names: fields.map(({ name }) => name),
    headers: value.headers,
    config: parts.length === 0 ? undefined : JSON.parse(Buffer.concat(parts).toString()),
    lost: losses.map(({ what }) => what),
  };
}

test('the model is a header, and without options there is no part for them', async () => {
  expect(await sent({})).toEqual({
    names: ['audio'],
    headers: { 'x-aai-model': 'universal-3-5-pro' },
    config: undefined,
    lost: [],
  });
});

test('options are JSON beside the file', async () => {
  expect(await sent({ language: 'de-AT', format: 'srt' })).toMatchObject({
    config: { language_code: 'de', timestamps: true },
    lost: [],
  });
  expect(await sent({ language: 'de', prompt: 'Ada.', temperature: 0, speakers: true })).toMatchObject({
    config: { prompt: 'Ada.', timestamps: true },
    lost: ['language', 'temperature', 'response_format'],
  });
});

test('a reply has its length in milliseconds, and times where they were asked for', () => {
  const words = [
    { text: 'Hello.', start: 0, end: 500, confidence: 0.9 },
    { text: 'Yes.', start: 600, end: 1_000, confidence: 0.9 },
  ];
  const tree = { text: 'Hello. Yes.', words, confidence: 0.9, audio_duration_ms: 1_500, session_id: 's' };
  expect(wire.readReply(replied(tree), asked, making).value).toMatchObject({
    text: 'Hello. Yes.',
    durationSeconds: 1.5,
    segments: [
      { text: 'Hello.', startSeconds: 0, endSeconds: 0.5 },
      { text: 'Yes.', startSeconds: 0.6, endSeconds: 1 },
    ],
    consumption: { seconds: 1.5 },
  });
  const untimed = { ...tree, words: words.map(({ text, confidence }) => ({ text, confidence })) };
  expect(wire.readReply(replied(untimed), asked, making).value).toEqual({
    text: 'Hello. Yes.',
    durationSeconds: 1.5,
    consumption: { seconds: 1.5 },
  });
  expect(wire.measure(tree)).toEqual({ seconds: 1.5 });
  expect(() => wire.readReply(replied({}), asked, making)).toThrow(SyntaxError);
});
