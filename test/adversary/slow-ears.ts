/** A provider of realtime sessions that takes all audio, applies what it is sent, and gives transcripts when the test says so. */

import type { ServerWebSocket } from 'bun';

const bytesPerSecond = 48_000;
export const turnSeconds = 5;
export const turn = Buffer.alloc(turnSeconds * bytesPerSecond).toString('base64');

/** For a second, by model. */
const nanoOf: Readonly<Record<string, bigint>> = { 'ears-transcribe': 10_000_000n, 'whisper-murmur': 1_000_000n };

interface Manner {
  /** The model that transcribes unless the client names another. */
  readonly transcription?: string | undefined;
  /** It sends nothing until it transcribes. */
  readonly saysNothing?: boolean | undefined;
}

interface Settings {
  readonly audio?: { readonly input?: { readonly transcription?: { readonly model?: string } } };
  readonly input_audio_transcription?: { readonly model?: string };
}

export class SlowEars {
  receivedSeconds = 0;
  turns = 0;
  /** What the transcripts of all turns cost. */
  owedNano = 0n;
  socket: ServerWebSocket<unknown> | undefined;
  #manner: Manner = {};
  #model: string | undefined;
  #pending: number[] = [];
  #open = 0;
  #transcribes = false;
  readonly #server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: (request, server) => (server.upgrade(request) ? undefined : Response.json({ object: 'list', data: [] })),
    websocket: {
      open: (socket) => {
        this.socket = socket;
        this.#model = this.#manner.transcription;
        this.#report('session.created');
      },
      message: (_socket, text) => this.#take(String(text)),
    },
  });
  readonly base = `http://127.0.0.1:${this.#server.port}/v1`;

  #delayed: string[] = [];

  #say(event: object): void {
    if (this.#manner.saysNothing === true && !this.#transcribes) this.#delayed.push(JSON.stringify(event));
    else this.socket?.send(JSON.stringify(event));
  }

  #report(type: string): void {
    const transcription = this.#model === undefined ? null : { model: this.#model };
    const session = { type: 'realtime', audio: { input: { transcription, turn_detection: null } } };
    this.#say({ type, session });
  }

  #take(text: string): void {
    const frame = JSON.parse(text) as { readonly type: string; readonly session?: Settings };
    if (frame.session !== undefined) {
      const { audio, input_audio_transcription: beta } = frame.session;
      this.#model = audio?.input?.transcription?.model ?? beta?.model ?? this.#model;
      this.#report('session.updated');
    }
    if (frame.type === 'input_audio_buffer.append') this.#open += turnSeconds;
    if (frame.type !== 'input_audio_buffer.commit') return;
    this.turns++;
    this.receivedSeconds += this.#open;
    if (this.#model !== undefined) {
      this.owedNano += BigInt(this.#open) * (nanoOf[this.#model] ?? 0n);
      this.#pending.push(this.#open);
    }
    this.#open = 0;
    this.#say({ type: 'input_audio_buffer.committed', item_id: `item_${this.turns}` });
    if (this.#transcribes) this.transcribe();
  }

  /** What waits, and from now on everything at once. */
  transcribe(): void {
    this.#transcribes = true;
    for (const event of this.#delayed.splice(0)) this.socket?.send(event);
    for (const seconds of this.#pending.splice(0)) {
      const type = 'conversation.item.input_audio_transcription.completed';
      this.socket?.send(JSON.stringify({ type, transcript: 'so', usage: { type: 'duration', seconds } }));
    }
  }

  forget(manner: Manner = { transcription: 'ears-transcribe' }): void {
    this.#manner = manner;
    this.receivedSeconds = 0;
    this.turns = 0;
    this.owedNano = 0n;
    this.#pending = [];
    this.#delayed = [];
    this.#open = 0;
    this.#transcribes = false;
  }

  stop(): void {
    void this.#server.stop(true);
  }
}
