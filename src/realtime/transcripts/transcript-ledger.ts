/** The transcripts of one live conversation: held before their audio is passed on, charged as they come, and at the end for what the provider has. */

import type { Usage } from '../../conversation/usage.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { Estimates } from '../estimates.ts';
import type { LiveParts } from '../live-parts.ts';
import type { ExtraCharge, Turn, TurnBounds } from '../turn.ts';
import { TranscriptReservations } from './transcript-reservations.ts';
import { Transcripts } from './transcripts.ts';

interface TranscriptSession {
  readonly estimates: Estimates;
  /** Its model makes transcripts and nothing else. */
  readonly transcribes: boolean;
  target(): Target | undefined;
  /** Undefined where nothing is transcribed beside the model's own work. */
  transcriptionModel(): string | undefined;
  newTurn(): Turn;
  bounds(): TurnBounds;
  giveBack(turn: Turn): void;
}

type Counts = Parameters<Transcripts['costNano']>[2];

export class TranscriptLedger {
  readonly #session: TranscriptSession;
  readonly #transcripts: Transcripts;
  readonly #held: TranscriptReservations;

  constructor(parts: LiveParts, session: TranscriptSession) {
    this.#session = session;
    this.#transcripts = new Transcripts(parts);
    this.#held = new TranscriptReservations({
      neededNano: (moreBytes) => this.#pendingNano(moreBytes) + (this.owed?.costNano ?? 0n),
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
    return estimates.received.committedBytes > 0 && this.#costNano(estimates.transcriptOf(1)) > 0n;
  }

  lacks(audioBytes: number): boolean {
    return this.#held.lacks(audioBytes);
  }

  prepare(audioBytes: number): Promise<void> {
    return this.#held.prepare(audioBytes);
  }

  /** The reservation to charge it with now, in a session of transcripts alone. */
  transcribed(usage: Usage | undefined, seconds: number | undefined): Turn | undefined {
    const { estimates, transcribes } = this.#session;
    const most = estimates.transcribed();
    const estimated = usage === undefined && seconds === undefined;
    this.#add(estimated ? most : { usage, seconds }, estimated);
    return transcribes ? this.#held.takeFor(this.#pendingNano(0)) : undefined;
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
    const counts = estimates.transcriptOf(estimates.received.committedBytes);
    if (this.isDue) this.#add(counts, true);
    return this.#held.takeAll();
  }

  #add(counts: Counts, estimated: boolean): void {
    const target = this.#session.target();
    if (target !== undefined) {
      this.#transcripts.add(target, this.#session.transcriptionModel(), counts, estimated);
    }
  }

  /** Of the audio that the provider has, and of so much more. */
  #pendingNano(moreBytes: number): bigint {
    const { estimates } = this.#session;
    const bytes = estimates.received.bytes + moreBytes;
    return bytes === 0 ? 0n : this.#costNano(estimates.transcriptOf(bytes));
  }

  #costNano(counts: Counts): bigint {
    const { transcribes, target, transcriptionModel } = this.#session;
    const model = transcriptionModel();
    return model === undefined && !transcribes ? 0n : this.#transcripts.costNano(target(), model, counts);
  }
}
