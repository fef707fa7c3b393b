/**
 * Ends what runs for a token that may no longer call. Any change of any token moves one number, which every replica polls; only
 * then is each token asked about that something runs for, once. While nothing changes this costs nothing but a look at expiries.
 */

import { GatewayError } from '../conversation/gateway-error.ts';
import { Roster } from '../conversation/tools/roster.ts';
import type { Caller, TokenStanding } from './caller.ts';

/** Something that runs for a token: an attempt, or an open connection. */
export interface TokenUse {
  readonly caller: Pick<Caller, 'tokenId' | 'terms'>;
  /** The token may do no more; the error says why, as it would to its next request. */
  endUse(error: GatewayError): void;
  /** Asks the credential itself, where it is still known: rejects as it would for a new request. */
  readmit?(): Promise<Pick<Caller, 'terms'>>;
}

interface TokenWatchParts {
  /** Rejects where nobody can say. */
  standingOf(tokenId: string): Promise<TokenStanding>;
  /** What runs for tokens, connections aside. */
  running(): Iterable<TokenUse>;
  /** Monotonic. */
  nowMs(): number;
  wallMs(): number;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** How many tokens are asked about at a time. */
const asksMax = 16;
/** What only a change of the credential can mend; a database that is away says nothing about it. */
const finalTypes: ReadonlySet<string> = new Set(['authentication_error', 'permission_error']);

export class TokenWatch {
  readonly #parts: TokenWatchParts;
  readonly #connections = new Roster<TokenUse>();
  /** Of tokens that were asked about since the last change: what runs for them was let in by other terms. */
  readonly #expiries = new Map<string, number | undefined>();
  /** Requests that began before this were let in by what was known then. */
  #changedAtMs = Number.NEGATIVE_INFINITY;
  /** Something changed that not everybody was asked about yet. */
  #due = false;
  #asking = false;

  constructor(parts: TokenWatchParts) {
    this.#parts = parts;
  }

  /** An open connection is watched until the function that this gives is called. */
  watch(connection: TokenUse, startedAtMs: number): () => void {
    this.#connections.add(connection);
    if (startedAtMs < this.#changedAtMs) void this.#askAbout([connection]);
    return () => void this.#connections.delete(connection);
  }

  /** A token changed: whatever runs is asked about. */
  changed(): void {
    this.#changedAtMs = this.#parts.nowMs();
    this.#expiries.clear();
    this.#due = true;
    void this.#ask();
  }

  /** Looks for tokens that expired, and asks again where an answer is missing. Called a few times a second. */
  poll(): void {
    const wallMs = this.#parts.wallMs();
    const expired = this.#uses().filter(({ caller }) => this.#expiryOf(caller) <= wallMs);
    if (expired.length > 0) void this.#askAbout(expired);
    void this.#ask();
  }

  /** Asked before anything is sent: nothing in the ordinary case. Rejects where the token was ended after the request came in. */
  confirm(tokenId: string, startedAtMs: number): Promise<void> | undefined {
    return startedAtMs >= this.#changedAtMs ? undefined : this.#confirm(tokenId);
  }

  async #confirm(tokenId: string): Promise<void> {
    const { refusal, expiresAtMs } = await this.#parts.standingOf(tokenId);
    if (refusal !== undefined) throw refusal;
    this.#expiries.set(tokenId, expiresAtMs);
  }

  #expiryOf({ tokenId, terms }: TokenUse['caller']): number {
    const known = this.#expiries.has(tokenId) ? this.#expiries.get(tokenId) : terms.expiresAtMs;
    return known ?? Number.POSITIVE_INFINITY;
  }

  #uses(): TokenUse[] {
    return [...this.#parts.running(), ...this.#connections.all()];
  }

  async #ask(): Promise<void> {
    if (!this.#due || this.#asking) return;
    this.#asking = true;
    this.#due = false;
    const known = await this.#askAbout(this.#uses());
    this.#asking = false;
    // Where the database did not answer, the next poll asks again.
    if (!known) this.#due = true;
    else if (this.#due) await this.#ask();
  }

  /** One question a token, and one a connection that can be asked itself. False where one was not answered. */
  async #askAbout(uses: readonly TokenUse[]): Promise<boolean> {
    const questions: (() => Promise<void>)[] = uses.flatMap((use) =>
      use.readmit === undefined ? [] : [() => this.#askItself(use)],
    );
    const plain = Map.groupBy(
      uses.filter(({ readmit }) => readmit === undefined),
      ({ caller }) => caller.tokenId,
    );
    for (const [tokenId, held] of plain) {
      questions.push(async () => {
        const { refusal, expiresAtMs } = await this.#parts.standingOf(tokenId);
        this.#expiries.set(tokenId, expiresAtMs);
        if (refusal !== undefined) for (const use of held) use.endUse(refusal);
      });
    }
    try {
      for (let at = 0; at < questions.length; at += asksMax) {
        await Promise.all(questions.slice(at, at + asksMax).map((question) => question()));
      }
      return true;
    } catch (cause) {
      this.#parts.warn('Tokens that something runs for could not be asked about.', { cause });
      return false;
    }
  }

  async #askItself(use: TokenUse): Promise<void> {
    try {
      const caller = await use.readmit?.();
      if (caller !== undefined) this.#expiries.set(use.caller.tokenId, caller.terms.expiresAtMs);
    } catch (error) {
      if (!(error instanceof GatewayError) || !finalTypes.has(error.row.type)) throw error;
      use.endUse(error);
    }
  }
}
