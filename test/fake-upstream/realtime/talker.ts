/**
 * A provider of live conversations that has the whole protocol, as the official library expects it: it detects speech,
 * answers in audio, calls tools, can be interrupted, and keeps an invoice.
 */

import type { ServerWebSocket } from 'bun';
import type { BilledResponse } from './provider.ts';

export interface Talker {
  readonly base: string;
  readonly invoice: BilledResponse[];
  /** Types of the frames of every connection, in order. */
  readonly received: string[][];
  stop(): void;
}

interface Item {
  readonly id: string;
  readonly type: string;
  readonly role?: string;
  status?: string;
  content?: { type: string; text?: string; transcript?: string }[];
  readonly name?: string;
  readonly call_id?: string;
  readonly arguments?: string;
  readonly output?: string;
}

interface Frame {
  readonly type: string;
  readonly session?: Record<string, unknown>;
  readonly item?: Item;
  readonly item_id?: string;
  readonly audio?: string;
  readonly audio_end_ms?: number;
}

const pieceBytes = 4_800;
/** 100 ms of audio each; a long answer takes two seconds to send, so that there is time to interrupt it. */
const shortPieces = 5;
const longPieces = 100;
const pieceEveryMs = 20;
const silenceBytesToEnd = 24_000;
const loudness = 1_000;
let ids = 0;
const newId = (prefix: string) => `${prefix}_${(++ids).toString().padStart(6, '0')}`;

export function startTalker(): Talker {
  const invoice: BilledResponse[] = [];
  const received: string[][] = [];
  const server = Bun.serve<{ talk: Talk }>({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request, self) {
      const model = new URL(request.url).searchParams.get('model') ?? '';
      const frames: string[] = [];
      const talk = new Talk(model, invoice, frames);
      if (!self.upgrade(request, { data: { talk } })) return new Response('no upgrade', { status: 426 });
      received.push(frames);
      return undefined;
    },
    websocket: {
      idleTimeout: 0,
      open: (socket) => socket.data.talk.open(socket),
      message: (socket, message) => socket.data.talk.hear(JSON.parse(String(message)) as Frame),
      close: (socket) => socket.data.talk.closed(),
    },
  });
  return { base: `http://127.0.0.1:${server.port}/v1`, invoice, received, stop: () => void server.stop(true) };
}

class Talk {
  readonly #model: string;
  readonly #invoice: BilledResponse[];
  readonly #frames: string[];
  readonly #items = new Map<string, Item>();
  #socket: ServerWebSocket<unknown> | undefined;
  #session: Record<string, unknown> = {};
  #speaking = false;
  #silentBytes = 0;
  #speechBytes = 0;
  #answer: { bill: BilledResponse; item: Item; timer: Timer | undefined } | undefined;

  constructor(model: string, invoice: BilledResponse[], frames: string[]) {
    this.#model = model;
    this.#invoice = invoice;
    this.#frames = frames;
  }

  open(socket: ServerWebSocket<unknown>): void {
    this.#socket = socket;
    this.#say('session.created', { session: this.#shownSession() });
  }

  closed(): void {
    clearTimeout(this.#answer?.timer);
  }

  hear(frame: Frame): void {
    this.#frames.push(frame.type);
    if (frame.type === 'session.update') {
      this.#session = { ...this.#session, ...frame.session };
      this.#say('session.updated', { session: this.#shownSession() });
    } else if (frame.type === 'conversation.item.create' && frame.item !== undefined) {
      this.#add({ ...frame.item, id: frame.item.id ?? newId('item'), status: 'completed' });
    } else if (frame.type === 'conversation.item.retrieve') {
      this.#say('conversation.item.retrieved', { item: this.#items.get(frame.item_id ?? '') });
    } else if (frame.type === 'conversation.item.truncate') {
      const { item_id, audio_end_ms } = frame;
      this.#say('conversation.item.truncated', { item_id, content_index: 0, audio_end_ms });
    } else if (frame.type === 'input_audio_buffer.append') this.#listen(Buffer.from(frame.audio ?? '', 'base64'));
    else if (frame.type === 'response.create') this.#respond();
    else if (frame.type === 'response.cancel') this.#cancel('client_cancelled');
  }

  #say(type: string, fields: object): void {
    this.#socket?.send(JSON.stringify({ type, event_id: newId('event'), ...fields }));
  }

