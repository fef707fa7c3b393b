/** A realtime session: handles a client's events and emits its own. Clock and ids are injected. */

import type { Tree } from '../../conversation/json-tree.ts';
import type { Slices } from '../time-slices.ts';
import type { Pace, Voice } from './answer.ts';
import { Conversation } from './conversation.ts';
import { type AudioLengths, InputAudio, type TurnChange } from './input-audio.ts';
import { type Item, type MessageItem, writeItem } from './items.ts';
import { describeAudio } from './prompt.ts';
import { decodeAudio, rateOf } from './protocol/audio-format.ts';
import { currentNames, type EventNames } from './protocol/beta-events.ts';
import { isAbsent, objectIn, textIn, wholeIn } from './protocol/checked-fields.ts';
import { invalid, missing, ProtocolFault, shown } from './protocol/faults.ts';
import { updatedSettings } from './protocol/read-settings.ts';
import { firstSettings, type SessionSettings, writeSession } from './protocol/settings.ts';
import { readItem } from './read-item.ts';
import { Responses } from './responses.ts';
import { inputAudioTokens, textTokens } from './usage.ts';

interface SessionParts {
  readonly model: string;
  readonly kind: SessionSettings['kind'];
  readonly names?: EventNames;
  readonly voice: Voice;
  readonly pace: Pace;
  newId(prefix: string): string;
  /** An event as JSON. */
  write(text: string): void;
  /** An internal fault; the session ends. */
  fail(error: unknown): void;
}

/** Long audio is processed in parts, so that other sessions do not wait. */
const partSeconds = 5;

/** Tolerance for rounding errors in lengths. */
const toleranceMs = 1e-3;

type Handler = (event: Tree) => Slices<void> | undefined;

export class Session {
  readonly #parts: SessionParts;
  readonly #names: EventNames;
  readonly #id: string;
  readonly #conversationId: string;
  readonly #conversation = new Conversation();
  readonly #responses: Responses;
  #settings: SessionSettings;
  #input: InputAudio;
  /** The id of the user turn that is being spoken. */
  #turnId: string | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#names = parts.names ?? currentNames;
    this.#id = parts.newId('sess_');
    this.#settings = firstSettings(parts.kind);
    this.#input = this.#newInput(0);
    const conversation = { id: parts.newId('conv_'), items: this.#conversation };
    const emit = (type: string, fields: Tree): void => this.#emit(type, fields);
    this.#conversationId = conversation.id;
    this.#responses = new Responses({ ...pickParts(parts), conversation, emit });
  }

  /** Emits the first events. */
  begin(): void {
    this.#emit('session.created', { session: this.#written() });
    if (this.#parts.kind === 'transcription') return;
    const conversation = { id: this.#conversationId, object: 'realtime.conversation' };
    this.#emit('conversation.created', { conversation });
  }

  /** Handles one message, in time slices where it is long. */
  *receive(text: string): Slices<void> {
    let eventId: string | undefined;
    try {
      const given = parsed(text);
      eventId = typeof given['event_id'] === 'string' ? given['event_id'] : undefined;
      const event = this.#names.read(given);
      const type = textIn(event['type'], 'type');
      const handle = Object.hasOwn(this.#handlers, type) ? this.#handlers[type] : undefined;
      if (handle === undefined) throw invalid('type', `'${shown(type)}' is no event of a client.`);
      const turns = handle(event);
      if (turns !== undefined) yield* turns;
    } catch (error) {
      if (!(error instanceof ProtocolFault)) throw error;
      this.#refuse(error, eventId);
    }
  }

  /** The connection is closed. */
  stop(): void {
    this.#responses.stop();
  }

  readonly #handlers: Readonly<Record<string, Handler>> = {
    'session.update': (event) => this.#update(event),
    'input_audio_buffer.append': (event) => this.#append(event),
    'input_audio_buffer.commit': () => this.#commit(),
    'input_audio_buffer.clear': () => this.#clear(),
    'conversation.item.create': (event) => this.#createItem(event),
    'conversation.item.retrieve': (event) => this.#retrieve(event),
    'conversation.item.delete': (event) => this.#delete(event),
    'conversation.item.truncate': (event) => this.#truncate(event),
    'response.create': (event) => this.#respond(event),
    'response.cancel': (event) => this.#cancel(event),
  };

  #emit(type: string, fields: Tree): void {
    const event = this.#names.write({ type, event_id: this.#parts.newId('event_'), ...fields });
    if (event !== undefined) this.#parts.write(JSON.stringify(event));
  }

  #refuse({ code, message, param }: ProtocolFault, eventId: string | undefined): void {
    const error = { type: 'invalid_request_error', code, message, param: param ?? null, event_id: eventId ?? null };
    this.#emit('error', { error });
  }

