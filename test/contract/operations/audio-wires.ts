/** The wires of speech and transcripts as their vendors document them, with one recording and its text. */

import { waveFile } from '../../../src/operations/audio/wave-file.ts';
import { providerKey } from './bench.ts';
import { type Answer, bearerIs, demand, eventReply, formOf, headerIs, jsonOf, type Seen } from './scripted.ts';

/** The text that is spoken, and the transcript that comes back. */
export const spokenText = 'Hello there. General weir.';
export const pieces = [Buffer.from('first piece of audio;'), Buffer.from('second piece of audio;')];
export const audioBytes = Buffer.concat(pieces);
/** Odd bytes, so that they cannot be mistaken for text. */
export const recording = Buffer.from(Array.from({ length: 4_000 }, (_, index) => (index * 7) % 256));

export const mediaTypes: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

/** The second piece waits until the test says that the first arrived. */
export class Gate {
  #opened = Promise.withResolvers<void>();
  #closed = false;
  close(): void {
    this.#closed = true;
  }
  open(): void {
    this.#closed = false;
    this.#opened.resolve();
    this.#opened = Promise.withResolvers<void>();
  }
  passed(): Promise<void> {
    return this.#closed ? this.#opened.promise : Promise.resolve();
  }
}

export const gate = new Gate();

function spoken(type: string, parts: readonly Uint8Array[] = pieces): Response {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (const piece of parts) {
        controller.enqueue(new Uint8Array(piece));
        await gate.passed();
      }
      controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': type } });
}

