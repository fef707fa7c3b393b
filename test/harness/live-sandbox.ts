/** A live conversation of the sandbox for tests: its ids count up, its voice hums, and nothing waits unless it is sent to. */

import type { Tree } from '../../src/conversation/json-tree.ts';
import type { Pace, Voice } from '../../src/sandbox/realtime/answer.ts';
import type { EventNames } from '../../src/sandbox/realtime/protocol/beta-events.ts';
import { Session } from '../../src/sandbox/realtime/session.ts';
import { runAtOnce } from '../../src/sandbox/time-slices.ts';
import { orderFault } from '../oracles/realtime/order.ts';
import { publishedFault } from './published-schemas.ts';
import { expectValid } from './schema.ts';

export interface SentEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

const rateHz = 24_000;

/** A hum at a level of full scale, between -1 and 1. */
export function hum(seconds: number, level = 0.3, atHz = rateHz): Int16Array {
  const length = Math.round(seconds * atHz);
  return Int16Array.from({ length }, (_, index) =>
    Math.round(level * Math.SQRT2 * 32_767 * Math.sin((2 * Math.PI * 200 * index) / atHz)),
  );
}

export function silence(seconds: number, atHz = rateHz): Int16Array {
  return new Int16Array(Math.round(seconds * atHz));
}

export function joined(...pieces: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

export function base64Of(samples: Int16Array): string {
  return Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).toString('base64');
}

/** A tenth of a second for each word. */
export const hummingVoice: Voice = {
  say: async (text) => hum(0.1 * text.split(' ').length),
};

export interface LiveOptions {
  readonly kind?: 'realtime' | 'transcription';
  readonly names?: EventNames;
  readonly voice?: Voice;
  /** The number of deltas sent; then nothing more until the response ends. */
  readonly deltasMax?: number;
}

export class LiveSandbox {
  readonly events: SentEvent[] = [];
  readonly waits: number[] = [];
  readonly broken: unknown[] = [];
  readonly session: Session;
  #ids = 0;

  constructor({
    kind = 'realtime',
    names,
    voice = hummingVoice,
    deltasMax = Number.POSITIVE_INFINITY,
  }: LiveOptions = {}) {
    const pace: Pace = {
      wordMs: 5,
      timesRealTime: 4,
      wait: async (ms, signal) => {
        this.waits.push(ms);
        if (this.waits.length > deltasMax) await new Promise((_, reject) => whenAborted(signal, reject));
      },
    };
    this.session = new Session({
      model: 'sandbox-realtime',
      kind,
      ...(names !== undefined && { names }),
      voice,
      pace,
      newId: (prefix) => `${prefix}${++this.#ids}`,
      write: (text) => this.events.push(JSON.parse(text)),
      fail: (error) => this.broken.push(error),
    });
    this.session.begin();
  }

  /** What was sent because of it at once. */
  send(event: Tree | string): SentEvent[] {
    const before = this.events.length;
    runAtOnce(this.session.receive(typeof event === 'string' ? event : JSON.stringify(event)));
    return this.events.slice(before);
  }

  /** The same, with what was sent until the end. */
  async ask(event: Tree): Promise<SentEvent[]> {
    const before = this.events.length;
    this.send(event);
    await new Promise((resolve) => setImmediate(resolve));
    if (this.broken.length > 0) throw this.broken[0];
    return this.events.slice(before);
  }

  say(text: string): SentEvent[] {
    const content = [{ type: 'input_text', text }];
    return this.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
  }

  update(session: Tree): SentEvent[] {
    return this.send({ type: 'session.update', session: { type: 'realtime', ...session } });
  }

  hear(samples: Int16Array): SentEvent[] {
    return this.send({ type: 'input_audio_buffer.append', audio: base64Of(samples) });
  }
}

function whenAborted(signal: AbortSignal, reject: (reason: unknown) => void): void {
  if (signal.aborted) reject(signal.reason);
  else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
}

export function typesOf(events: readonly SentEvent[]): string[] {
  return events.map(({ type }) => type);
}

export function only(events: readonly SentEvent[], type: string): SentEvent {
  const found = events.filter((event) => event.type === type);
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} of ${type}: ${typesOf(events)}`);
  return found[0];
}

/**
 * As the reference has it, in its order. The published schema, where it lies beside the project, takes the same but for two nulls:
 * a transcript to come, which libraries ask for, and no conversation at all.
 */
export function expectPublished(events: readonly SentEvent[]): void {
  for (const event of events) {
    expectValid('RealtimeServerEvent', event);
    const text = JSON.stringify(event)
      .replaceAll('"type":"input_audio","transcript":null', '"type":"input_audio"')
      .replaceAll('"conversation_id":null,', '');
    const fault = publishedFault('RealtimeServerEvent', JSON.parse(text));
    if (fault !== undefined) throw new Error(`not a published RealtimeServerEvent: ${fault}`);
  }
  const fault = orderFault(events);
  if (fault !== undefined) throw new Error(`out of order: ${fault}`);
}
