/** Frames of a client: what may cost something is never taken for free, and no model hides. */

import { describe, expect, test } from 'bun:test';
import { audioBytesIn, cancelFrameFor, readClientFrame, updateFrame, withModels } from './client-frames.ts';
import { passedHeaders, readLiveQuery, socketAddress } from './handshake.ts';

describe('audio', () => {
  test('is measured by its length', () => {
    const audio = Buffer.alloc(960).toString('base64');
    expect(audioBytesIn(JSON.stringify({ type: 'input_audio_buffer.append', audio }))).toBe(960);
    expect(audioBytesIn(JSON.stringify({ event_id: 'x', type: 'input_audio_buffer.append', audio }))).toBe(960);
  });

  test.each([
    '{"type":"input_audio_buffer.append","type":"session.update","session":{"model":"other"}}',
    '{"type":"input_audio_buffer.append","audio":"AAAA","\\u0074ype":"session.update"}',
    '{"session":{"type":"input_audio_buffer.append"},"type":"session.update"}',
    '{"type":"session.update"}',
  ])('%s is something else', (text) => {
    expect(audioBytesIn(text)).toBeUndefined();
  });
});

test.each([
  ['response.create', 'response'],
  ['input_audio_buffer.commit', 'audio'],
  ['something.new', 'audio'],
  ['session.update', 'nothing'],
  ['conversation.item.create', 'nothing'],
  ['response.cancel', 'nothing'],
] as const)('%s starts %s', (type, starts) => {
  expect(readClientFrame({ type }).starts).toBe(starts);
});

test('a frame without a type is refused', () => {
  expect(() => readClientFrame({})).toThrow('type');
});

test('models are found in both shapes, and spelled as the provider spells them', () => {
  const tree = {
    type: 'session.update',
    event_id: 'mine',
    session: {
      model: 'fast',
      audio: { input: { transcription: { model: 'ears', language: 'en' } }, output: { voice: 'alto' } },
      input_audio_transcription: { model: 'old-ears' },
    },
  };
  expect(readClientFrame(tree)).toMatchObject({
    eventId: 'mine',
    models: { conversation: 'fast', transcription: ['ears', 'old-ears'] },
  });
  const sent = withModels(tree, { conversation: 'up-fast', transcription: (name) => `up-${name}` });
  expect(sent).toEqual({
    type: 'session.update',
    event_id: 'mine',
    session: {
      model: 'up-fast',
      audio: { input: { transcription: { model: 'up-ears', language: 'en' } }, output: { voice: 'alto' } },
      input_audio_transcription: { model: 'up-old-ears' },
    },
  });
  expect(() => readClientFrame({ type: 'session.update', session: { model: 7 } })).toThrow('session.model');
});

test('the first settings are sent without the model that the URL names', () => {
  expect(JSON.parse(updateFrame({ type: 'realtime', model: 'm', instructions: 'i' }))).toEqual({
    type: 'session.update',
    session: { type: 'realtime', instructions: 'i' },
  });
  expect(JSON.parse(cancelFrameFor('r'))).toEqual({ type: 'response.cancel', response_id: 'r' });
});

describe('the handshake', () => {
  test('passes on the beta header and nothing else', () => {
    expect(passedHeaders(new Headers({ cookie: 'a=b' }))).toEqual({});
    expect(passedHeaders(new Headers({ 'openai-beta': 'other=1, realtime=v1' }))).toEqual({
      'openai-beta': 'realtime=v1',
    });
    const protocols = { 'sec-websocket-protocol': 'realtime, openai-beta.realtime-v1' };
    expect(passedHeaders(new Headers(protocols))).toEqual({ 'openai-beta': 'realtime=v1' });
  });

  test('names the model in the address, whatever it holds already', () => {
    expect(socketAddress('https://h/v1/realtime', 'a b/c', false)).toBe('wss://h/v1/realtime?model=a%20b%2Fc');
    expect(socketAddress('http://h/r?v=1', 'm', true)).toBe('ws://h/r?v=1&model=m&intent=transcription');
    expect(readLiveQuery('model=a%2Fb&intent=transcription')).toEqual({ model: 'a/b', transcribes: true });
    expect(readLiveQuery('deployment=d')).toEqual({ model: 'd', transcribes: false });
    expect(readLiveQuery('')).toEqual({ model: undefined, transcribes: false });
  });
});
