/** How long a connection may stay in each of its states, in ticks, which are seconds. */

/**
 * `new` and `head` wait for a head, `idle` for the next one, `body` for the rest of a request, `work` for Weir itself,
 * `unread` for a client that does not read its reply. In `answered` the body of a request arrives that was answered, and in
 * `linger` what comes behind the last reply: it is read, because otherwise that reply could be lost.
 */
export type ConnectionState = 'new' | 'head' | 'idle' | 'body' | 'work' | 'unread' | 'answered' | 'linger';

interface StateClock {
  /** Without progress; absent where the server's settings say it. */
  readonly silentTicksMax?: number;
  /** With progress too. */
  readonly totalTicksMax?: number;
  /** Bytes that the client sends, or those that it takes. Empty lines and a head that drips in are none. */
  readonly progress: 'none' | 'sent' | 'taken';
}

export const connectionClocks: Readonly<Record<ConnectionState, StateClock>> = {
  new: { silentTicksMax: 10, progress: 'none' },
  head: { silentTicksMax: 10, progress: 'none' },
  idle: { progress: 'none' },
  // What reads the body has a shorter clock of its own.
  body: { totalTicksMax: 3_600, progress: 'sent' },
  work: { silentTicksMax: Number.POSITIVE_INFINITY, progress: 'none' },
  unread: { progress: 'taken' },
  answered: { totalTicksMax: 60, progress: 'sent' },
  linger: { silentTicksMax: 10, totalTicksMax: 60, progress: 'sent' },
};

/** Of one request: more than the largest upload, so that a client that reads only when it has sent all sees the refusal. */
export const discardedBytesMax = 1_073_741_824;

interface ClockSettings {
  readonly silentTicksMax: number;
  /** The same where a reply is not read. */
  readonly unreadTicksMax: number;
}

export class ConnectionClock {
  #silentTicks = 0;
  #totalTicks = 0;
  #state: ConnectionState = 'new';

  /** There was progress, or the client is waited for only from now on. */
  restart(): void {
    this.#silentTicks = 0;
  }

  sent(state: ConnectionState): void {
    if (connectionClocks[state].progress === 'sent') this.#silentTicks = 0;
  }

  /** True if the state lasts for too long. */
  tick(state: ConnectionState, settings: ClockSettings): boolean {
    const silent = state === 'unread' ? settings.unreadTicksMax : settings.silentTicksMax;
    const { silentTicksMax = silent, totalTicksMax = Number.POSITIVE_INFINITY } = connectionClocks[state];
    if (state !== this.#state) this.#totalTicks = 0;
    this.#state = state;
    this.#totalTicks += 1;
    // Otherwise a stream of minutes would leave its client no time at all to catch up when it is behind.
    if (silentTicksMax === Number.POSITIVE_INFINITY) this.#silentTicks = 0;
    else this.#silentTicks += 1;
    return this.#silentTicks > silentTicksMax || this.#totalTicks > totalTicksMax;
  }
}
