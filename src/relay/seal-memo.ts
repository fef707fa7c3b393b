/**
 * Remembers the seals of a turn for clients whose format has no field for them and that give back only a tool call's id.
 * Bounded in number, size and time; what is forgotten costs a provider's cached thoughts, never an answer.
 */

import type { SealedTurn } from '../conversation/sealed-turns.ts';

export interface SealMemo {
  keep(tokenId: string, turns: ReadonlyMap<string, SealedTurn>): void;
  find(tokenId: string, callId: string): SealedTurn | undefined;
}

const charactersMax = 32_000_000;
const lifetimeMs = 3_600_000;

interface Kept {
  readonly turn: SealedTurn;
  readonly untilMs: number;
  readonly characters: number;
}

export function createSealMemo(nowMs: () => number): SealMemo {
  // In the order in which they were kept, which is the order in which they expire.
  const kept = new Map<string, Kept>();
  let characters = 0;

  const forget = (key: string, { characters: given }: Kept): void => {
    characters -= given;
    kept.delete(key);
  };

  const makeRoom = (now: number): void => {
    for (const [key, entry] of kept) {
      if (entry.untilMs > now && characters <= charactersMax) return;
      forget(key, entry);
    }
  };

  return {
    keep(tokenId, turns) {
      const now = nowMs();
      for (const [callId, turn] of turns) {
        const key = keyOf(tokenId, callId);
        const old = kept.get(key);
        if (old !== undefined) forget(key, old);
        const entry = { turn, untilMs: now + lifetimeMs, characters: sizeOf(turn) };
        kept.set(key, entry);
        characters += entry.characters;
      }
      makeRoom(now);
    },
    find(tokenId, callId) {
      const entry = kept.get(keyOf(tokenId, callId));
      return entry === undefined || entry.untilMs <= nowMs() ? undefined : entry.turn;
    },
  };
}

function keyOf(tokenId: string, callId: string): string {
  return `${tokenId} ${callId}`;
}

const entryOverhead = 200;

function sizeOf({ thinking, callSeal }: SealedTurn): number {
  let size = entryOverhead + (callSeal?.value.length ?? 0);
  for (const part of thinking) size += part.text.length + (part.seal?.value.length ?? 0);
  return size;
}
