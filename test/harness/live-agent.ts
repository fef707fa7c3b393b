/** The official agent library on a live conversation through Weir: what it sent of every event, and how to wait for the next. */

import {
  OpenAIRealtimeWebSocket,
  RealtimeAgent,
  RealtimeSession,
  type RealtimeSessionOptions,
  type TransportEvent,
} from '@openai/agents/realtime';
import { until } from './until.ts';
import type { RunningWeir } from './weir.ts';

/** 16 bits at 24 kHz. */
export const bytesPerSecond = 48_000;
const pieceBytes = bytesPerSecond / 10;

export type AgentTools = NonNullable<ConstructorParameters<typeof RealtimeAgent>[0]['tools']>;

export interface LiveAgentOptions {
  readonly model: string;
  readonly tools?: AgentTools;
  readonly config?: RealtimeSessionOptions<unknown>['config'];
}

export class LiveAgent {
  readonly session: RealtimeSession;
  readonly transport: OpenAIRealtimeWebSocket;
  readonly events: TransportEvent[] = [];
  readonly errors: unknown[] = [];
  audioBytes = 0;
  interruptions = 0;
  readonly #weir: RunningWeir;
  readonly #model: string;

  constructor(weir: RunningWeir, { model, tools = [], config }: LiveAgentOptions) {
    this.#weir = weir;
    this.#model = model;
    const agent = new RealtimeAgent({ name: 'guide', instructions: 'Answer briefly.', tools });
    this.transport = new OpenAIRealtimeWebSocket();
    const hurried = { ...config, audio: { output: { speed: 1.5 } } };
    this.session = new RealtimeSession(agent, { transport: this.transport, model, config: hurried });
    this.session.on('transport_event', (event) => this.events.push(event));
    this.session.on('error', ({ error }) => this.errors.push(error));
    this.session.on('audio', ({ data }) => {
      this.audioBytes += data.byteLength;
    });
    this.session.on('audio_interrupted', () => {
      this.interruptions++;
    });
  }

  async connect(): Promise<void> {
    const url = `${this.#weir.base.replace(/^http/, 'ws')}/realtime?model=${this.#model}`;
    await this.session.connect({ apiKey: this.#weir.token, url });
  }

  close(): void {
    this.session.close();
  }

  get status(): string {
    return this.transport.status;
  }

  /** How many events of this type came; an argument for `next`. */
  count(type: string): number {
    return this.events.filter((event) => event.type === type).length;
  }

  /** The event of this type after so many others of it. */
  async next(type: string, after = 0, boundMs = 60_000): Promise<TransportEvent> {
    const found = () => this.events.filter((event) => event.type === type)[after];
    await until(() => found() !== undefined, boundMs, `${type} after ${after}; came ${this.#shown()}`);
    return found() as TransportEvent;
  }

  /** Runs what makes the model answer and returns the event that ends the answer. */
  async answerTo(ask: () => void | Promise<void>, boundMs?: number): Promise<Answered> {
    const before = this.count('response.done');
    await ask();
    return (await this.next('response.done', before, boundMs)) as unknown as Answered;
  }

  /** As a microphone gives it, a tenth of a second at a time. */
  speak(audio: Uint8Array, silentSeconds = 1): void {
    const silence = new Uint8Array(silentSeconds * bytesPerSecond);
    for (const part of [audio, silence]) {
      for (let at = 0; at < part.length; at += pieceBytes) {
        this.session.sendAudio(part.slice(at, at + pieceBytes).buffer as ArrayBuffer);
      }
    }
  }

  /** The text of the last message of the model, written or spoken. */
  lastWords(): string {
    const last = this.session.history.findLast((item) => item.type === 'message' && item.role === 'assistant');
    if (last?.type !== 'message') return '';
    const words = last.content.map((part) =>
      'transcript' in part ? part.transcript : 'text' in part ? part.text : '',
    );
    return words.join('');
  }

  #shown(): string {
    const types = this.events.map(({ type }) => type);
    return `${[...new Set(types)].join(' ')} and ${JSON.stringify(this.errors).slice(0, 500)}`;
  }
}

export interface Answered {
  readonly response: {
    readonly id: string;
    readonly status: string;
    readonly usage?: { readonly input_tokens: number; readonly output_tokens: number };
  };
}

/** Real speech: raw samples, as a microphone would give them. */
export async function speechOf(weir: RunningWeir, text: string): Promise<Uint8Array> {
  const reply = await fetch(`${weir.base}/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-speak', voice: 'alloy', input: text, response_format: 'pcm' }),
  });
  if (reply.status !== 200) throw new Error(`no speech: ${reply.status} ${await reply.text()}`);
  return reply.bytes();
}
