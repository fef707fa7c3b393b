import { describe, expect, test } from 'bun:test';
import { expectValid } from '../../../test/harness/schema.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import { type SpeakReply, type SpeakRequest, type SpeechFormat, speechFormats } from '../speak.ts';
import type { ProviderWire, ReplyMaking, WireReply } from '../wire.ts';
import { speakWires } from './provider-wires.ts';
import { samplesIn, waveFile } from './wave-file.ts';
import { deepgramSpeechProvider } from './wires/deepgram-speech.ts';
import { elevenlabsSpeechProvider } from './wires/elevenlabs-speech.ts';
import { geminiSpeechProvider } from './wires/gemini-speech.ts';
import { openaiSpeechClient, openaiSpeechProvider } from './wires/openai-speech.ts';

type Wire = ProviderWire<SpeakRequest, SpeakReply>;

const making: ReplyMaking = { nowMs: 0, newId: (prefix) => `${prefix}1` };
const asked: SpeakRequest = { model: 'given', input: 'Grüße 𝄞', voice: 'Kore', format: 'wav', framing: 'audio' };
const raw = (contentType: string, bytes: Uint8Array): WireReply => ({ contentType, tree: undefined, bytes });
const tree = (value: unknown): WireReply => ({ contentType: 'application/json', tree: value, bytes: new Uint8Array() });

/** What the wire sends: the body's tree, what is added to the address, and the names of what was lost. */
function sent(wire: Wire, request: Partial<SpeakRequest>, model = 'm'): { body: Tree; suffix: string; lost: string[] } {
  const { value, losses } = wire.writeRequest({ ...asked, ...request }, model);
  if (value.body.kind !== 'json') throw new Error('not JSON');
  return { body: value.body.tree, suffix: value.suffix ?? '', lost: losses.map(({ what }) => what) };
}

function refused(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) return `${error.code} ${error.param}`;
    throw error;
  }
  return 'nothing';
}

/** The data of events, each checked against the published schema. */
function events(body: string | Uint8Array): Tree[] {
  const found = String(body)
    .split('\n\n')
    .filter(Boolean)
    .map((block) => JSON.parse(block.replace(/^data: /, '')) as Tree);
  for (const event of found) expectValid('CreateSpeechResponseStreamEvent', event);
  return found;
}

const audioOf = (found: readonly Tree[]): Buffer =>
  Buffer.concat(found.flatMap(({ audio }) => (typeof audio === 'string' ? [Buffer.from(audio, 'base64')] : [])));

