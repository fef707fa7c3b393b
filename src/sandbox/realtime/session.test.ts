/** A live conversation by its events: settings, items, audio, and every fault a client can make. */

import { describe, expect, test } from 'bun:test';
import {
  base64Of,
  expectPublished,
  hum,
  joined,
  LiveSandbox,
  only,
  silence,
  typesOf,
} from '../../../test/harness/live-sandbox.ts';
import { itemsMax } from './conversation.ts';
import { waitingBytesMax } from './input-audio.ts';

describe('the session', () => {
  test('says what it is', () => {
    const sandbox = new LiveSandbox();
    expect(typesOf(sandbox.events)).toEqual(['session.created', 'conversation.created']);
    expect(sandbox.events[0]?.session).toMatchObject({
      type: 'realtime',
      id: 'sess_1',
      object: 'realtime.session',
      model: 'sandbox-realtime',
      output_modalities: ['audio'],
      audio: {
        input: { format: { type: 'audio/pcm', rate: 24_000 }, turn_detection: { type: 'server_vad', threshold: 0.5 } },
        output: { voice: 'alloy', speed: 1 },
      },
    });
    expectPublished(sandbox.events);
  });

  test('takes what a library sets, and leaves the rest', () => {
    const sandbox = new LiveSandbox();
    const tools = [{ type: 'function', name: 'roll', description: 'Rolls a die', parameters: { type: 'object' } }];
    sandbox.update({ tracing: 'auto' });
    sandbox.update({
      instructions: 'Be kind.',
      model: 'sandbox-realtime',
      tools,
      tool_choice: { type: 'function', name: 'roll' },
      max_output_tokens: 100,
      parallel_tool_calls: false,
      audio: {
        input: {
          format: { type: 'audio/pcmu' },
          noise_reduction: null,
          transcription: { model: 'gpt-4o-mini-transcribe' },
          turn_detection: { type: 'semantic_vad', eagerness: 'high' },
        },
        output: { format: { type: 'audio/pcma' }, voice: 'cedar', speed: 1.2 },
      },
    });
    const [updated] = sandbox.update({ output_modalities: ['text'] });
    expect(updated).toMatchObject({
      type: 'session.updated',
      session: {
        instructions: 'Be kind.',
        output_modalities: ['text'],
        tools,
        tool_choice: { type: 'function', name: 'roll' },
        max_output_tokens: 100,
        parallel_tool_calls: false,
        tracing: 'auto',
        audio: {
          input: {
            format: { type: 'audio/pcmu' },
            transcription: { model: 'gpt-4o-mini-transcribe' },
            turn_detection: {
              type: 'semantic_vad',
              eagerness: 'high',
              create_response: true,
              interrupt_response: true,
            },
          },
          output: { format: { type: 'audio/pcma' }, voice: 'cedar', speed: 1.2 },
        },
      },
    });
    expectPublished(sandbox.events);
  });

  test('a null switches off what can be off', () => {
    const sandbox = new LiveSandbox();
    sandbox.update({ audio: { input: { transcription: { model: 'whisper-1' } } } });
    const [updated] = sandbox.update({
      instructions: null,
      audio: { input: { transcription: null, turn_detection: null } },
    });
    expect(updated?.session).toMatchObject({ audio: { input: { turn_detection: null } } });
    expect(JSON.stringify(updated)).not.toContain('whisper-1');
  });

  test.each([
    [{ voice: 'alloy' }, 'session.voice', 'unknown_parameter'],
    [{ modalities: ['text'] }, 'session.modalities', 'unknown_parameter'],
    [{ type: undefined }, 'session.type', 'missing_required_parameter'],
    [{ type: 'transcription' }, 'session.type', 'invalid_value'],
    [{ model: 'other' }, 'session.model', 'invalid_value'],
    [{ instructions: 7 }, 'session.instructions', 'invalid_value'],
    [{ output_modalities: ['text', 'audio'] }, 'session.output_modalities', 'invalid_value'],
    [{ output_modalities: [] }, 'session.output_modalities', 'missing_required_parameter'],
    [{ max_output_tokens: 0 }, 'session.max_output_tokens', 'invalid_value'],
    [{ max_output_tokens: 1.5 }, 'session.max_output_tokens', 'invalid_value'],
    [{ tools: [{ type: 'mcp', server_label: 'x' }] }, 'session.tools[0].type', 'invalid_value'],
    [{ tools: [{ type: 'function' }] }, 'session.tools[0].name', 'missing_required_parameter'],
    [{ tool_choice: 'sometimes' }, 'session.tool_choice', 'invalid_value'],
    [{ prompt: { id: 'p' } }, 'session.prompt', 'invalid_value'],
    [{ audio: { output: { voice: 'nobody' } } }, 'session.audio.output.voice', 'invalid_value'],
    [{ audio: { output: { speed: 9 } } }, 'session.audio.output.speed', 'invalid_value'],
    [{ audio: { input: { format: { type: 'audio/mp3' } } } }, 'session.audio.input.format.type', 'invalid_value'],
    [
      { audio: { input: { format: { type: 'audio/pcm', rate: 8_000 } } } },
      'session.audio.input.format.rate',
      'invalid_value',
    ],
    [
      { audio: { input: { turn_detection: { type: 'server_vad', threshold: 2 } } } },
      'session.audio.input.turn_detection.threshold',
      'invalid_value',
    ],
    [
      { audio: { input: { turn_detection: { type: 'server_vad', idle_timeout_ms: 5_000 } } } },
      'session.audio.input.turn_detection.idle_timeout_ms',
      'invalid_value',
    ],
  ])('%j is refused, and nothing of it holds', (session, param, code) => {
    const sandbox = new LiveSandbox();
    const events = sandbox.send({
      type: 'session.update',
      event_id: 'mine',
      session: { type: 'realtime', instructions: 'changed', ...session },
    });
    expect(typesOf(events)).toEqual(['error']);
    expect(events[0]?.error).toMatchObject({ type: 'invalid_request_error', code, param, event_id: 'mine' });
    const [updated] = sandbox.update({});
    expect(updated?.session).toMatchObject({ instructions: '' });
    expectPublished(sandbox.events);
  });
});

