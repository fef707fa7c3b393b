/** Facts read of a provider's events, under both names of each and in whatever order its fields come. */

import { describe, expect, test } from 'bun:test';
import { readServerEvent } from './server-events.ts';

const read = (event: object) => readServerEvent(JSON.stringify(event));

describe('deltas', () => {
  test.each(['response.output_audio.delta', 'response.audio.delta'])('%s is measured, not parsed', (type) => {
    const delta = Buffer.alloc(4_800).toString('base64');
    expect(read({ type, event_id: 'e', response_id: 'r1', delta })).toEqual({
      kind: 'audio',
      responseId: 'r1',
      bytes: 4_800,
    });
    // Invalid after the delta: only a parser would fail.
    expect(readServerEvent(`{"type":"${type}","response_id":"r","delta":"AAAA",,,`)).toMatchObject({ bytes: 3 });
  });

  test.each([
    'response.output_text.delta',
    'response.text.delta',
    'response.output_audio_transcript.delta',
    'response.audio_transcript.delta',
    'response.function_call_arguments.delta',
  ])('%s counts its characters', (type) => {
    expect(read({ event_id: 'e', type, response_id: 'r2', delta: 'hello' })).toEqual({
      kind: 'text',
      responseId: 'r2',
      characters: 5,
    });
  });
});

describe('responses', () => {
  const usage = {
    total_tokens: 253,
    input_tokens: 132,
    output_tokens: 121,
    input_token_details: {
      text_tokens: 100,
      audio_tokens: 32,
      cached_tokens: 70,
      cached_tokens_details: { text_tokens: 64, audio_tokens: 6 },
    },
    output_token_details: { text_tokens: 30, audio_tokens: 91 },
  };

  test('are begun and done, with what they used, cached audio apart', () => {
    const begun = { id: 'r1', metadata: { b: '2', a: '1' }, max_output_tokens: 'inf' };
    expect(read({ type: 'response.created', response: begun })).toEqual({
      kind: 'response-created',
      id: 'r1',
      metadata: '[["a","1"],["b","2"]]',
      outputLimit: 'inf',
    });
    expect(read({ type: 'response.done', response: { id: 'r1', status: 'completed', usage } })).toEqual({
      kind: 'response-done',
      id: 'r1',
      failed: false,
      usage: {
        input: { total: 132, cacheRead: 70, audio: 32, cachedAudio: 6 },
        output: { total: 121, text: 30, audio: 91 },
      },
    });
  });

  test('are found though their type comes last', () => {
    const event = { response: { id: 'r1', status: 'failed', output: [{ type: 'message' }] }, type: 'response.done' };
    expect(read(event)).toEqual({ kind: 'response-done', id: 'r1', failed: true, usage: undefined });
  });

  test.each([{}, { input_tokens: -1, output_tokens: 'x' }, null])('without counts have no usage: %p', (given) => {
    expect(read({ type: 'response.done', response: { id: 'r', usage: given } })).toMatchObject({ usage: undefined });
  });
});

test('a type inside an item is not the type of the event', () => {
  expect(read({ item: { type: 'response.done', id: 'x' }, type: 'conversation.item.created' })).toEqual({
    kind: 'other',
  });
});

test('a session says its bounds in both shapes', () => {
  const now = {
    max_output_tokens: 300,
    audio: { input: { format: { type: 'audio/pcm', rate: 16_000 }, transcription: { model: 't' } }, output: {} },
  };
  expect(read({ type: 'session.updated', session: now })).toEqual({
    kind: 'session',
    facts: { outputLimit: 300, inputBytesPerSecond: 32_000, transcriptionModel: 't' },
  });
  const beta = {
    max_response_output_tokens: 'inf',
    input_audio_format: 'pcm16',
    output_audio_format: 'g711_ulaw',
    input_audio_transcription: { model: 'whisper-1' },
  };
  expect(read({ type: 'session.created', session: beta })).toEqual({
    kind: 'session',
    facts: {
      outputLimit: 'inf',
      inputBytesPerSecond: 48_000,
      outputBytesPerSecond: 8_000,
      transcriptionModel: 'whisper-1',
    },
  });
});

test.each([
  [{ turn_detection: null }, { detectsTurns: false, startsWhenIdle: false }],
  [{ audio: { input: { turn_detection: null } } }, { detectsTurns: false, startsWhenIdle: false }],
  [{ turn_detection: { type: 'server_vad', create_response: false } }, { detectsTurns: false, startsWhenIdle: false }],
  [{ turn_detection: { type: 'semantic_vad' } }, { detectsTurns: true, startsWhenIdle: false }],
  [
    { audio: { input: { turn_detection: { type: 'server_vad', idle_timeout_ms: 6_000 } } } },
    { detectsTurns: true, startsWhenIdle: true },
  ],
])('%j says who starts responses', (session, facts) => {
  expect(read({ type: 'session.updated', session })).toEqual({ kind: 'session', facts });
});

test.each([
  [
    { code: 'conversation_already_has_active_response', event_id: 'e1' },
    { eventId: 'e1', ofResponse: true },
  ],
  [
    { code: 'invalid_value', param: 'response.temperature', event_id: null },
    { eventId: undefined, ofResponse: true },
  ],
  [
    { code: 'invalid_value', param: 'session.voice' },
    { eventId: undefined, ofResponse: false },
  ],
])('the error %j says what was refused', (error, said) => {
  expect(read({ type: 'error', error })).toEqual({ kind: 'error', ...said });
});

test('transcripts say tokens or seconds', () => {
  const type = 'conversation.item.input_audio_transcription.completed';
  expect(read({ type, usage: { type: 'duration', seconds: 4 } })).toEqual({
    kind: 'transcribed',
    usage: undefined,
    seconds: 4,
  });
  expect(read({ type, usage: { type: 'tokens', input_tokens: 7, output_tokens: 2 } })).toMatchObject({
    usage: { input: { total: 7 }, output: { total: 2 } },
  });
});

test.each(['', 'null', '[]', '{', '{"type":7}', '{"type":"response.done"}'])('%p breaks nothing', (text) => {
  expect(['other', 'response-done']).toContain(readServerEvent(text).kind);
});