/** `events` is false for servers that do not support them and answer with the audio. */
export function familySpeech(events: boolean): Answer {
  return (seen) => {
    demand(seen.path === '/v1/audio/speech', 'its path');
    bearerIs(seen, providerKey);
    const { model, input, voice, response_format: format = 'mp3', stream_format: framing } = jsonOf(seen);
    demand(typeof model === 'string' && typeof input === 'string', 'what to say');
    // A voice of the caller's own has an id; other servers accept names only.
    const named = events && typeof voice === 'object' ? (voice as { id?: unknown } | null)?.id : voice;
    demand(typeof named === 'string', 'a voice');
    if (framing !== 'sse' || !events) return spoken(mediaTypes[`${format}`] ?? 'none');
    const deltas = pieces.map((piece) => ({ type: 'speech.audio.delta', audio: piece.toString('base64') }));
    const usage = { input_tokens: 14, output_tokens: 101, total_tokens: 115 };
    const all = [...deltas, { type: 'speech.audio.done', usage }];
    return spoken(
      'text/event-stream',
      all.map((event) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`)),
    );
  };
}

/** The same wire for files of samples alone. */
export const waveSpeech: Answer = (seen) => {
  demand(seen.path === '/v1/audio/speech', 'its path');
  bearerIs(seen, providerKey);
  const { input, voice, response_format: format, stream_format: framing } = jsonOf(seen);
  demand(input === spokenText && voice !== undefined, 'what to say and who says it');
  demand(format === 'wav' && framing === undefined, 'response_format must be one of [wav]');
  const samples = new Uint8Array(audioBytes);
  const head = waveFile({ bytes: samples, samplesPerSecond: 24_000 }).subarray(0, 44);
  return spoken('audio/wav', [Buffer.concat([head, pieces[0] ?? audioBytes]), ...pieces.slice(1)]);
};

export const geminiSpeech: Answer = (seen) => {
  demand(seen.path === '/v1beta/models/gemini-2.5-flash-preview-tts:generateContent', 'its path');
  headerIs(seen, 'x-goog-api-key', providerKey);
  const { contents, generationConfig } = jsonOf(seen, ['contents', 'generationConfig']) as {
    contents: { parts: { text: string }[] }[];
    generationConfig: {
      responseModalities: string[];
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: string } } };
    };
  };
  demand(generationConfig.responseModalities.join() === 'AUDIO', 'audio alone');
  demand(generationConfig.speechConfig.voiceConfig.prebuiltVoiceConfig.voiceName === 'Kore', 'a voice');
  demand(contents[0]?.parts[0]?.text.includes(spokenText), 'the text');
  const inlineData = { mimeType: 'audio/L16;codec=pcm;rate=24000', data: audioBytes.toString('base64') };
  return Response.json({
    candidates: [{ content: { parts: [{ inlineData }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 8, candidatesTokenCount: 50 },
  });
};

export const elevenlabs: Answer = (seen) => {
  headerIs(seen, 'xi-api-key', providerKey);
  if (seen.path === '/v1/speech-to-text') return elevenlabsTranscript(seen);
  const [, voice, stream] = /^\/v1\/text-to-speech\/(\w+)(\/stream)?$/.exec(seen.path) ?? [];
  demand(voice === 'JBFqnCBsd6RMkjVDRZzb', 'a voice in its path');
  const format = seen.query.get('output_format') ?? '';
  demand(['mp3_44100_128', 'opus_48000_128', 'pcm_24000', 'wav_24000'].includes(format), 'an output format');
  demand(stream !== undefined || format === 'wav_24000', 'a stream');
  const { text, model_id: model } = jsonOf(seen, ['text', 'model_id', 'voice_settings']);
  demand(text === spokenText && model === 'eleven_multilingual_v2', 'a text and a model');
  return spoken(mediaTypes[format.split('_')[0] ?? ''] ?? 'none');
};

export const deepgram: Answer = (seen) => {
  headerIs(seen, 'authorization', `Token ${providerKey}`);
  if (seen.path === '/v1/listen') return deepgramTranscript(seen);
  demand(seen.path === '/v1/speak', 'its path');
  demand(seen.query.get('model') === 'aura-2-thalia-en', 'a voice as the model');
  const encoding = seen.query.get('encoding') ?? '';
  const samples = seen.query.get('container') === 'wav' ? 'wav' : 'pcm';
  demand(['mp3', 'opus', 'aac', 'flac', 'linear16'].includes(encoding), 'an encoding');
  demand(jsonOf(seen, ['text'])['text'] === spokenText, 'the text');
  return spoken(mediaTypes[encoding === 'linear16' ? samples : encoding] ?? 'none');
};

/** Every request has the header with its version. https://docs.cartesia.ai/api-reference/tts/bytes */
export const cartesia: Answer = async (seen) => {
  bearerIs(seen, providerKey);
  demand(/^\d{4}-\d\d-\d\d$/.test(seen.headers.get('cartesia-version') ?? ''), 'Cartesia-Version');
  if (seen.path === '/stt') {
    const form = await formOf(seen, ['file', 'model', 'language', 'timestamp_granularities[]']);
    await demandRecording(form);
    demand(form.get('model') === 'ink-whisper', 'its model');
    const words = form.get('timestamp_granularities[]') === 'word' ? { words: spokenWords } : {};
    return Response.json({
      type: 'transcript',
      text: spokenText,
      language: 'en',
      duration: 3,
      request_id: 'r',
      ...words,
    });
  }
  demand(seen.path === '/tts/bytes', 'its path');
  const known = ['model_id', 'transcript', 'voice', 'output_format', 'generation_config'];
  const {
    transcript,
    model_id: model,
    voice,
    output_format: output,
  } = jsonOf(seen, known) as {
    readonly transcript: string;
    readonly model_id: string;
    readonly voice: { readonly mode: string; readonly id: string };
    readonly output_format: Readonly<Record<string, string | number>>;
  };
  demand(transcript === spokenText && model === 'sonic-3.5', 'a text and a model');
  demand(voice.mode === 'id' && voice.id === '694f9389-aac1-45b6-b726-9d9369183238', 'a voice by its id');
  const { container, encoding, bit_rate: rate } = output;
  demand(container === 'mp3' ? rate === 128_000 : encoding === 'pcm_s16le', 'an output format');
  return spoken(mediaTypes[container === 'raw' ? 'pcm' : `${container}`] ?? 'none');
};

const segments = [
  { start: 0, end: 1.5, text: 'Hello there.' },
  { start: 1.5, end: 3, text: 'General weir.' },
];

export const spokenWords = [
  { word: 'Hello', start: 0, end: 0.7 },
  { word: 'there.', start: 0.8, end: 1.5 },
  { word: 'General', start: 1.5, end: 2.2 },
  { word: 'weir.', start: 2.3, end: 3 },
];

/** The long form of the family: segments unless only words are requested. */
function timed(form: FormData): object {
  const asked = form.getAll('timestamp_granularities[]');
  const measured = { tokens: [7], temperature: 0, avg_logprob: -0.2, compression_ratio: 1.1, no_speech_prob: 0.01 };
  const long = segments.map((segment, id) => ({ id, seek: 0, ...segment, ...measured }));
  return {
    ...(asked.length === 0 || asked.includes('segment') ? { segments: long } : {}),
    ...(asked.includes('word') ? { words: spokenWords } : {}),
  };
}

async function demandRecording(form: FormData): Promise<void> {
  const file = form.get('file');
  demand(file instanceof File, 'a file');
  demand(Buffer.from(await file.arrayBuffer()).equals(recording), 'the bytes of the file');
  // Some libraries name the file themselves, and the form parser here has its own spelling of the type.
  demand(/^(talk|audio)\.wav$/.test(file.name) && /^audio\/(x-)?wav$/.test(file.type), 'its name and its type');
}

/** The wire of the official libraries: `whisper` counts seconds, the others tokens. */
export const family: Answer = async (seen) => {
  bearerIs(seen, providerKey);
  const translates = seen.path === '/v1/audio/translations';
  demand(translates || seen.path === '/v1/audio/transcriptions', 'its path');
  const form = await formOf(seen);
  await demandRecording(form);
  const text = translates ? 'Good day.' : spokenText;
  const format = form.get('response_format') ?? 'json';
  if (form.get('stream') === 'true') {
    const usage = { type: 'tokens', input_tokens: 30, output_tokens: 8, total_tokens: 38 };
    const deltas = ['Hello there. ', 'General weir.'].map((delta) => ({ type: 'transcript.text.delta', delta }));
    const all = [...deltas, { type: 'transcript.text.done', text, usage }];
    return eventReply(all.map((event) => `data: ${JSON.stringify(event)}\n\n`));
  }
  if (format === 'json') return Response.json({ text, usage: { type: 'duration', seconds: 3 } });
  if (format === 'diarized_json') {
    demand(form.get('model') === 'gpt-4o-transcribe', 'a model that tells speakers apart');
    const turns = segments.map((segment, index) => ({
      type: 'transcript.text.segment',
      id: `seg_${index}`,
      ...segment,
    }));
    const spoken = turns.map((turn, index) => ({ ...turn, speaker: 'AB'[index] }));
    const usage = { type: 'tokens', input_tokens: 30, output_tokens: 8, total_tokens: 38 };
    return Response.json({ task: 'transcribe', duration: 3, text, segments: spoken, usage });
  }
  demand(format === 'verbose_json', 'a format that says how long it was');
  const task = translates ? 'translate' : 'transcribe';
  return Response.json({ task, language: 'english', duration: 3, text, ...timed(form) });
};

/** A similar wire that is always called with the long form, since its short one lacks the length. */
export const groq: Answer = async (seen) => {
  bearerIs(seen, providerKey);
  const translates = seen.path === '/v1/audio/translations';
  demand(translates || seen.path === '/v1/audio/transcriptions', 'its path');
  const known = ['file', 'model', 'language', 'prompt', 'response_format', 'temperature', 'timestamp_granularities[]'];
  const form = await formOf(seen, known);
  await demandRecording(form);
  demand(form.get('response_format') === 'verbose_json', 'the long form');
  const text = translates ? 'Good day.' : spokenText;
  return Response.json({ task: 'transcribe', language: 'English', duration: 3, text, ...timed(form) });
};

export const mistral: Answer = async (seen) => {
  bearerIs(seen, providerKey);
  demand(seen.path === '/v1/audio/transcriptions', 'its path');
  const form = await formOf(seen, ['file', 'model', 'language', 'temperature', 'timestamp_granularities', 'diarize']);
  await demandRecording(form);
  const timed = form.has('timestamp_granularities');
  demand(!(timed && form.has('language')), 'times or a language');
  return Response.json({
    model: form.get('model'),
    text: spokenText,
    language: 'en',
    segments: timed ? segments.map((segment) => ({ ...segment, type: 'transcription_segment' })) : [],
    usage: { prompt_audio_seconds: 3, prompt_tokens: 5, completion_tokens: 9, total_tokens: 14 },
  });
};

async function elevenlabsTranscript(seen: Seen): Promise<Response> {
  const known = [
    'file',
    'model_id',
    'language_code',
    'temperature',
    'timestamps_granularity',
    'tag_audio_events',
    'diarize',
  ];
  const form = await formOf(seen, known);
  await demandRecording(form);
  demand(form.get('model_id') === 'scribe_v1', 'its model');
  const words = [
    { text: 'Hello', start: 0, end: 0.7, type: 'word' },
    { text: ' ', start: 0.7, end: 0.8, type: 'spacing' },
    { text: 'there.', start: 0.8, end: 1.5, type: 'word' },
    { text: ' ', start: 1.5, end: 1.5, type: 'spacing' },
    { text: 'General', start: 1.5, end: 2.2, type: 'word' },
    { text: ' ', start: 2.2, end: 2.3, type: 'spacing' },
    { text: 'weir.', start: 2.3, end: 3, type: 'word' },
  ].map((word) => ({ ...word, speaker_id: 'speaker_0' }));
  return Response.json({ language_code: 'en', language_probability: 0.99, text: spokenText, words });
}

function deepgramTranscript(seen: Seen): Response {
  demand(seen.method === 'POST' && seen.headers.get('content-type') === 'audio/wav', 'the audio as the body');
  demand(seen.bytes.equals(recording), 'the bytes of the file');
  demand(seen.query.get('model') === 'nova-3', 'its model');
  demand(seen.query.has('language') !== (seen.query.get('detect_language') === 'true'), 'a language, or to find it');
  const speaker = seen.query.get('diarize') === 'true' ? { speaker: 0 } : {};
  const words = spokenWords.map(({ word, ...times }) => ({
    word: word.toLowerCase().replace('.', ''),
    punctuated_word: word,
    ...times,
  }));
  return Response.json({
    metadata: { duration: 3, channels: 1, models: ['x'] },
    results: {
      channels: [{ alternatives: [{ transcript: spokenText, confidence: 0.9, words }], detected_language: 'en' }],
      utterances: segments.map(({ start, end, text }) => ({ start, end, transcript: text, ...speaker })),
    },
  });
}