describe('faults', () => {
  test.each([
    ['{', 'invalid_json', null],
    ['[]', 'invalid_value', 'event'],
    ['{}', 'missing_required_parameter', 'type'],
    ['{"type":7}', 'invalid_value', 'type'],
    ['{"type":"session.destroy"}', 'invalid_value', 'type'],
    ['{"type":"constructor"}', 'invalid_value', 'type'],
    ['{"type":"session.update"}', 'missing_required_parameter', 'session'],
    ['{"type":"input_audio_buffer.append"}', 'missing_required_parameter', 'audio'],
    ['{"type":"input_audio_buffer.append","audio":"?"}', 'invalid_value', 'audio'],
    ['{"type":"input_audio_buffer.commit"}', 'input_audio_buffer_commit_empty', null],
    ['{"type":"conversation.item.create"}', 'missing_required_parameter', 'item'],
    ['{"type":"conversation.item.retrieve","item_id":"x"}', 'item_retrieve_invalid_item_id', 'item_id'],
    ['{"type":"conversation.item.delete","item_id":"x"}', 'item_delete_invalid_item_id', 'item_id'],
    [
      '{"type":"conversation.item.truncate","item_id":"x","content_index":0,"audio_end_ms":0}',
      'item_truncate_invalid_item_id',
      'item_id',
    ],
    ['{"type":"response.cancel"}', 'response_cancel_not_active', null],
    ['{"type":"response.cancel","response_id":"r"}', 'response_cancel_not_active', 'response_id'],
    ['{"type":"response.create","response":{"modalities":["text"]}}', 'unknown_parameter', 'response.modalities'],
    ['{"type":"response.create","response":{"conversation":"other"}}', 'invalid_value', 'response.conversation'],
    ['{"type":"response.create","response":{"metadata":{"a":1}}}', 'invalid_value', 'response.metadata.a'],
    [
      '{"type":"response.create","response":{"input":[{"type":"item_reference","id":"x"}]}}',
      'item_not_found',
      'response.input[0].id',
    ],
  ])('%s', (text, code, param) => {
    const sandbox = new LiveSandbox();
    const events = sandbox.send(text);
    expect(typesOf(events)).toEqual(['error']);
    expect(events[0]?.error).toMatchObject({ type: 'invalid_request_error', code, param, event_id: null });
    expectPublished(sandbox.events);
    expect(typesOf(sandbox.say('still here'))).toContain('conversation.item.added');
  });
});

