/**
 * Thinking that a model needs back with every tool call and that some clients drop, where client and provider speak one
 * format: it is kept by the ids of the calls and put back where it is absent. Nothing is read for any other model.
 */

import type { Seal } from '../../conversation/parts.ts';
import type { SealedTurn } from '../../conversation/seals/sealed-turns.ts';
import type { RestoredThoughts, TurnThoughts } from '../../formats/format.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { ConversationCall } from '../admission/call.ts';
import type { RelayParts } from '../relay-parts.ts';
import { exactField } from './exact-field.ts';

export interface LaneThoughts {
  readonly field: string;
  readonly turns: TurnThoughts;
  /** What was put back into this request. */
  readonly restored: RestoredThoughts | undefined;
  /** A promise where other replicas must have it before the client does. */
  keep(byKey: ReadonlyMap<string, string>): Promise<void> | undefined;
}

/** Undefined for models that need nothing back. A promise only where another replica may know what this one does not. */
export function thoughtsFor(
  { sealMemo }: Pick<RelayParts, 'sealMemo'>,
  { format, body, caller }: ConversationCall,
  { provider, model }: Target,
): LaneThoughts | Promise<LaneThoughts> | undefined {
  const field = provider.quirks.echoesThinkingAs;
  const turns = format.turnThoughts;
  if (field === undefined || turns === undefined || !sealMemo.keeps) return undefined;
  const { tokenId } = caller;
  const seal: Seal = { value: field, origin: { format: format.name, provider: provider.name, model } };
  const found = (): LaneThoughts => ({
    field,
    turns,
    restored:
      missing.length === 0
        ? undefined
        : turns.restored(exactField(body, 'messages'), field, (key) => textOf(sealMemo.find(tokenId, shortKey(key)))),
    keep(byKey) {
      if (byKey.size === 0) return undefined;
      const kept = Array.from(byKey, ([key, text]): [string, SealedTurn] => [
        shortKey(key),
        { thinking: [{ type: 'thinking', text, seal }] },
      ]);
      return sealMemo.keep(tokenId, `${provider.name} ${model}`, new Map(kept), true);
    },
  });
  const missing = turns.missing(body.tree, field).map(shortKey);
  const fetching = sealMemo.fetch(tokenId, missing);
  return fetching === undefined ? found() : fetching.then(found);
}

const keyLengthMax = 100;

/** A key may hold messages of the conversation, which are not kept for its sake. */
function shortKey(key: string): string {
  return key.length <= keyLengthMax ? key : new Bun.CryptoHasher('sha256').update(key).digest('base64url');
}

function textOf(turn: SealedTurn | undefined): string | undefined {
  return turn?.thinking.map(({ text }) => text).join('');
}
