/**
 * Remembers the seals of a turn for clients whose format has no field for them and that give back only a tool call's id.
 * Bounded in size and time; other replicas find them in the database that they share. What is forgotten costs a provider's
 * cached thoughts, never an answer.
 */

import { isSealed, type SealedTurn } from '../../conversation/seals/sealed-turns.ts';
import { BoundedMemory } from './bounded-memory.ts';

/** Where the other replicas find a turn. */
export interface SharedTurns {
  /** Never rejects. */
  put(tokenId: string, name: string, turn: Uint8Array): Promise<void>;
  get(tokenId: string, names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>>;
}

export interface SealMemoOptions {
  nowMs(): number;
  /** Absent where this is the only process. */
  readonly shared?: SharedTurns | undefined;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** In this process's memory, and once more in the database that replicas share. */
export const sealLimits = { lifetimeMs: 3_600_000, tokenBytesMax: 8_388_608, bytesMax: 33_554_432 } as const;
/** Stands for a call that no replica knew when it was asked for: it is not asked for again. */
const unknownTurn: SealedTurn = { thinking: [] };
/** So many of a reply's calls are told to other replicas, and so many of a request's asked for, the latest first. */
const sharedCallsMax = 96;

export class SealMemo {
  readonly #options: SealMemoOptions;
  readonly #kept = new BoundedMemory<SealedTurn>(sealLimits, bytesOf);
  /** Targets that have sealed something: who they are is configuration, so there are few. */
  readonly #sealing = new Set<string>();

  constructor(options: SealMemoOptions) {
    this.#options = options;
  }

  /**
   * By call id what a client will not give back, and that there is nothing where there is nothing. A promise where other replicas
   * are told, which they are not of turns without seals unless the model was to think: nobody would miss those.
   */
  keep(
    tokenId: string,
    target: string,
    turns: ReadonlyMap<string, SealedTurn>,
    thinks: boolean,
  ): Promise<void> | undefined {
    const { nowMs, shared } = this.#options;
    const now = nowMs();
    let sealed = false;
    for (const [callId, turn] of turns) {
      this.#kept.put(tokenId, callId, turn, now);
      sealed ||= isSealed(turn);
    }
    if (sealed) this.#sealing.add(target);
    if (shared === undefined || !(sealed || thinks)) return undefined;
    const told = [...turns].slice(-sharedCallsMax);
    const writing = told.map(([callId, turn]) =>
      shared.put(tokenId, nameOf(callId), Buffer.from(JSON.stringify(turn))),
    );
    return Promise.all(writing).then(() => undefined);
  }

  find(tokenId: string, callId: string): SealedTurn | undefined {
    const turn = this.#kept.get(tokenId, callId, this.#options.nowMs());
    return turn === unknownTurn ? undefined : turn;
  }

  /** Has this target sealed anything that this process saw? */
  hasSealed(target: string): boolean {
    return this.#sealing.has(target);
  }

  /** Asks for turns that other replicas made. Nothing to wait for where all are here, or nobody else is. */
  fetch(tokenId: string, callIds: readonly string[]): Promise<void> | undefined {
    const { shared, nowMs } = this.#options;
    if (shared === undefined || callIds.length === 0) return undefined;
    const now = nowMs();
    const missing = callIds
      .filter((callId) => this.#kept.get(tokenId, callId, now) === undefined)
      .slice(-sharedCallsMax);
    return missing.length === 0 ? undefined : this.#fetch(shared, tokenId, missing);
  }

  /** Never fails: a request is answered without its thoughts rather than not at all. */
  async #fetch(shared: SharedTurns, tokenId: string, callIds: readonly string[]): Promise<void> {
    const { nowMs, warn } = this.#options;
    try {
      const found = await shared.get(tokenId, callIds.map(nameOf));
      for (const callId of callIds) {
        const bytes = found.get(nameOf(callId));
        const turn =
          bytes === undefined ? unknownTurn : (JSON.parse(Buffer.from(bytes).toString('utf8')) as SealedTurn);
        this.#kept.put(tokenId, callId, turn, nowMs());
      }
    } catch (cause) {
      warn('The seals of earlier turns could not be looked up.', { cause });
    }
  }
}

/** Ids are the provider's words, of any length and with any characters. */
function nameOf(callId: string): string {
  return new Bun.CryptoHasher('sha256').update(callId).digest('base64url');
}

const entryBytes = 200;

function bytesOf({ thinking, callSeal }: SealedTurn): number {
  let bytes = entryBytes + (callSeal?.value.length ?? 0);
  for (const part of thinking) bytes += part.text.length + (part.seal?.value.length ?? 0);
  return bytes;
}
