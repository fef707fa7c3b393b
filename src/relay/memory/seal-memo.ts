/**
 * Remembers the seals of a turn, and thinking that its model needs back, for clients that give back only a tool call's id.
 * Bounded in size and time; other replicas find them in the shared database. Forgetting one costs a provider's
 * cached thinking, never an answer.
 */

import { isSealed, type SealedTurn } from '../../conversation/seals/sealed-turns.ts';
import { BoundedMemory } from './bounded-memory.ts';

/** Where the other replicas find a turn. */
interface SharedTurns {
  /** Never rejects. */
  put(tokenId: string, name: string, turn: Uint8Array): Promise<void>;
  get(tokenId: string, names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>>;
}

interface SealMemoOptions {
  /** Read each time: it may be switched off while Weir runs. */
  readonly settings: { readonly recentTurns: boolean };
  nowMs(): number;
  /** Absent where this is the only process. */
  readonly shared?: SharedTurns | undefined;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** In this process's memory, and once more in the database that replicas share. */
export const sealLimits = { lifetimeMs: 3_600_000, tokenBytesMax: 8_388_608, bytesMax: 33_554_432 } as const;
/** Marks a call that no replica knew, so that it is not looked up again. */
const unknownTurn: SealedTurn = { thinking: [] };
/** So many calls of a reply are shared, and so many of a request looked up, the latest first. */
const sharedCallsMax = 96;

export class SealMemo {
  readonly #options: SealMemoOptions;
  readonly #kept = new BoundedMemory<SealedTurn>(sealLimits, bytesOf);
  /** Targets that have sealed something; bounded by the configuration. */
  readonly #sealing = new Set<string>();

  constructor(options: SealMemoOptions) {
    this.#options = options;
  }

  /**
   * Keeps, by call id, what a client cannot send back, including that there is nothing. A promise where it is shared with other
   * replicas; turns without seals are not shared unless the model was asked to think.
   */
  keep(
    tokenId: string,
    target: string,
    turns: ReadonlyMap<string, SealedTurn>,
    thinks: boolean,
  ): Promise<void> | undefined {
    const { nowMs, shared } = this.#options;
    if (!this.keeps) return undefined;
    const now = nowMs();
    let sealed = false;
    for (const [callId, turn] of turns) {
      this.#kept.put(tokenId, callId, turn, now);
      sealed ||= isSealed(turn) || turn.thought === true;
    }
    if (sealed) this.#sealing.add(target);
    if (shared === undefined || !(sealed || thinks)) return undefined;
    const latest = [...turns].slice(-sharedCallsMax);
    const writing = latest.map(([callId, turn]) =>
      shared.put(tokenId, nameOf(callId), Buffer.from(JSON.stringify(turn))),
    );
    return Promise.all(writing).then(() => undefined);
  }

  /** Does the operator let thoughts and their seals be kept? */
  get keeps(): boolean {
    return this.#options.settings.recentTurns;
  }

  find(tokenId: string, callId: string): SealedTurn | undefined {
    if (!this.keeps) return undefined;
    const turn = this.#kept.get(tokenId, callId, this.#options.nowMs());
    return turn === unknownTurn ? undefined : turn;
  }

  /** Has this target sealed anything that this process saw? */
  hasSealed(target: string): boolean {
    return this.#sealing.has(target);
  }

  /** Looks up turns that other replicas made. Undefined where all are here, or there is no other replica. */
  fetch(tokenId: string, callIds: readonly string[]): Promise<void> | undefined {
    const { shared, nowMs } = this.#options;
    if (shared === undefined || callIds.length === 0 || !this.keeps) return undefined;
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
