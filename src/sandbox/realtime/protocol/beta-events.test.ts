/** The beta's names and shapes, in both directions; what they mean is the same. */

import { describe, expect, test } from 'bun:test';
import { hum, joined, LiveSandbox, only, silence, typesOf } from '../../../../test/harness/live-sandbox.ts';
import { betaNames } from './beta-events.ts';

const beta = (kind: 'realtime' | 'transcription' = 'realtime', deltasMax = Number.POSITIVE_INFINITY) =>
  new LiveSandbox({ kind, names: betaNames(), deltasMax });
const distinct = (types: readonly string[]): string[] => types.filter((type, index) => type !== types[index - 1]);

test('a session is flat', () => {
  const sandbox = beta();
  expect(sandbox.events[0]).toMatchObject({
    type: 'session.created',
    session: {
      object: 'realtime.session',
      model: 'sandbox-realtime',
      modalities: ['audio', 'text'],
      voice: 'alloy',
      input_audio_format: 'pcm16',
      output_audio_format: 'pcm16',
      turn_detection: { type: 'server_vad', silence_duration_ms: 500 },
      temperature: 0.8,
      max_response_output_tokens: 'inf',
    },
  });
  const written = JSON.stringify(sandbox.events[0]);
  for (const name of ['"audio":', 'output_modalities', '"max_output_tokens"', '"type":"realtime"']) {
    expect(written).not.toContain(name);
  }
});

test('and is set in its own words', () => {
  const sandbox = beta();
  const session = {
    modalities: ['text'],
    voice: 'ash',
    speed: 1.1,
    input_audio_format: 'g711_ulaw',
    output_audio_format: 'g711_alaw',
    input_audio_transcription: { model: 'whisper-1' },
    turn_detection: null,
    temperature: 0.6,
    max_response_output_tokens: 50,
    instructions: 'Be brief.',
  };
  const [updated] = sandbox.send({ type: 'session.update', session });
  expect(updated).toMatchObject({ type: 'session.updated', session });
});

test.each([
  [{ voice: 'nobody' }, 'session.voice'],
  [{ input_audio_format: 'mp3' }, 'session.input_audio_format.type'],
  [{ turn_detection: { type: 'server_vad', threshold: 3 } }, 'session.turn_detection.threshold'],
  [{ max_response_output_tokens: -1 }, 'session.max_response_output_tokens'],
  [{ output_modalities_of_tomorrow: [] }, 'session.output_modalities_of_tomorrow'],
])('a fault in %j is named as the client wrote it', (session, param) => {
  expect(only(beta().send({ type: 'session.update', session }), 'error').error).toMatchObject({ param });
});

describe('responses', () => {
  test('words', async () => {
    const sandbox = beta();
    const [created] = sandbox.say('what is 6*7?');
    expect(created).toMatchObject({ type: 'conversation.item.created', previous_item_id: null });
    const response = { modalities: ['text'], max_response_output_tokens: 900, temperature: 0.7 };
    const events = await sandbox.ask({ type: 'response.create', response });
    expect(distinct(typesOf(events))).toEqual([
      'response.created',
      'rate_limits.updated',
      'response.output_item.added',
      'conversation.item.created',
      'response.content_part.added',
      'response.text.delta',
      'response.text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.done',
    ]);
    const { text } = only(events, 'response.text.done');
    const content = [{ type: 'text', text }];
    expect(only(events, 'response.output_item.done').item).toMatchObject({ content });
    expect(only(events, 'response.done').response).toMatchObject({
      status: 'completed',
      modalities: ['text'],
      temperature: 0.7,
      output: [{ content }],
    });
  });

  test('speech', async () => {
    const sandbox = beta();
    sandbox.say('Hello.');
    const response = { modalities: ['text', 'audio'], voice: 'echo', output_audio_format: 'g711_ulaw' };
    const events = await sandbox.ask({ type: 'response.create', response });
    const types = new Set(typesOf(events));
    for (const name of ['audio.delta', 'audio.done', 'audio_transcript.delta', 'audio_transcript.done']) {
      expect(types).toContain(`response.${name}`);
    }
    expect([...types].filter((type) => type.includes('output_audio') || type.endsWith('item.added'))).toEqual([
      'response.output_item.added',
    ]);
    expect(only(events, 'response.done').response).toMatchObject({
      modalities: ['audio', 'text'],
      voice: 'echo',
      output_audio_format: 'g711_ulaw',
      output: [{ content: [{ type: 'audio' }] }],
    });
  });

  test('a history in the beta’s words is understood', async () => {
    const sandbox = beta();
    const content = [{ type: 'text', text: 'I said so.' }];
    const [created] = sandbox.send({
      type: 'conversation.item.create',
      item: { type: 'message', role: 'assistant', content },
    });
    expect(created).toMatchObject({ type: 'conversation.item.created', item: { content } });
    const input = [{ type: 'message', role: 'assistant', content }];
    const events = await sandbox.ask({ type: 'response.create', response: { input, modalities: ['text'] } });
    expect(only(events, 'response.done').response).toMatchObject({ usage: { input_tokens: 3 } });
  });

  test('an interruption', async () => {
    const sandbox = beta('realtime', 2);
    await sandbox.ask({ type: 'response.create' });
    const events = sandbox.hear(joined(silence(0.2), hum(0.5)));
    expect(typesOf(events)).toEqual([
      'input_audio_buffer.speech_started',
      'response.audio.done',
      'response.audio_transcript.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.done',
    ]);
  });
});

test('a transcription session has its own names', () => {
  const sandbox = beta('transcription');
  expect(typesOf(sandbox.events)).toEqual(['transcription_session.created']);
  const session = { input_audio_transcription: { model: 'whisper-1' }, input_audio_format: 'pcm16' };
  const [updated] = sandbox.send({ type: 'transcription_session.update', session });
  expect(updated).toMatchObject({ type: 'transcription_session.updated', session });
});
