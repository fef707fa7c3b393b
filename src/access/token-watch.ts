/**
 * Ends what runs for a token that may no longer call. Any change of any token increases one number, which every replica
 * polls; only then is each token with running work checked, once. While nothing changes, only expiries are checked.
 */

import { GatewayError } from '../conversation/gateway-error.ts';
import { Roster } from '../conversation/tools/roster.ts';
import type { Caller, JwtFacts, TokenStanding } from './caller.ts';

/** Something that runs for a token: an attempt, or an open connection. */
export interface TokenUse {
  readonly caller: Pick<Caller, 'tokenId' | 'expiresAtMs' | 'jwt'>;
  /** The token may no longer call; the error is the one that its next request would get. */
  endUse(error: GatewayError): void;
  /** Checks the credential itself, if it is still known: rejects as for a new request. */
  readmit?(): Promise<Pick<Caller, 'expiresAtMs'>>;
}

interface TokenWatchParts {
  /** Rejects if the table cannot be read. */
  standingOf(tokenId: string, jwt?: JwtFacts): Promise<TokenStanding>;
  /** The running work of tokens, without connections. */
  running(): Iterable<TokenUse>;
  /** Monotonic. */
  nowMs(): number;
  wallMs(): number;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** How many tokens are checked at a time. */
const checksMax = 16;
/** Errors of the credential itself; an unavailable database is none of them. */
const finalTypes: ReadonlySet<string> = new Set(['authentication_error', 'permission_error']);

export class TokenWatch {
  readonly #parts: TokenWatchParts;
  readonly #connections = new Roster<TokenUse>();
  /** Of tokens checked since the last change: their running work was admitted with earlier terms. */
  readonly #expiries = new Map<string, number | undefined>();
  /** Requests that began before this were admitted with earlier terms. */
  #changedAtMs = Number.NEGATIVE_INFINITY;
  /** Not every token was checked since the last change. */
  #due = false;
  #checking = false;

  constructor(parts: TokenWatchParts) {
    this.#parts = parts;
  }

  /** Watches an open connection until the returned function is called. */
  watch(connection: TokenUse, startedAtMs: number): () => void {
    this.#connections.add(connection);
    if (startedAtMs < this.#changedAtMs) void this.#checkUses([connection]);
    return () => void this.#connections.delete(connection);
  }

  /** A token changed: all running work is checked. */
  changed(): void {
    this.#changedAtMs = this.#parts.nowMs();
    this.#expiries.clear();
    this.#due = true;
    void this.#check();
  }

  /** Finds expired tokens, and repeats checks that failed. Called a few times a second. */
  poll(): void {
    const wallMs = this.#parts.wallMs();
    const expired = this.#uses().filter((use) => this.#expiryOf(use) <= wallMs);
    if (expired.length > 0) void this.#checkUses(expired);
    void this.#check();
  }

  /** Called before anything is sent; usually undefined. Rejects if the token was ended after the request arrived. */
  confirm(caller: Pick<Caller, 'tokenId' | 'jwt'>, startedAtMs: number): Promise<void> | undefined {
    return startedAtMs >= this.#changedAtMs ? undefined : this.#confirm(caller);
  }

  async #confirm({ tokenId, jwt }: Pick<Caller, 'tokenId' | 'jwt'>): Promise<void> {
    const { refusal, expiresAtMs } = await this.#parts.standingOf(tokenId, jwt);
    if (refusal !== undefined) throw refusal;
    this.#expiries.set(tokenId, expiresAtMs);
  }

  /** A request may finish after its JWT has expired; a connection, which could begin others, may not. */
  #expiryOf({ caller: { tokenId, expiresAtMs, jwt }, readmit }: TokenUse): number {
    const known = (this.#expiries.has(tokenId) ? this.#expiries.get(tokenId) : expiresAtMs) ?? Number.POSITIVE_INFINITY;
    return jwt === undefined || readmit === undefined ? known : Math.min(known, jwt.expiresAtMs);
  }

  #uses(): TokenUse[] {
    return [...this.#parts.running(), ...this.#connections.all()];
  }

  async #check(): Promise<void> {
    if (!this.#due || this.#checking) return;
    this.#checking = true;
    this.#due = false;
    const known = await this.#checkUses(this.#uses());
    this.#checking = false;
    // If the database did not answer, the next poll checks again.
    if (!known) this.#due = true;
    else if (this.#due) await this.#check();
  }

  /** One check per token or JWT, and one per connection that can check its own credential. False if a check failed. */
  async #checkUses(uses: readonly TokenUse[]): Promise<boolean> {
    const checks: (() => Promise<void>)[] = uses.flatMap((use) =>
      use.readmit === undefined ? [] : [() => this.#checkConnection(use)],
    );
    const plain = Map.groupBy(
      uses.filter(({ readmit }) => readmit === undefined),
      ({ caller }) => (caller.jwt === undefined ? caller.tokenId : `${caller.tokenId} ${caller.jwt.id ?? ''}`),
    );
    for (const held of plain.values()) {
      const { tokenId, jwt } = held[0]?.caller ?? {};
      if (tokenId === undefined) continue;
      checks.push(async () => {
        const { refusal, expiresAtMs } = await this.#parts.standingOf(tokenId, jwt);
        this.#expiries.set(tokenId, expiresAtMs);
        if (refusal !== undefined) for (const use of held) use.endUse(refusal);
      });
    }
    try {
      for (let at = 0; at < checks.length; at += checksMax) {
        await Promise.all(checks.slice(at, at + checksMax).map((check) => check()));
      }
      return true;
    } catch (cause) {
      this.#parts.warn('Tokens with running requests could not be checked.', { cause });
      return false;
    }
  }

  async #checkConnection(use: TokenUse): Promise<void> {
    try {
      const caller = await use.readmit?.();
      if (caller !== undefined) this.#expiries.set(use.caller.tokenId, caller.expiresAtMs);
    } catch (error) {
      if (!(error instanceof GatewayError) || !finalTypes.has(error.row.type)) throw error;
      use.endUse(error);
    }
  }
}