describe('openai-speech', () => {
  test('a request comes out as it went in, whatever the caller added', () => {
    const full = {
      model: 'tts',
      input: 'Hello.',
      voice: { id: 'voice_1' },
      instructions: 'Calmly.',
      response_format: 'flac',
      speed: 2,
      stream_format: 'sse',
    };
    for (const body of [full, { model: 'tts', input: 'Hello.', voice: 'ash', response_format: 'mp3' }]) {
      const request = openaiSpeechClient.readRequest({ kind: 'json', tree: body }).value;
      const { value, losses } = openaiSpeechProvider.writeRequest(request, 'tts');
      expect(value.body).toEqual({ kind: 'json', tree: body });
      expect(losses).toEqual([]);
      expectValid('CreateSpeechRequest', body);
    }
    const extra = openaiSpeechClient.readRequest({ kind: 'json', tree: { ...full, lang_code: 'en' } }).value;
    expect(sent(openaiSpeechProvider, extra).body).toMatchObject({ lang_code: 'en', model: 'm' });
    expect(sent(deepgramSpeechProvider, extra).lost).toContain('lang_code');
  });

  test('bytes pass where they are what was asked for', () => {
    const passes = (type: string, framing: SpeakRequest['framing']): boolean | undefined =>
      openaiSpeechProvider.passesBytes?.(type, { ...asked, framing });
    expect(passes('audio/mpeg', 'audio')).toBe(true);
    expect(passes('application/octet-stream', 'audio')).toBe(true);
    expect(passes('text/event-stream; charset=utf-8', 'sse')).toBe(true);
    expect(passes('audio/mpeg', 'sse')).toBe(false);
    expect(passes('text/event-stream', 'audio')).toBe(false);
    expect(passes('application/json', 'audio')).toBe(false);
  });

  test('audio for a caller who wants events is cut into them, and they add up to it', () => {
    const bytes = new Uint8Array(100_000).map((_, index) => index * 7);
    const request: SpeakRequest = { ...asked, framing: 'sse' };
    const { value } = openaiSpeechProvider.readReply(raw('audio/wav', bytes), request, making);
    const written = openaiSpeechClient.writeReply(value, request, making);
    expect(written.contentType).toStartWith('text/event-stream');
    const found = events(written.body);
    expect(found.length).toBeGreaterThan(2);
    expect(audioOf(found).equals(bytes)).toBe(true);
    expect(found.at(-1)).toEqual({
      type: 'speech.audio.done',
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    });
    const rewriting = openaiSpeechClient.rewriting?.(request, making);
    const streamed = [rewriting?.piece(bytes), rewriting?.end()]
      .map((piece) => new TextDecoder().decode(piece))
      .join('');
    expect(audioOf(events(streamed)).equals(bytes)).toBe(true);
    expect(openaiSpeechClient.rewriting?.(asked, making)).toBeUndefined();
  });

  test('events for a caller who wants audio are put together, with the tokens they report', () => {
    const stream = [
      { type: 'speech.audio.delta', audio: Buffer.from('abcd').toString('base64') },
      { type: 'speech.audio.delta', audio: Buffer.from('e').toString('base64') },
      { type: 'speech.audio.done', usage: { input_tokens: 3, output_tokens: 40, total_tokens: 43 } },
    ].map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`);
    const reply = raw('text/event-stream', Buffer.from(stream.join('')));
    const { value } = openaiSpeechProvider.readReply(reply, asked, making);
    expect(Buffer.from(value.bytes ?? []).toString()).toBe('abcde');
    expect(value.consumption).toEqual({
      characters: 7,
      tokens: { input: { total: 3 }, output: { total: 40, audio: 40 } },
    });
    const cut = raw('text/event-stream', Buffer.from(stream.slice(0, 2).join('')));
    expect(() => openaiSpeechProvider.readReply(cut, asked, making)).toThrow(SyntaxError);
    const done = { type: 'speech.audio.done', usage: { input_tokens: 3, output_tokens: 40, total_tokens: 43 } };
    expect(openaiSpeechProvider.measure(done)).toEqual({
      tokens: { input: { total: 3 }, output: { total: 40, audio: 40 } },
    });
    expect(openaiSpeechProvider.measure({ usage: { input_tokens: -1 } })).toEqual({});
  });
});

describe('gemini-speech', () => {
  const samples = new Uint8Array(48_000).map((_, index) => index % 251);
  const reply = (mimeType: string, bytes: Uint8Array): WireReply =>
    tree({
      candidates: [
        {
          content: {
            parts: [{ inlineData: { mimeType, data: Buffer.from(bytes).toString('base64') } }],
            role: 'model',
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: {
        promptTokenCount: 8,
        candidatesTokenCount: 48,
        candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 48 }],
        totalTokenCount: 56,
      },
    });

  test('the voice is named and only audio is wanted', () => {
    expect(sent(geminiSpeechProvider, { speed: 2 })).toEqual({
      body: {
        contents: [{ role: 'user', parts: [{ text: 'Grüße 𝄞' }] }],
        generationConfig: {
          responseModalities: ['AUDIO'],
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
        },
      },
      suffix: '',
      lost: ['speed'],
    });
  });

  test('a direction is in the text for earlier models and beside it for later ones', () => {
    const parts = (model: string): unknown =>
      sent(geminiSpeechProvider, { instructions: 'Calmly' }, model).body['contents'];
    expect(parts('gemini-2.5-flash-preview-tts')).toEqual([{ role: 'user', parts: [{ text: 'Calmly: Grüße 𝄞' }] }]);
    expect(parts('gemini-3.8-flash-tts')).toEqual([
      { role: 'user', parts: [{ text: 'Grüße 𝄞', speechMetadata: { style: 'Calmly' } }] },
    ]);
  });

  test('what neither the provider nor Weir writes is refused by the name of its field', () => {
    for (const format of speechFormats) {
      const written = ['wav', 'pcm', 'mp3', 'flac'].includes(format);
      const expected = written ? 'nothing' : 'operation_unsupported response_format';
      expect(refused(() => sent(geminiSpeechProvider, { format }))).toBe(expected);
    }
  });

  test('what Weir is to write itself is handed over as samples', () => {
    const given = reply('audio/L16;codec=pcm;rate=24000', samples);
    const {
      mediaType,
      bytes,
      samples: handed,
    } = geminiSpeechProvider.readReply(given, { ...asked, format: 'mp3' }, making).value;
    expect([mediaType, bytes, handed?.samplesPerSecond]).toEqual(['audio/mpeg', undefined, 24_000]);
    expect(Buffer.from(handed?.bytes ?? []).equals(samples)).toBe(true);
  });

  test('bare samples are given as they are, and as a file that describes them', () => {
    const given = reply('audio/L16;codec=pcm;rate=24000', samples);
    const pcm = geminiSpeechProvider.readReply(given, { ...asked, format: 'pcm' }, making).value;
    expect(pcm.mediaType).toBe('audio/pcm');
    expect(Buffer.from(pcm.bytes ?? []).equals(samples)).toBe(true);
    expect(pcm.consumption).toEqual({
      characters: 7,
      seconds: 1,
      tokens: { input: { total: 8 }, output: { total: 48, thinking: undefined, audio: 48 } },
    });
    const wav = geminiSpeechProvider.readReply(given, asked, making).value;
    expect(wav.mediaType).toBe('audio/wav');
    expect(
      Buffer.from(wav.bytes ?? [])
        .subarray(0, 4)
        .toString(),
    ).toBe('RIFF');
    expect(samplesIn(wav.bytes ?? new Uint8Array())).toEqual({ bytes: samples, samplesPerSecond: 24_000 });
  });

  test('a file of samples serves both formats too, and another rate is reported', () => {
    const file = waveFile({ bytes: samples, samplesPerSecond: 16_000 });
    const pcm = geminiSpeechProvider.readReply(reply('audio/wav', file), { ...asked, format: 'pcm' }, making).value;
    expect(pcm.mediaType).toBe('audio/pcm;rate=16000');
    expect(pcm.bytes).toEqual(samples);
    expect(geminiSpeechProvider.readReply(reply('audio/wav', file), asked, making).value.bytes).toEqual(file);
  });

  test('a reply without audio is broken, or a refusal where it has a reason', () => {
    const read = (value: unknown): unknown => geminiSpeechProvider.readReply(tree(value), asked, making);
    for (const broken of [
      null,
      [],
      {},
      { candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' }] },
    ]) {
      expect(() => read(broken)).toThrow(SyntaxError);
    }
    expect(() => geminiSpeechProvider.readReply(reply('audio/mp3', samples), asked, making)).toThrow(SyntaxError);
    expect(refused(() => read({ promptFeedback: { blockReason: 'SAFETY' } }))).toBe('upstream_refused input');
    expect(refused(() => read({ candidates: [{ finishReason: 'OTHER' }] }))).toBe('upstream_refused input');
  });
});

describe('elevenlabs-speech', () => {
  test('voice and format are in the URL, the text in the body', () => {
    const { body, suffix, lost } = sent(elevenlabsSpeechProvider, { format: 'mp3', speed: 1.1 }, 'eleven_v3');
    expect(suffix).toBe('/Kore/stream?output_format=mp3_44100_128');
    expect(body).toEqual({ text: 'Grüße 𝄞', model_id: 'eleven_v3', voice_settings: { speed: 1.1 } });
    expect(lost).toEqual([]);
  });

  test('every format is asked for, or refused by the name of its field', () => {
    const suffixes = speechFormats.map((format: SpeechFormat) => {
      let written = '';
      const refusal = refused(() => {
        written = sent(elevenlabsSpeechProvider, { format }).suffix;
      });
      return written || refusal;
    });
    expect(suffixes).toEqual([
      '/Kore/stream?output_format=mp3_44100_128',
      '/Kore/stream?output_format=opus_48000_128',
      'operation_unsupported response_format',
      '/Kore/stream?output_format=pcm_24000',
      '/Kore?output_format=wav_24000',
      '/Kore/stream?output_format=pcm_24000',
    ]);
  });

  test('a voice never leaves its place in the path', () => {
    for (const voice of ['.', '..', '...']) {
      expect(refused(() => sent(elevenlabsSpeechProvider, { voice }))).toBe('field_invalid voice');
    }
    const base = 'https://api.example/v1/text-to-speech';
    for (const voice of ['../../admin/contracts', 'a/b', 'a?x=1', 'a#b', '%2e%2e', 'a\\..\\b', '\ud800', 'ü ö']) {
      const { pathname, search } = new URL(base + sent(elevenlabsSpeechProvider, { voice, format: 'mp3' }).suffix);
      expect(pathname.split('/').length).toBe(5);
      expect(pathname).toEndWith('/stream');
      expect(search).toBe('?output_format=mp3_44100_128');
    }
  });

  test('unsupported options are reported, and a speed is clamped', () => {
    const { body, lost } = sent(elevenlabsSpeechProvider, { speed: 4, instructions: 'Calmly.' });
    expect(body['voice_settings']).toEqual({ speed: 1.2 });
    expect(lost.toSorted()).toEqual(['instructions', 'speed']);
  });
});

describe('deepgram-speech', () => {
  test('every format has its encoding, and a container only where there is a choice', () => {
    const queries = speechFormats.map((format) => sent(deepgramSpeechProvider, { format }, 'aura-2').suffix);
    expect(queries).toEqual([
      '?model=aura-2-kore-en&encoding=mp3',
      '?model=aura-2-kore-en&encoding=opus&container=ogg',
      '?model=aura-2-kore-en&encoding=aac',
      '?model=aura-2-kore-en&encoding=flac',
      '?model=aura-2-kore-en&encoding=linear16&container=wav&sample_rate=24000',
      '?model=aura-2-kore-en&encoding=linear16&container=none&sample_rate=24000',
    ]);
  });

  test('a model is a voice: named whole by the model, whole by the voice, or in two parts', () => {
    const model = (name: string, voice: string): [string | null, string[]] => {
      const { suffix, lost } = sent(deepgramSpeechProvider, { voice }, name);
      return [new URLSearchParams(suffix).get('model'), lost];
    };
    expect(model('aura-2-thalia-en', 'alloy')).toEqual(['aura-2-thalia-en', ['voice']]);
    expect(model('aura-2-thalia-en', 'Thalia')).toEqual(['aura-2-thalia-en', []]);
    expect(model('aura-2', 'aura-2-thalia-es')).toEqual(['aura-2-thalia-es', []]);
    expect(model('aura-2', 'celeste-es')).toEqual(['aura-2-celeste-es', []]);
    expect(model('aura-2', 'a&encoding=x')).toEqual(['aura-2-a&encoding=x-en', []]);
  });

  test('the text is the body, and a speed is brought near', () => {
    const { body, suffix, lost } = sent(deepgramSpeechProvider, { speed: 0.25 });
    expect(body).toEqual({ text: 'Grüße 𝄞' });
    expect(new URLSearchParams(suffix).get('speed')).toBe('0.7');
    expect(lost).toEqual(['speed']);
  });
});

test('providers of bare audio pass it, count its characters, and take nothing else for it', () => {
  for (const wire of [elevenlabsSpeechProvider, deepgramSpeechProvider]) {
    expect(wire.passesBytes?.('audio/mpeg', asked)).toBe(true);
    expect(wire.passesBytes?.('application/json', asked)).toBe(false);
    const { value } = wire.readReply(raw('audio/mpeg', Uint8Array.of(1, 2)), asked, making);
    expect(value).toEqual({ mediaType: 'audio/wav', bytes: Uint8Array.of(1, 2), consumption: { characters: 7 } });
    expect(() => wire.readReply(tree({ error: 1 }), asked, making)).toThrow(SyntaxError);
    expect(wire.measure({ usage: 1 })).toEqual({});
  }
});

test('every provider serves every caller: each writes the request and reads the reply', () => {
  for (const wire of speakWires) {
    for (const framing of ['audio', 'sse'] as const) {
      const request: SpeakRequest = { ...asked, framing };
      expect(wire.writeRequest(request, 'm').value.body.kind).toBe('json');
      const reply = wire.name === 'gemini-speech' ? undefined : raw('audio/wav', Uint8Array.of(9, 8, 7));
      if (reply === undefined) continue;
      const { body } = openaiSpeechClient.writeReply(wire.readReply(reply, request, making).value, request, making);
      const audio = framing === 'sse' ? audioOf(events(body)) : Buffer.from(body as Uint8Array);
      expect([...audio]).toEqual([9, 8, 7]);
    }
  }
});
