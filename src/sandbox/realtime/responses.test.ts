/** Responses by their events: words, speech, calls, limits, and each way they end. */

import { describe, expect, test } from 'bun:test';
import {
  base64Of,
  expectPublished,
  hum,
  joined,
  LiveSandbox,
  only,
  type SentEvent,
  silence,
  typesOf,
} from '../../../test/harness/live-sandbox.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';

const create = { type: 'response.create' };
const inText = { type: 'response.create', response: { output_modalities: ['text'] } };

const joinedDeltas = (events: readonly SentEvent[], type: string): string =>
  events
    .filter((event) => event.type === type)
    .map(({ delta }) => delta)
    .join('');
const doneOf = (events: readonly SentEvent[]) => only(events, 'response.done').response as Record<string, unknown>;
const usageOf = (events: readonly SentEvent[]) => doneOf(events)['usage'] as Record<string, unknown>;
const idIn = (event: SentEvent | undefined): { readonly id: string } => event?.item as { readonly id: string };
const distinct = (types: readonly string[]): string[] => types.filter((type, index) => type !== types[index - 1]);

describe('words', () => {
  test('come as events in their order', async () => {
    const sandbox = new LiveSandbox();
    const [{ item } = { item: {} }] = sandbox.say('what is 6*7?');
    const events = await sandbox.ask({ ...inText, response: { ...inText.response, metadata: { turn: '1' } } });
    expect(distinct(typesOf(events))).toEqual([
      'response.created',
      'rate_limits.updated',
      'response.output_item.added',
      'conversation.item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'conversation.item.done',
      'response.output_item.done',
      'response.done',
    ]);
    const { text } = only(events, 'response.output_text.done');
    expect(text).toStartWith('6*7 = 42.');
    expect(joinedDeltas(events, 'response.output_text.delta')).toBe(String(text));
    expect(only(events, 'conversation.item.added').previous_item_id).toBe((item as { id: string }).id);
    expect(only(events, 'response.created').response).toMatchObject({ status: 'in_progress', output: [] });
    expect(doneOf(events)).toMatchObject({
      status: 'completed',
      output: [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }],
      output_modalities: ['text'],
      conversation_id: 'conv_2',
      metadata: { turn: '1' },
    });
    expect(sandbox.waits.every((ms) => ms === 5)).toBe(true);
    expectPublished(sandbox.events);
  });

  test('the same for the same, in every session', async () => {
    const ask = async () => {
      const sandbox = new LiveSandbox();
      sandbox.say('Say something.');
      await sandbox.ask(create);
      return sandbox.events;
    };
    expect(await ask()).toEqual(await ask());
  });

  test('instructions, images and the words of the turns before are answered', async () => {
    const sandbox = new LiveSandbox();
    const image = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=';
    sandbox.send({
      type: 'conversation.item.create',
      item: {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_audio', audio: base64Of(hum(0.5)), transcript: 'what is 2+3?' },
          { type: 'input_image', image_url: image },
        ],
      },
    });
    const instructions = 'Speak like a pirate.';
    const events = await sandbox.ask({ type: 'response.create', response: { ...inText.response, instructions } });
    const text = String(only(events, 'response.output_text.done').text);
    expect(text).toStartWith('2+3 = 5.');
    expect(text).toContain(instructions);
    expect(text).toContain('1×1');
    expect(usageOf(events)).toMatchObject({ input_token_details: { audio_tokens: 5, image_tokens: 85 } });
    expectPublished(sandbox.events);
  });
});

