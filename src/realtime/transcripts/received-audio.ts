/** Audio that the provider has and no transcript was charged for: what may still be spoken over, and what waits for its transcript. */

export interface ReceivedTurn {
  readonly bytes: number;
  /** Which model transcribes it, once the provider has said that it does; undefined before. */
  readonly model: string | undefined;
}

interface CommittedTurn {
  readonly bytes: number;
  isConfirmed: boolean;
  model: string | undefined;
}

export class ReceivedAudio {
  #openBytes = 0;
  #committed: CommittedTurn[] = [];
  /** Turns that the client ended and the provider did not speak of yet. */
  #unconfirmed = 0;

  get bytes(): number {
    return this.#openBytes + this.committedBytes;
  }

  /** It is being transcribed. */
  get committedBytes(): number {
    return this.#committed.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get committed(): readonly ReceivedTurn[] {
    return this.#committed;
  }

  append(bytes: number): void {
    this.#openBytes += bytes;
  }

  /** The client ended a turn of speech; what it sends from now on belongs to the next. */
  commit(): void {
    this.#unconfirmed++;
    this.#end();
  }

  /** The provider says that a turn ended: the client's, or one that it found by itself. Without a transcript it is forgotten. */
  confirm(model: string | undefined, isTranscribed = true): void {
    if (this.#unconfirmed > 0) this.#unconfirmed--;
    else this.#end();
    const turn = this.#committed.find(({ isConfirmed }) => !isConfirmed);
    if (turn === undefined) return;
    turn.isConfirmed = true;
    turn.model = model;
    if (!isTranscribed) this.#committed = this.#committed.filter((each) => each !== turn);
  }

  #end(): void {
    if (this.#openBytes > 0) this.#committed.push({ bytes: this.#openBytes, isConfirmed: false, model: undefined });
    this.#openBytes = 0;
  }

  /** The provider has forgotten what was not committed. */
  clear(): void {
    this.#openBytes = 0;
  }

  /** The oldest turn has its transcript; gives the most audio that it can cover. */
  transcribed(): ReceivedTurn {
    const oldest = this.#committed.shift();
    if (oldest !== undefined) return oldest;
    const bytes = this.#openBytes;
    this.#openBytes = 0;
    return { bytes, model: undefined };
  }
}
