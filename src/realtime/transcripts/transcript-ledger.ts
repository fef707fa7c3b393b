/** The transcripts of one live conversation: held before their audio is passed on, charged as they come, and at the end for what the provider has. */

import type { Usage } from '../../conversation/usage.ts';
import { commitsAudio } from '../../formats/openai-realtime/audio-commit.ts';
import type { SessionFacts } from '../../formats/openai-realtime/server-events.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { CheckedFrame } from '../client-checks.ts';
import type { Estimates } from '../estimates.ts';
import type { LiveParts } from '../live-parts.ts';
import type { ExtraCharge, Turn, TurnBounds } from '../turn.ts';
import type { ReceivedTurn } from './received-audio.ts';
import { TranscriptReservations } from './transcript-reservations.ts';
import { TranscriptionModels } from './transcription-models.ts';
import { Transcripts } from './transcripts.ts';

interface TranscriptSession {
  readonly estimates: Estimates;
  /** Its model makes transcripts and nothing else. */
  readonly transcribes: boolean;
  target(): Target | undefined;
  newTurn(): Turn;
  bounds(): TurnBounds;
  giveBack(turn: Turn): void;
  /** Less may be needed than before: what waits can be tried again. */
  changed(): void;
}

/** What counts of a frame: its audio, and the models that it names for transcripts. */
type AudioFrame = Pick<CheckedFrame, 'audioBytes' | 'transcription'>;

type Counts = Parameters<Transcripts['costNano']>[2];

const noFrame: AudioFrame = { audioBytes: 0, transcription: [] };

export class TranscriptLedger {
  readonly #session: TranscriptSession;
  readonly #transcripts: Transcripts;
  readonly #held: TranscriptReservations;
  readonly #models = new TranscriptionModels();
  /** Of the frame that is next. */
  #frame: AudioFrame = noFrame;

  constructor(parts: LiveParts, session: TranscriptSession) {
    this.#session = session;
    this.#transcripts = new Transcripts(parts);
    this.#held = new TranscriptReservations({
      neededNano: () => this.#pendingNano() + (this.owed?.costNano ?? 0n),
      stepNano: () => this.#costNano(session.estimates.transcriptStep),
      async open(mostNano) {
        const turn = session.newTurn();
        await turn.open({ ...session.bounds(), mostNano });
        return turn;
      },
      giveBack: session.giveBack,
    });
  }

  /** What no row was charged with yet. */
  get owed(): ExtraCharge | undefined {
    return this.#transcripts.owed;
  }

  /** May a transcript come that costs less than is held for it? */
  get isDue(): boolean {
    const { estimates } = this.#session;
    return estimates.received.committedBytes > 0 && this.#pendingNano() > 0n;
  }

  /** Is more needed before the frame may be passed on? A name for transcripts counts for the audio before it. */
  lacks(frame: AudioFrame): boolean {
    this.#frame = frame;
    const isLacking = this.#held.lacks();
    this.#frame = noFrame;
    return isLacking;
  }

  async prepare(frame: AudioFrame): Promise<void> {
    this.#frame = frame;
    await this.#held.prepare().finally(() => {
      this.#frame = noFrame;
    });
  }

  /** The client's frame goes to the provider now. */
  sent({ starts, audioBytes, transcription, text }: Omit<CheckedFrame, 'target'>): void {
    this.#models.named(transcription);
    if (starts === 'audio' && audioBytes === 0 && commitsAudio(text)) this.#session.estimates.received.commit();
  }

  session(facts: SessionFacts): void {
    this.#models.reported(facts);
    this.#session.changed();
  }

  /** The provider sent something. */
  answered(): void {
    this.#models.spoken();
  }

  committed(): void {
    const { current, possible, isUnknown } = this.#models;
    const isTranscribed = this.#session.transcribes || isUnknown || possible.length > 0;
    this.#session.estimates.received.confirm(current, isTranscribed);
    this.#session.changed();
  }

  cleared(): void {
    this.#session.estimates.received.clear();
    this.#session.changed();
  }

  untranscribed(): void {
    this.#session.estimates.received.transcribed();
    this.#session.changed();
  }

  /** The reservation to charge it with now, in a session of transcripts alone. */
  transcribed(usage: Usage | undefined, seconds: number | undefined): Turn | undefined {
    const { estimates, transcribes } = this.#session;
    const turn = estimates.received.transcribed();
    this.#models.transcribed();
    const estimated = usage === undefined && seconds === undefined;
    this.#add(turn, estimated ? estimates.transcriptOf(turn.bytes) : { usage, seconds }, estimated);
    return transcribes ? this.#held.takeFor(this.#pendingNano()) : undefined;
  }

  take(): ExtraCharge | undefined {
    return this.#transcripts.take();
  }

  /** What is held for nothing any more. */
  trim(): void {
    this.#held.trim();
  }

  /** The end: the provider transcribes what it has, also where the session does not wait for it. Gives what is held. */
  end(): readonly Turn[] {
    const { estimates } = this.#session;
    if (this.isDue)
      for (const turn of estimates.received.committed) this.#add(turn, estimates.transcriptOf(turn.bytes), true);
    return this.#held.takeAll();
  }

  #add({ model }: ReceivedTurn, counts: Counts, estimated: boolean): void {
    const target = this.#session.target();
    if (target === undefined) return;
    this.#transcripts.add(target, model ?? this.#mostExpensive(counts), counts, estimated);
  }

  /** Of the audio that the provider has, and of the next frame's, by whichever model may transcribe it. */
  #pendingNano(): bigint {
    const { estimates } = this.#session;
    const { received } = estimates;
    let rest = received.bytes + this.#frame.audioBytes;
    const known = new Map<string, number>();
    for (const { model, bytes } of received.committed) {
      if (model === undefined) continue;
      known.set(model, (known.get(model) ?? 0) + bytes);
      rest -= bytes;
    }
    let nano = rest === 0 ? 0n : this.#costNano(estimates.transcriptOf(rest));
    for (const [model, bytes] of known) {
      nano += this.#transcripts.costNano(this.#session.target(), model, estimates.transcriptOf(bytes));
    }
    return nano;
  }

  #costNano(counts: Counts): bigint {
    if (this.#candidates.length === 0 && !this.#session.transcribes && !this.#models.isUnknown) return 0n;
    return this.#transcripts.costNano(this.#session.target(), this.#mostExpensive(counts), counts);
  }

  /** Every model that may transcribe what is not known to be one's. */
  get #candidates(): readonly string[] {
    const models = [...this.#models.possible, ...this.#frame.transcription];
    const target = this.#session.target();
    return this.#models.isUnknown && target !== undefined ? [...models, ...this.#transcripts.modelsOf(target)] : models;
  }

  /** The one that costs most; undefined where there is none. */
  #mostExpensive(counts: Counts): string | undefined {
    let mostExpensive: string | undefined;
    let most = -1n;
    for (const model of new Set(this.#candidates)) {
      const nano = this.#transcripts.costNano(this.#session.target(), model, counts);
      if (nano > most) [mostExpensive, most] = [model, nano];
    }
    return mostExpensive;
  }
}