describe('items', () => {
  const text = (id: string, words: string) => ({
    id,
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: words }],
  });
  const create = (sandbox: LiveSandbox, item: object, previous?: string) =>
    sandbox.send({ type: 'conversation.item.create', item, ...(previous && { previous_item_id: previous }) });

  test('come at the end, behind another one, or in front', () => {
    const sandbox = new LiveSandbox();
    const places = [
      create(sandbox, text('a', 'one')),
      create(sandbox, text('c', 'three')),
      create(sandbox, text('b', 'two'), 'a'),
      create(sandbox, text('z', 'zero'), 'root'),
    ];
    expect(places.map((events) => typesOf(events))).toEqual(
      places.map(() => ['conversation.item.added', 'conversation.item.done']),
    );
    expect(places.map(([added]) => added?.previous_item_id)).toEqual([null, 'a', 'a', null]);
    expect(only(create(sandbox, text('d', ''), 'x'), 'error').error).toMatchObject({ param: 'previous_item_id' });
    expect(only(create(sandbox, text('a', '')), 'error').error).toMatchObject({ param: 'item.id' });
    expectPublished(sandbox.events);
  });

  test('are retrieved and deleted', () => {
    const sandbox = new LiveSandbox();
    create(sandbox, text('a', 'one'));
    const [retrieved] = sandbox.send({ type: 'conversation.item.retrieve', item_id: 'a' });
    expect(retrieved).toMatchObject({
      type: 'conversation.item.retrieved',
      item: { ...text('a', 'one'), status: 'completed', object: 'realtime.item' },
    });
    const [deleted] = sandbox.send({ type: 'conversation.item.delete', item_id: 'a' });
    expect(deleted).toMatchObject({ type: 'conversation.item.deleted', item_id: 'a' });
    expect(typesOf(sandbox.send({ type: 'conversation.item.delete', item_id: 'a' }))).toEqual(['error']);
    expectPublished(sandbox.events);
  });

  test.each([
    [{ type: 'message', role: 'user' }, 'item.content'],
    [{ type: 'message', role: 'user', content: [{ type: 'output_text', text: '' }] }, 'item.content[0].type'],
    [{ type: 'message', role: 'user', content: [{ type: 'input_text' }] }, 'item.content[0].text'],
    [{ type: 'message', role: 'nobody', content: [] }, 'item.role'],
    [{ type: 'message', role: 'user', content: [{ type: 'input_audio' }] }, 'item.content[0].audio'],
    [{ type: 'message', role: 'user', content: [{ type: 'input_audio', audio: 'AAAA' }] }, 'item.content[0].audio'],
    [{ type: 'function_call_output', call_id: 'none', output: '' }, 'item.call_id'],
    [{ type: 'mcp_approval_response' }, 'item.type'],
    [{ ...text('x'.repeat(65), '') }, 'item.id'],
  ])('%j is refused', (item, param) => {
    const sandbox = new LiveSandbox();
    expect(only(create(sandbox, item), 'error').error).toMatchObject({ param });
  });

  test('are limited in number', () => {
    const sandbox = new LiveSandbox();
    for (let index = 0; index < itemsMax; index++) create(sandbox, text(`i${index}`, ''));
    expect(only(create(sandbox, text('more', '')), 'error').error).toMatchObject({ code: 'conversation_full' });
    sandbox.send({ type: 'conversation.item.delete', item_id: 'i0' });
    expect(typesOf(create(sandbox, text('more', '')))).toContain('conversation.item.added');
  });
});

