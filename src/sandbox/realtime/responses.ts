/** The responses of a session: one at a time belongs to the conversation, others may run beside it. */

import type { Tree } from '../../conversation/json-tree.ts';
import { converse } from '../chat/converse.ts';
import { type Pace, streamAnswer, type Voice } from './answer.ts';
import type { Conversation } from './conversation.ts';
import type { Item } from './items.ts';
import { remarkOn, requestOf } from './prompt.ts';
import { isAbsent, listIn, objectIn, oneOf, textIn } from './protocol/checked-fields.ts';
import { ProtocolFault, shown } from './protocol/faults.ts';
import { settingsOfResponse } from './protocol/read-settings.ts';
import type { SessionSettings } from './protocol/settings.ts';
import { type ItemReading, readItem } from './read-item.ts';
import { ResponseWriter } from './response-writer.ts';
import { type Prompt, promptOf } from './usage.ts';

interface ResponsesParts {
  readonly model: string;
  readonly voice: Voice;
  readonly pace: Pace;
  readonly conversation: { readonly id: string; readonly items: Conversation };
  emit(type: string, fields: Tree): void;
  newId(prefix: string): string;
  fail(error: unknown): void;
}

interface Running {
  readonly writer: ResponseWriter;
  readonly controller: AbortController;
}

/** The request for a response. */
interface ResponseRequest {
  readonly settings: SessionSettings;
  readonly items: readonly Item[];
  readonly metadata: Tree | undefined;
  readonly beside: boolean;
}

const runningMax = 8;
const inputMax = 1_000;
const metadataMax = 16;
const ownFields = ['conversation', 'input', 'metadata'];

export class Responses {
  readonly #parts: ResponsesParts;
  readonly #running: Running[] = [];
  #promptBefore: Prompt = [];
  /** The settings of a turn that waits for the response in flight to end. */
  #waiting: SessionSettings | undefined;
  #stopped = false;
  #hasSpoken = false;

  constructor(parts: ResponsesParts) {
    this.#parts = parts;
  }

  /** Audio has been sent already. */
  get hasSpoken(): boolean {
    return this.#hasSpoken || this.#running.some(hasSentAudio);
  }

  /** On a client's request. */
  create(session: SessionSettings, response: Tree, reading: ItemReading): void {
    const request = this.#read(session, response, reading);
    const current = this.#current;
    if (current !== undefined && !request.beside) {
      const message = `The response ${current.writer.id} is still running. Wait for its end, or cancel it.`;
      throw new ProtocolFault('conversation_already_has_active_response', message);
    }
    if (this.#running.length >= runningMax) {
      throw new ProtocolFault('too_many_responses', `At most ${runningMax} responses run at a time.`);
    }
    this.#start(request);
  }

  /** At the end of a turn; waits for the response in flight. */
  startWhenFree(settings: SessionSettings): void {
    if (this.#current !== undefined) this.#waiting = settings;
    else this.#startPlain(settings);
  }

  interrupt(): void {
    this.#waiting = undefined;
    this.#current?.writer.end({ status: 'cancelled', reason: 'turn_detected' });
  }

  cancel(id: string | undefined): void {
    const found = id === undefined ? this.#current : this.#running.find(({ writer }) => writer.id === id);
    if (found === undefined) {
      const which = id === undefined ? 'No response is' : `No response '${shown(id)}' is`;
      throw new ProtocolFault(
        'response_cancel_not_active',
        `${which} running.`,
        id === undefined ? undefined : 'response_id',
      );
    }
    found.writer.end({ status: 'cancelled', reason: 'client_cancelled' });
  }

  stop(): void {
    this.#stopped = true;
    for (const { controller } of this.#running.splice(0)) controller.abort();
  }

  /** The response of the conversation. */
  get #current(): Running | undefined {
    return this.#running.find(({ writer }) => writer.inConversation);
  }

  #read(session: SessionSettings, response: Tree, reading: ItemReading): ResponseRequest {
    const { conversation, input, metadata } = response;
    const beside = !isAbsent(conversation) && oneOf(conversation, ['auto', 'none'], 'response.conversation') === 'none';
    return {
      settings: settingsOfResponse(session, response, ownFields),
      items: isAbsent(input) ? this.#parts.conversation.items.items : this.#readInput(input, reading),
      metadata: isAbsent(metadata) ? undefined : readMetadata(metadata),
      beside,
    };
  }

  #readInput(input: unknown, reading: ItemReading): Item[] {
    return listIn(input, 'response.input', inputMax).map((value, index) => {
      const param = `response.input[${index}]`;
      const tree = objectIn(value, param);
      if (tree['type'] !== 'item_reference') return readItem(tree, param, reading);
      const id = textIn(tree['id'], `${param}.id`);
      const item = this.#parts.conversation.items.find(id);
      if (item !== undefined) return item;
      throw new ProtocolFault('item_not_found', `The conversation has no item '${shown(id)}'.`, `${param}.id`);
    });
  }

  #startPlain(settings: SessionSettings): void {
    const { items } = this.#parts.conversation.items;
    this.#start({ settings, items, metadata: undefined, beside: false });
  }

  #start({ settings, items, metadata, beside }: ResponseRequest): void {
    const { conversation, emit, newId, voice, pace, fail } = this.#parts;
    const prompt = promptOf(settings, items);
    const running: Running = {
      controller: new AbortController(),
      writer: new ResponseWriter({
        id: newId('resp_'),
        settings,
        metadata,
        prompt,
        promptBefore: this.#promptBefore,
        conversation: beside ? undefined : conversation,
        emit,
        newId,
        ended: () => this.#ended(running),
      }),
    };
    const { writer, controller } = running;
    const parts = this.#answer(settings, items, writer.id);
    this.#promptBefore = prompt;
    this.#running.push(running);
    writer.create();
    streamAnswer(writer, parts, voice, pace, controller.signal).catch(fail);
  }

  #answer(settings: SessionSettings, given: readonly Item[], id: string) {
    // A response outside the conversation may run beside another one.
    const items = given.filter((item) => !('status' in item) || item.status !== 'in_progress');
    const { model } = this.#parts;
    const origin = { format: 'openai-realtime', provider: 'sandbox', model };
    const reply = converse(requestOf(settings, items, model), { id, createdAtMs: 0, origin });
    const remark = remarkOn(items);
    return (reply.candidates[0]?.parts ?? []).map((part) =>
      part.type === 'text' && remark !== undefined ? { ...part, text: `${remark} ${part.text}` } : part,
    );
  }

  #ended(running: Running): void {
    running.controller.abort();
    this.#hasSpoken ||= hasSentAudio(running);
    const at = this.#running.indexOf(running);
    if (at !== -1) this.#running.splice(at, 1);
    const waiting = this.#waiting;
    if (waiting === undefined || this.#stopped || this.#current !== undefined) return;
    this.#waiting = undefined;
    this.#startPlain(waiting);
  }
}

function hasSentAudio({ writer }: Running): boolean {
  return writer.tokens.audio > 0;
}

function readMetadata(value: unknown): Tree {
  const metadata = objectIn(value, 'response.metadata');
  const entries = Object.entries(metadata);
  if (entries.length > metadataMax) {
    throw new ProtocolFault('invalid_value', `At most ${metadataMax} entries are taken.`, 'response.metadata');
  }
  for (const [name, text] of entries) textIn(text, `response.metadata.${shown(name)}`);
  return metadata;
}