  #written(): Tree {
    return writeSession(this.#settings, this.#id, this.#parts.model);
  }

  #update(event: Tree): undefined {
    const before = this.#settings;
    const settings = updatedSettings(before, objectIn(event['session'], 'session'), this.#parts.model);
    const newVoice = JSON.stringify(settings.output.voice) !== JSON.stringify(before.output.voice);
    if (newVoice && this.#responses.hasSpoken) {
      const message = 'The voice cannot change after it has been used.';
      throw new ProtocolFault('cannot_update_voice', message, 'session.audio.output.voice');
    }
    this.#settings = settings;
    const { format, turnDetection } = settings.input;
    if (format !== before.input.format || turnDetection !== before.input.turnDetection) {
      this.#input = this.#newInput(this.#input.elapsedMs);
      this.#turnId = undefined;
    }
    this.#emit('session.updated', { session: this.#written() });
  }

  #newInput(offsetMs: number): InputAudio {
    const { format, turnDetection } = this.#settings.input;
    return new InputAudio(format, turnDetection, offsetMs);
  }

  // Input audio.

  *#append(event: Tree): Slices<void> {
    const { format } = this.#settings.input;
    const samples = decodeAudio(textIn(event['audio'], 'audio'), format, 'audio');
    const part = partSeconds * rateOf(format);
    this.#input.checkRoom(samples.length);
    for (let from = 0; from < samples.length; from += part) {
      for (const change of this.#input.append(samples.subarray(from, from + part))) this.#turnChanged(change);
      yield undefined;
    }
  }

  #turnChanged(change: TurnChange): void {
    const { turnDetection } = this.#settings.input;
    if (change.kind === 'started') {
      this.#turnId = this.#parts.newId('item_');
      const fields = { audio_start_ms: change.atMs, item_id: this.#turnId };
      this.#emit('input_audio_buffer.speech_started', fields);
      if (turnDetection?.interruptResponse === true) this.#responses.interrupt();
      return;
    }
    const fields = { audio_end_ms: change.atMs, item_id: this.#turnId ?? null };
    this.#emit('input_audio_buffer.speech_stopped', fields);
    this.#addTurn(change.lengths);
    if (turnDetection?.createResponse === true && this.#settings.kind === 'realtime') {
      this.#responses.startWhenFree(this.#settings);
    }
  }

  #commit(): undefined {
    this.#addTurn(this.#input.commit());
  }

  #clear(): undefined {
    this.#input.clear();
    this.#turnId = undefined;
    this.#emit('input_audio_buffer.cleared', {});
  }

  /** Adds the input audio as a user turn. Its words are not understood, and the transcript says so. */
  #addTurn(lengths: AudioLengths): void {
    const id = this.#turnId ?? this.#parts.newId('item_');
    this.#turnId = undefined;
    const content = { type: 'input_audio', lengths, words: undefined, transcript: undefined } as const;
    const item: MessageItem = { type: 'message', id, role: 'user', status: 'completed', content: [content] };
    const previous = this.#conversation.insert(item) ?? null;
    this.#emit('input_audio_buffer.committed', { previous_item_id: previous, item_id: id });
    this.#emit('conversation.item.added', { previous_item_id: previous, item: writeItem(item) });
    this.#emit('conversation.item.done', { previous_item_id: previous, item: writeItem(item) });
    const { transcription } = this.#settings.input;
    if (transcription === undefined) return;
    const transcript = describeAudio(lengths);
    this.#conversation.replace({ ...item, content: [{ ...content, transcript }] });
    const place = { item_id: id, content_index: 0 };
    const type = 'conversation.item.input_audio_transcription';
    this.#emit(`${type}.delta`, { ...place, delta: transcript });
    this.#emit(`${type}.completed`, { ...place, transcript, usage: usageOf(transcription, lengths, transcript) });
  }

  // Conversation items.

  #createItem(event: Tree): undefined {
    const { previous_item_id: previousId } = event;
    const item = readItem(event['item'], 'item', this.#itemReading);
    if (item.type === 'function_call_output' && !this.#conversation.hasCall(item.callId)) {
      const message = `No function call of this conversation has the id '${shown(item.callId)}'.`;
      throw new ProtocolFault('invalid_tool_call_id', message, 'item.call_id');
    }
    const after = isAbsent(previousId) ? undefined : textIn(previousId, 'previous_item_id');
    const fields = { previous_item_id: this.#conversation.insert(item, after) ?? null, item: writeItem(item) };
    this.#emit('conversation.item.added', fields);
    this.#emit('conversation.item.done', fields);
  }

  get #itemReading() {
    const { input, output } = this.#settings;
    return { newId: this.#parts.newId, inputFormat: input.format, outputFormat: output.format };
  }

  #retrieve(event: Tree): undefined {
    this.#emit('conversation.item.retrieved', { item: writeItem(this.#itemNamed(event, 'retrieve')) });
  }

  #delete(event: Tree): undefined {
    const { id } = this.#itemNamed(event, 'delete');
    this.#conversation.delete(id);
    this.#emit('conversation.item.deleted', { item_id: id });
  }

  #truncate(event: Tree): undefined {
    const item = this.#itemNamed(event, 'truncate');
    const index = wholeIn(event['content_index'], 'content_index', [0, Number.MAX_SAFE_INTEGER]);
    const endMs = wholeIn(event['audio_end_ms'], 'audio_end_ms', [0, Number.MAX_SAFE_INTEGER]);
    const content = item.type === 'message' ? item.content[index] : undefined;
    if (item.type !== 'message' || content?.type !== 'output_audio') {
      throw invalid('content_index', `the item has no finished speech of the assistant's at ${index}.`);
    }
    const lengthMs = Math.ceil(content.seconds * 1_000 - toleranceMs);
    if (endMs > lengthMs) throw invalid('audio_end_ms', `the speech is only ${lengthMs} ms long.`);
    const cut = { type: 'output_audio', seconds: endMs / 1_000, transcript: undefined } as const;
    this.#conversation.replace({ ...item, content: item.content.with(index, cut) });
    const fields = { item_id: item.id, content_index: index, audio_end_ms: endMs };
    this.#emit('conversation.item.truncated', fields);
  }

  #itemNamed(event: Tree, verb: string): Item {
    const id = textIn(event['item_id'], 'item_id');
    const item = this.#conversation.find(id);
    if (item !== undefined) return item;
    const message = `The conversation has no item '${shown(id)}'.`;
    throw new ProtocolFault(`item_${verb}_invalid_item_id`, message, 'item_id');
  }

  // Responses.

  #respond(event: Tree): undefined {
    if (this.#settings.kind === 'transcription') throw invalid('type', 'a transcription session answers nothing.');
    const response = isAbsent(event['response']) ? {} : objectIn(event['response'], 'response');
    this.#responses.create(this.#settings, response, this.#itemReading);
  }

  #cancel(event: Tree): undefined {
    const id = event['response_id'];
    this.#responses.cancel(isAbsent(id) ? undefined : textIn(id, 'response_id'));
  }
}

function pickParts({ model, voice, pace, newId, fail }: SessionParts) {
  return { model, voice, pace, newId, fail };
}

function parsed(text: string): Tree {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProtocolFault('invalid_json', 'The message is not valid JSON.');
  }
  const tree = objectIn(value, 'event');
  if (isAbsent(tree['type'])) throw missing('type');
  return tree;
}

/** Older transcription models report seconds, newer ones tokens. */
function usageOf(transcription: Tree, { seconds }: AudioLengths, transcript: string): Tree {
  const model = transcription['model'];
  if (typeof model === 'string' && model.startsWith('whisper')) {
    return { type: 'duration', seconds: Math.round(seconds * 1_000) / 1_000 };
  }
  const input = inputAudioTokens(seconds);
  const output = textTokens(transcript.length);
  return {
    type: 'tokens',
    total_tokens: input + output,
    input_tokens: input,
    input_token_details: { text_tokens: 0, audio_tokens: input },
    output_tokens: output,
  };
}