describe('speech', () => {
  test('comes with its words, in pieces of a fifth of a second, at four times its speed', async () => {
    const sandbox = new LiveSandbox();
    sandbox.say('Hello there.');
    const events = await sandbox.ask(create);
    expect(distinct(typesOf(events)).slice(5, 7)).toEqual([
      'response.output_audio_transcript.delta',
      'response.output_audio.delta',
    ]);
    const deltas = events.filter(({ type }) => type === 'response.output_audio.delta');
    const bytes = deltas.map(({ delta }) => Buffer.from(String(delta), 'base64').length);
    expect(Math.max(...bytes)).toBe(9_600);
    const { transcript } = only(events, 'response.output_audio_transcript.done');
    expect(joinedDeltas(events, 'response.output_audio_transcript.delta')).toBe(String(transcript));
    const seconds = bytes.reduce((sum, count) => sum + count, 0) / 48_000;
    expect(sandbox.waits.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo((seconds * 1_000) / 4, 3);
    expect(usageOf(events)).toMatchObject({
      output_token_details: {
        audio_tokens: Math.round(seconds * 20),
        text_tokens: Math.ceil(String(transcript).length / 4),
      },
    });
    expect(doneOf(events)).toMatchObject({
      output: [{ content: [{ type: 'output_audio', transcript }] }],
      audio: { output: { voice: 'alloy', format: { type: 'audio/pcm', rate: 24_000 } } },
    });
    expectPublished(sandbox.events);
  });

  test('for the telephone at its rate', async () => {
    const sandbox = new LiveSandbox();
    sandbox.say('Hello there.');
    const audio = { output: { format: { type: 'audio/pcmu' }, voice: 'cedar' } };
    const events = await sandbox.ask({ type: 'response.create', response: { audio } });
    const deltas = events.filter(({ type }) => type === 'response.output_audio.delta');
    expect(Buffer.from(String(deltas[0]?.delta), 'base64').length).toBe(1_600);
    expect(doneOf(events)).toMatchObject({ audio });
  });

  test('fails with its cause where no voice can speak', async () => {
    const say = async () => Promise.reject(new GatewayError('gateway_overloaded', 'Too many sentences wait.'));
    const sandbox = new LiveSandbox({ voice: { say } });
    const events = await sandbox.ask(create);
    expect(doneOf(events)).toMatchObject({
      status: 'failed',
      status_details: { type: 'failed', error: { code: 'gateway_overloaded', message: 'Too many sentences wait.' } },
      output: [{ status: 'incomplete' }],
    });
    expectPublished(sandbox.events);
  });

  test('its voice cannot change once audio was sent', async () => {
    const sandbox = new LiveSandbox();
    const voice = (name: string) => sandbox.update({ audio: { output: { voice: name } } });
    await sandbox.ask(inText);
    expect(typesOf(voice('ash'))).toEqual(['session.updated']);
    await sandbox.ask(create);
    expect(typesOf(voice('ash'))).toEqual(['session.updated']);
    expect(only(voice('echo'), 'error').error).toMatchObject({ code: 'cannot_update_voice' });
  });
});

describe('calls', () => {
  const weather = {
    type: 'function',
    name: 'get_weather',
    description: 'Tells the weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  };

  test('are made, and answered about', async () => {
    const sandbox = new LiveSandbox();
    sandbox.update({ tools: [weather] });
    sandbox.say('What is the weather in Paris?');
    const events = await sandbox.ask(create);
    expect(distinct(typesOf(events)).slice(2)).toEqual([
      'response.output_item.added',
      'conversation.item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'conversation.item.done',
      'response.output_item.done',
      'response.done',
    ]);
    const done = only(events, 'response.function_call_arguments.done');
    expect(done).toMatchObject({ name: 'get_weather', arguments: '{"city":"Paris"}' });
    expect(joinedDeltas(events, 'response.function_call_arguments.delta')).toBe('{"city":"Paris"}');
    expect(only(events, 'response.output_item.added').item).toMatchObject({ status: 'in_progress', arguments: '' });
    expect(only(events, 'response.output_item.done').item).toMatchObject({
      type: 'function_call',
      status: 'completed',
      name: 'get_weather',
      call_id: done.call_id,
    });
    expect(usageOf(events)).toMatchObject({ output_token_details: { text_tokens: 7, audio_tokens: 0 } });
    const output = { type: 'function_call_output', call_id: done.call_id, output: '21 degrees' };
    sandbox.send({ type: 'conversation.item.create', item: output });
    const answer = await sandbox.ask(inText);
    expect(only(answer, 'response.output_text.done').text).toStartWith('get_weather returned "21 degrees".');
    expectPublished(sandbox.events);
  });

  test('only where they may be', async () => {
    const sandbox = new LiveSandbox();
    sandbox.say('What is the weather in Paris?');
    const ask = (response: object) => sandbox.ask({ type: 'response.create', response });
    const none = await ask({ tools: [weather], tool_choice: 'none', output_modalities: ['text'] });
    expect(doneOf(none)).toMatchObject({ output: [{ type: 'message' }] });
    const forced = await ask({ tools: [weather], tool_choice: { type: 'function', name: 'get_weather' } });
    expect(doneOf(forced)).toMatchObject({ output: [{ type: 'function_call' }] });
  });
});

describe('the end', () => {
  test('of what is cancelled: all that was opened is closed', async () => {
    const sandbox = new LiveSandbox({ deltasMax: 3 });
    sandbox.say('Tell me much.');
    await sandbox.ask(create);
    const events = sandbox.send({ type: 'response.cancel' });
    expect(typesOf(events)).toEqual([
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.content_part.done',
      'conversation.item.done',
      'response.output_item.done',
      'response.done',
    ]);
    expect(doneOf(events)).toMatchObject({
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'client_cancelled' },
      output: [{ status: 'incomplete' }],
      usage: { output_token_details: { audio_tokens: 12 } },
    });
    expect(typesOf(sandbox.send({ type: 'response.cancel' }))).toEqual(['error']);
    expectPublished(sandbox.events);
    const count = sandbox.events.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(sandbox.events).toHaveLength(count);
  });

  test('of what is interrupted by speech, which is then answered', async () => {
    const sandbox = new LiveSandbox({ deltasMax: 3 });
    sandbox.say('Tell me much.');
    await sandbox.ask(create);
    const started = sandbox.hear(joined(silence(0.2), hum(0.5)));
    expect(typesOf(started)[0]).toBe('input_audio_buffer.speech_started');
    expect(doneOf(started)).toMatchObject({ status: 'cancelled', status_details: { reason: 'turn_detected' } });
    const item = only(started, 'response.output_item.done').item as { id: string };
    const truncate = { type: 'conversation.item.truncate', item_id: item.id, content_index: 0 };
    expect(only(sandbox.send({ ...truncate, audio_end_ms: 601 }), 'error').error).toMatchObject({
      param: 'audio_end_ms',
    });
    expect(sandbox.send({ ...truncate, audio_end_ms: 250 })).toMatchObject([
      { type: 'conversation.item.truncated', item_id: item.id, content_index: 0, audio_end_ms: 250 },
    ]);
    const [retrieved] = sandbox.send({ type: 'conversation.item.retrieve', item_id: item.id });
    expect(retrieved?.item).toMatchObject({ content: [{ type: 'output_audio' }] });
    expect(JSON.stringify(retrieved)).not.toContain('transcript');
    expect(typesOf(sandbox.hear(silence(0.6)))).toContain('response.created');
    expectPublished(sandbox.events);
  });

  test('speech leaves a response alone where it shall not interrupt, and is answered after it', async () => {
    const sandbox = new LiveSandbox({ deltasMax: 3 });
    sandbox.update({ audio: { input: { turn_detection: { type: 'server_vad', interrupt_response: false } } } });
    await sandbox.ask(create);
    const during = sandbox.hear(joined(hum(0.5), silence(0.6)));
    expect(typesOf(during)).toContain('input_audio_buffer.committed');
    expect(typesOf(during).filter((type) => type.startsWith('response.'))).toEqual([]);
    const events = sandbox.send({ type: 'response.cancel' });
    expect(typesOf(events).indexOf('response.created')).toBeGreaterThan(typesOf(events).indexOf('response.done'));
  });

  test.each([
    ['text', 5],
    ['audio', 40],
  ] as const)('of %s at the limit of %p tokens', async (modality, limit) => {
    const sandbox = new LiveSandbox();
    sandbox.say('Tell me much.');
    const response = { output_modalities: [modality], max_output_tokens: limit };
    const events = await sandbox.ask({ type: 'response.create', response });
    expect(doneOf(events)).toMatchObject({
      status: 'incomplete',
      status_details: { type: 'incomplete', reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
    });
    const { output_tokens: spent } = usageOf(events) as { output_tokens: number };
    expect(spent).toBeLessThanOrEqual(limit);
    expect(spent).toBeGreaterThan(limit - 8);
    expectPublished(sandbox.events);
  });

  test('a truncation reaches only finished speech', async () => {
    const sandbox = new LiveSandbox({ deltasMax: 2 });
    const events = await sandbox.ask(create);
    const { id } = only(events, 'response.output_item.added').item as { id: string };
    const truncate = { type: 'conversation.item.truncate', item_id: id, content_index: 0, audio_end_ms: 10 };
    expect(only(sandbox.send(truncate), 'error').error).toMatchObject({ param: 'content_index' });
  });
});

describe('several', () => {
  test('one at a time in the conversation', async () => {
    const sandbox = new LiveSandbox({ deltasMax: 1 });
    await sandbox.ask(create);
    const [refused] = sandbox.send({ ...create, event_id: 'again' });
    expect(refused?.error).toMatchObject({ code: 'conversation_already_has_active_response', event_id: 'again' });
  });

  test('others beside it leave no trace', async () => {
    const sandbox = new LiveSandbox({ deltasMax: 1 });
    sandbox.say('first');
    await sandbox.ask(create);
    const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'what is 7*8?' }] }];
    const response = { conversation: 'none', input, output_modalities: ['text'], metadata: { topic: 'sum' } };
    const events = sandbox.send({ type: 'response.create', response });
    expect(typesOf(events)).not.toContain('conversation.item.added');
    expect(only(events, 'response.created').response).toMatchObject({
      conversation_id: null,
      metadata: { topic: 'sum' },
    });
    const { id } = only(events, 'response.created').response as { id: string };
    const cancelled = sandbox.send({ type: 'response.cancel', response_id: id });
    expect(doneOf(cancelled)).toMatchObject({ id, status: 'cancelled' });
    expect(typesOf(sandbox.send({ type: 'response.cancel' }))).toContain('response.done');
    expectPublished(sandbox.events);
  });

  test('a response may be about chosen items', async () => {
    const sandbox = new LiveSandbox();
    const [added] = sandbox.say('what is 7*8?');
    sandbox.say('what is 1+1?');
    const { id } = idIn(added);
    const input = [{ type: 'item_reference', id }];
    const events = await sandbox.ask({ type: 'response.create', response: { ...inText.response, input } });
    expect(only(events, 'response.output_text.done').text).toStartWith('7*8 = 56.');
  });
});

