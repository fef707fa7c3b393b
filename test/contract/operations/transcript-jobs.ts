/**
 * AssemblyAI as it documents itself: a file is uploaded, its transcript ordered, then polled; or a clip
 * is answered at once.
 */

import { recording, spokenText, spokenWords } from './audio-wires.ts';
import { providerKey } from './bench.ts';
import { type Answer, demand, formOf, headerIs, jsonOf } from './scripted.ts';

const uploadUrl = 'https://cdn.assemblyai.com/upload/0123456789';
const orderFields = [
  ...['audio_url', 'speech_models', 'language_code', 'language_detection', 'prompt', 'temperature', 'speaker_labels'],
];

/** The language in which the service cannot transcribe, so that an order is refused after its upload was taken. */
export const refusedLanguage = 'xx';

/** https://www.assemblyai.com/docs/api-reference/transcripts/submit: a transcript is finished at its first poll, which takes a second, and the first one at its second. */
export function assemblyai(): Answer {
  const asked = new Map<string, { readonly tree: Readonly<Record<string, unknown>>; times: number }>();
  return (seen) => {
    headerIs(seen, 'authorization', providerKey);
    if (seen.path === '/v2/upload') {
      demand(seen.headers.get('content-type') === 'application/octet-stream', 'bytes of no kind');
      demand(seen.bytes.equals(recording), 'the bytes of the file');
      return Response.json({ upload_url: uploadUrl });
    }
    if (seen.path === '/v2/transcript') {
      const tree = jsonOf(seen, orderFields);
      demand(tree['audio_url'] === uploadUrl, 'the address of the upload');
      demand(JSON.stringify(tree['speech_models']) === '["universal-3-5-pro"]', 'speech_models');
      demand('language_code' in tree !== (tree['language_detection'] === true), 'a language, or to find it');
      if (tree['language_code'] === refusedLanguage) {
        return Response.json({ error: 'language_code: unsupported language' }, { status: 400 });
      }
      const id = `t-${asked.size + 1}`;
      asked.set(id, { tree, times: 0 });
      return Response.json({ id, status: 'queued', text: null, words: null, audio_duration: null });
    }
    const id = /^\/v2\/transcript\/(t-\d+)$/.exec(seen.path)?.[1] ?? '';
    const job = asked.get(id);
    demand(seen.method === 'GET' && job !== undefined, 'a question for a transcript');
    job.times += 1;
    if (job.times < 2 && id === 't-1') return Response.json({ id, status: 'processing', text: null });
    const speaker = job.tree['speaker_labels'] === true ? 'A' : null;
    const words = spokenWords.map(({ word: text, start, end }) =>
      timed({ text, speaker, confidence: 0.9 }, start, end),
    );
    const turns = [
      timed({ text: 'Hello there.', speaker, words: words.slice(0, 2) }, 0, 1.5),
      timed({ text: 'General weir.', speaker, words: words.slice(2) }, 1.5, 3),
    ];
    const done = { id, status: 'completed', language_code: 'en', text: spokenText, words, audio_duration: 3 };
    return Response.json({ ...done, utterances: speaker === null ? null : turns });
  };
}

/** In milliseconds. */
function timed(entry: object, start: number, end: number): object {
  return { ...entry, start: start * 1_000, end: end * 1_000 };
}

/** https://www.assemblyai.com/docs/api-reference/sync-api/transcribe */
export const assemblyaiSync: Answer = async (seen) => {
  headerIs(seen, 'authorization', providerKey);
  demand(seen.path === '/transcribe', 'its path');
  demand(seen.headers.get('x-aai-model') === 'universal-clips', 'X-AAI-Model');
  const form = await formOf(seen, ['audio', 'config']);
  const [audio, part] = [form.get('audio'), form.get('config')];
  demand(audio instanceof Blob && Buffer.from(await audio.arrayBuffer()).equals(recording), 'the bytes of the file');
  demand(/^audio\/(x-)?wav$/.test(audio.type), 'a wave file');
  demand(part === null || (part instanceof Blob && part.type.startsWith('application/json')), 'JSON beside the file');
  const config = part === null ? {} : (JSON.parse(await part.text()) as Readonly<Record<string, unknown>>);
  for (const field of Object.keys(config)) {
    demand(['language_code', 'prompt', 'timestamps'].includes(field), `no field ${field}`);
  }
  const words = spokenWords.map(({ word: text, start, end }) =>
    config['timestamps'] === true ? timed({ text, confidence: 0.9 }, start, end) : { text, confidence: 0.9 },
  );
  return Response.json({ text: spokenText, words, confidence: 0.9, audio_duration_ms: 3_000, session_id: 's' });
};