  #shownSession(): object {
    const { audio, ...rest } = this.#session as { audio?: { input?: Record<string, unknown> } };
    const turn_detection = { type: 'server_vad', create_response: true, interrupt_response: true };
    return {
      type: 'realtime',
      object: 'realtime.session',
      id: 'sess_talker',
      model: this.#model,
      ...rest,
      audio: { ...audio, input: { ...audio?.input, turn_detection } },
    };
  }

  #add(item: Item): void {
    const previous_item_id = [...this.#items.keys()].at(-1) ?? null;
    this.#items.set(item.id, item);
    this.#say('conversation.item.added', { previous_item_id, item });
    this.#say('conversation.item.done', { previous_item_id, item });
  }

  /** Speech begins with the first loud piece, and ends after half a second without one. */
  #listen(audio: Buffer): void {
    const isLoud = loudest(audio) > loudness;
    this.#silentBytes = isLoud ? 0 : this.#silentBytes + audio.length;
    if (isLoud && !this.#speaking) {
      this.#speaking = true;
      this.#speechBytes = 0;
      this.#say('input_audio_buffer.speech_started', { audio_start_ms: 0, item_id: newId('item') });
      this.#cancel('turn_detected');
    }
    if (!this.#speaking) return;
    this.#speechBytes += audio.length;
    if (this.#silentBytes < silenceBytesToEnd) return;
    this.#speaking = false;
    const item_id = newId('item');
    const transcript = `${Math.round(this.#speechBytes / 48_000)} seconds of speech`;
    this.#say('input_audio_buffer.speech_stopped', { audio_end_ms: 0, item_id });
    this.#say('input_audio_buffer.committed', { previous_item_id: null, item_id });
    const content = [{ type: 'input_audio', transcript }];
    this.#add({ id: item_id, type: 'message', role: 'user', status: 'completed', content });
    this.#say('conversation.item.input_audio_transcription.completed', {
      item_id,
      content_index: 0,
      transcript,
      usage: { type: 'duration', seconds: 1 },
    });
    this.#respond();
  }

  #respond(): void {
    const last = [...this.#items.values()].at(-1);
    const input = last?.content?.map(({ text, transcript }) => text ?? transcript ?? '').join(' ') ?? '';
    const bill = { id: newId('resp'), model: this.#model, inputTokens: 100, outputTokens: 0, usageReported: false };
    this.#invoice.push(bill);
    this.#say('response.created', { response: { id: bill.id, object: 'realtime.response', status: 'in_progress' } });
    const [tool] = (this.#session['tools'] as { name: string }[] | undefined) ?? [];
    const city = /weather in (\w+)/.exec(input)?.[1];
    if (tool !== undefined && city !== undefined) this.#call(bill, tool.name, JSON.stringify({ city }));
    else if (last?.type === 'function_call_output') this.#speak(bill, `The tool says: ${last.output}`, shortPieces);
    else this.#speak(bill, `You said: ${input}`, input.includes('at length') ? longPieces : shortPieces);
  }

  #call(bill: BilledResponse, name: string, text: string): void {
    const call_id = newId('call');
    const item: Item = { id: newId('item'), type: 'function_call', name, call_id, arguments: text };
    const at = { response_id: bill.id, output_index: 0 };
    const begun = { ...item, arguments: '', status: 'in_progress' };
    this.#say('response.output_item.added', { ...at, item: begun });
    bill.outputTokens = 7;
    this.#say('response.function_call_arguments.delta', { ...at, item_id: item.id, call_id, delta: text });
    this.#say('response.function_call_arguments.done', { ...at, item_id: item.id, call_id, name, arguments: text });
    const whole = { ...item, status: 'completed' };
    this.#items.set(item.id, whole);
    this.#say('response.output_item.done', { ...at, item: whole });
    this.#done(bill, 'completed', [whole]);
  }

  #speak(bill: BilledResponse, transcript: string, pieces: number): void {
    const item: Item = { id: newId('item'), type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    this.#items.set(item.id, item);
    const at = { response_id: bill.id, output_index: 0 };
    const place = { ...at, item_id: item.id, content_index: 0 };
    this.#say('response.output_item.added', { ...at, item });
    this.#say('conversation.item.added', { previous_item_id: null, item });
    this.#say('response.content_part.added', { ...place, part: { type: 'audio', transcript: '' } });
    this.#say('response.output_audio_transcript.delta', { ...place, delta: transcript });
    const audio = Buffer.alloc(pieceBytes, 1).toString('base64');
    let left = pieces;
    const next = (): void => {
      bill.outputTokens++;
      this.#say('response.output_audio.delta', { ...place, delta: audio });
      if (--left > 0) {
        this.#answer = { bill, item, timer: setTimeout(next, pieceEveryMs) };
        return;
      }
      this.#answer = undefined;
      this.#say('response.output_audio.done', place);
      this.#say('response.output_audio_transcript.done', { ...place, transcript });
      item.status = 'completed';
      item.content = [{ type: 'output_audio', transcript }];
      this.#say('response.output_item.done', { ...at, item });
      this.#say('conversation.item.done', { previous_item_id: null, item });
      this.#done(bill, 'completed', [item]);
    };
    next();
  }

  #cancel(reason: string): void {
    const answer = this.#answer;
    if (answer === undefined) {
      const error = { type: 'invalid_request_error', code: 'response_cancel_not_active', message: 'Nothing runs.' };
      if (reason === 'client_cancelled') this.#say('error', { error });
      return;
    }
    this.#answer = undefined;
    clearTimeout(answer.timer);
    answer.item.status = 'incomplete';
    answer.item.content = [{ type: 'output_audio', transcript: '' }];
    this.#say('response.output_item.done', { response_id: answer.bill.id, output_index: 0, item: answer.item });
    this.#done(answer.bill, 'cancelled', [answer.item], { type: 'cancelled', reason });
  }

  #done(bill: BilledResponse, status: string, output: readonly Item[], status_details: object | null = null): void {
    bill.usageReported = true;
    const { inputTokens: input_tokens, outputTokens: output_tokens } = bill;
    const usage = {
      total_tokens: input_tokens + output_tokens,
      input_tokens,
      output_tokens,
      input_token_details: { text_tokens: input_tokens, audio_tokens: 0, cached_tokens: 0 },
      output_token_details: { text_tokens: 0, audio_tokens: output_tokens },
    };
    const response = { id: bill.id, object: 'realtime.response', status, status_details, output, usage };
    this.#say('response.done', { response });
  }
}

function loudest(audio: Buffer): number {
  let most = 0;
  for (let at = 0; at + 1 < audio.length; at += 2) most = Math.max(most, Math.abs(audio.readInt16LE(at)));
  return most;
}