describe('audio', () => {
  const turn = joined(silence(0.5), hum(1), silence(0.6));

  test('becomes a turn when it stops, and is answered', async () => {
    const sandbox = new LiveSandbox();
    sandbox.update({ audio: { input: { transcription: { model: 'any' } } } });
    const events = await sandbox.ask({ type: 'input_audio_buffer.append', audio: base64Of(turn) });
    const [started, stopped, committed, added] = events;
    expect(typesOf(events).slice(0, 8)).toEqual([
      'input_audio_buffer.speech_started',
      'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.done',
      'conversation.item.input_audio_transcription.delta',
      'conversation.item.input_audio_transcription.completed',
      'response.created',
    ]);
    expect(started).toMatchObject({ audio_start_ms: 200 });
    expect(stopped).toMatchObject({ audio_end_ms: 2_000, item_id: started?.item_id });
    expect(committed).toMatchObject({ item_id: started?.item_id, previous_item_id: null });
    expect(added).toMatchObject({
      item: { id: started?.item_id, content: [{ type: 'input_audio', transcript: null }] },
    });
    const transcript = 'The sandbox finds 1.0 seconds of speech within 1.8 seconds, but does not understand words.';
    expect(only(events, 'conversation.item.input_audio_transcription.completed')).toMatchObject({
      item_id: started?.item_id,
      content_index: 0,
      transcript,
      usage: { type: 'tokens', input_tokens: 18, input_token_details: { audio_tokens: 18, text_tokens: 0 } },
    });
    expect(only(events, 'response.output_audio_transcript.done').transcript).toStartWith(transcript);
    const [retrieved] = sandbox.send({ type: 'conversation.item.retrieve', item_id: String(started?.item_id) });
    expect(retrieved?.item).toMatchObject({ content: [{ type: 'input_audio', transcript }] });
    expectPublished(sandbox.events);
  });

  test('without answers where the session wants none', async () => {
    const sandbox = new LiveSandbox();
    sandbox.update({ audio: { input: { turn_detection: { type: 'server_vad', create_response: false } } } });
    const events = await sandbox.ask({ type: 'input_audio_buffer.append', audio: base64Of(turn) });
    expect(typesOf(events)).toContain('input_audio_buffer.committed');
    expect(typesOf(events)).not.toContain('response.created');
  });

  test('is committed by hand where turns are the client’s own', async () => {
    const sandbox = new LiveSandbox();
    sandbox.update({ audio: { input: { turn_detection: null, transcription: { model: 'whisper-1' } } } });
    expect(sandbox.hear(turn)).toEqual([]);
    const events = await sandbox.ask({ type: 'input_audio_buffer.commit' });
    expect(typesOf(events)).toEqual([
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.done',
      'conversation.item.input_audio_transcription.delta',
      'conversation.item.input_audio_transcription.completed',
    ]);
    expect(events.at(-1)?.usage).toEqual({ type: 'duration', seconds: 2.1 });
    sandbox.hear(turn);
    expect(typesOf(sandbox.send({ type: 'input_audio_buffer.clear' }))).toEqual(['input_audio_buffer.cleared']);
    expect(typesOf(sandbox.send({ type: 'input_audio_buffer.commit' }))).toEqual(['error']);
    expectPublished(sandbox.events);
  });

  test('too much of it is refused', () => {
    const sandbox = new LiveSandbox();
    sandbox.update({ audio: { input: { turn_detection: null } } });
    const audio = Buffer.alloc(waitingBytesMax).toString('base64');
    expect(sandbox.send({ type: 'input_audio_buffer.append', audio })).toEqual([]);
    const [refused] = sandbox.send({ type: 'input_audio_buffer.append', audio: 'AAA=' });
    expect(refused?.error).toMatchObject({ code: 'input_audio_buffer_full' });
  });

  test('a transcription session transcribes and answers nothing', async () => {
    const sandbox = new LiveSandbox({ kind: 'transcription' });
    expect(typesOf(sandbox.events)).toEqual(['session.created']);
    const input = { transcription: { model: 'any' }, format: { type: 'audio/pcm', rate: 24_000 } };
    const [updated] = sandbox.send({ type: 'session.update', session: { type: 'transcription', audio: { input } } });
    expect(updated?.session).toMatchObject({ type: 'transcription', audio: { input } });
    const events = await sandbox.ask({ type: 'input_audio_buffer.append', audio: base64Of(turn) });
    expect(typesOf(events).at(-1)).toBe('conversation.item.input_audio_transcription.completed');
    expect(typesOf(sandbox.send({ type: 'response.create' }))).toEqual(['error']);
    expectPublished(sandbox.events);
  });
});