describe('usage', () => {
  test('adds up, and what was read before is cached', async () => {
    const sandbox = new LiveSandbox();
    sandbox.update({ instructions: 'x'.repeat(41) });
    sandbox.say('y'.repeat(9));
    const first = await sandbox.ask(inText);
    const { length } = String(only(first, 'response.output_text.done').text);
    const output = Math.ceil(length / 4);
    expect(usageOf(first)).toEqual({
      total_tokens: 14 + output,
      input_tokens: 14,
      output_tokens: output,
      input_token_details: {
        text_tokens: 14,
        audio_tokens: 0,
        image_tokens: 0,
        cached_tokens: 0,
        cached_tokens_details: { text_tokens: 0, audio_tokens: 0, image_tokens: 0 },
      },
      output_token_details: { text_tokens: output, audio_tokens: 0 },
    });
    sandbox.hear(joined(hum(1), silence(0.45)));
    sandbox.send({ type: 'input_audio_buffer.commit' });
    const second = await sandbox.ask(inText);
    expect(usageOf(second)).toMatchObject({
      input_tokens: 14 + output + 15,
      input_token_details: {
        text_tokens: 14 + output,
        audio_tokens: 15,
        cached_tokens: 14,
        cached_tokens_details: { text_tokens: 14, audio_tokens: 0 },
      },
    });
    sandbox.update({ instructions: 'z' });
    const third = await sandbox.ask(inText);
    expect(usageOf(third)).toMatchObject({ input_token_details: { cached_tokens: 0 } });
  });
});
