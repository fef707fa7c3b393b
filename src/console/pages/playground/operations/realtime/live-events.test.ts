/** Proves that a conversation's events become the lines that were said, also where one is interrupted or an event is nonsense. */

import { describe, expect, test } from 'bun:test';
import { firstState, type LiveState, readEvent, readInto, soundIn } from './live-events.ts';

type Event = { readonly type: string; readonly [field: string]: unknown };

const after = (...events: readonly Event[]): LiveState => events.reduce(readInto, firstState);
const item = (id: string, role: string, content: readonly object[]): Event => ({
  type: 'conversation.item.added',
  item: { id, type: 'message', role, content },
});

describe('a written turn', () => {
  const events: readonly Event[] = [
    item('item_1', 'user', [{ type: 'input_text', text: 'Hello' }]),
    { type: 'response.created', response: { id: 'resp_1' } },
    item('item_2', 'assistant', []),
    { type: 'response.output_text.delta', item_id: 'item_2', delta: 'Good ' },
    { type: 'response.output_text.delta', item_id: 'item_2', delta: 'day' },
  ];
  test('grows while it is said', () => {
    const state = after(...events);
    expect(state.responseId).toBe('resp_1');
    expect(state.lines).toEqual([
      { id: 'item_1', who: 'person', text: 'Hello', spoken: false, state: 'done' },
      { id: 'item_2', who: 'model', text: 'Good day', spoken: false, state: 'going' },
    ]);
  });
  test('is over with its response, and counted', () => {
    const done = { id: 'resp_1', status: 'completed', usage: { input_tokens: 5, output_tokens: 7 } };
    const state = after(
      ...events,
      { type: 'response.done', response: done },
      { type: 'response.done', response: done },
    );
    expect(state.lines.at(-1)?.state).toBe('done');
    expect(state.responseId).toBeUndefined();
    expect(state.tokens).toEqual({ input: 10, output: 14 });
  });
  test('is marked where someone interrupted it', () => {
    const state = after(...events, { type: 'response.done', response: { status: 'cancelled' } });
    expect(state.lines.at(-1)).toMatchObject({ text: 'Good day', state: 'interrupted' });
  });
  test('says why it failed', () => {
    const error = { code: 'server_error', message: 'Broke.' };
    const state = after(...events, {
      type: 'response.done',
      response: { status: 'failed', status_details: { error } },
    });
    expect(state.error).toEqual({ code: 'server_error', message: 'Broke.' });
  });
});

test('a spoken turn shows what was heard, and its words once they are known', () => {
  const heard = [
    { type: 'input_audio_buffer.speech_started' },
    { type: 'input_audio_buffer.speech_stopped' },
    item('item_1', 'user', [{ type: 'input_audio', transcript: null }]),
  ];
  expect(after(...heard.slice(0, 1)).hearing).toBe(true);
  expect(after(...heard)).toMatchObject({ hearing: false, lines: [{ spoken: true, text: '' }] });
  const words = { item_id: 'item_1', type: 'conversation.item.input_audio_transcription.completed', transcript: 'Hi.' };
  expect(after(...heard, words).lines[0]?.text).toBe('Hi.');
});

test('a voice’s words come with its sound', () => {
  const sound = { type: 'response.output_audio.delta', item_id: 'item_9', delta: 'AAA=' };
  expect(soundIn(sound)).toEqual({ itemId: 'item_9', base64: 'AAA=' });
  const state = after({ type: 'response.output_audio_transcript.delta', item_id: 'item_9', delta: 'Yes.' });
  expect(soundIn({ type: 'response.done' })).toBeUndefined();
  expect(state.lines).toEqual([{ id: 'item_9', who: 'model', text: 'Yes.', spoken: true, state: 'going' }]);
});

test('the same item told twice is one line, and instructions are none', () => {
  const told = item('item_1', 'user', [{ type: 'input_text', text: 'Hello' }]);
  expect(after(told, told, item('item_0', 'system', [{ type: 'input_text', text: 'Be brief.' }])).lines.length).toBe(1);
});

describe('nonsense', () => {
  for (const data of ['', '{', '[]', '1', 'null', '{"type":3}', new ArrayBuffer(1)]) {
    test(`${String(data)} is no event`, () => expect(readEvent(data)).toBeUndefined());
  }
  for (const type of ['rate_limits.updated', 'constructor', 'toString', '__proto__']) {
    test(`${type} changes nothing`, () => expect(readInto(firstState, { type })).toBe(firstState));
  }
  test('fields of another kind do no harm', () => {
    const state = after(
      { type: 'conversation.item.added', item: 'x' },
      { type: 'response.done', response: [] },
      { type: 'response.created' },
      { type: 'error', error: null },
    );
    expect(state.lines).toEqual([]);
    expect(state.error).toEqual({ message: '', code: '' });
  });
});
