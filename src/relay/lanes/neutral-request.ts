/** The client's request as the neutral conversation: read once for all candidates. */

import { DerivedTexts } from '../../conversation/derived-texts.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Converted, Loss } from '../../conversation/parts.ts';
import {
  forgottenTurns,
  reliablyCarried,
  restoreSealedTurns,
  type SealedTurn,
  thoughtlessTurns,
  unsealedCalls,
} from '../../conversation/seals/sealed-turns.ts';
import type { TextRequest } from '../../conversation/text-request.ts';
import type { ConversationCall } from '../admission/call.ts';
import type { SealMemo } from '../memory/seal-memo.ts';
import { type EarlierTurns, withEarlier } from './earlier-turns.ts';
import { noLosses } from './lane.ts';

export interface NeutralRequest {
  readonly value: TextRequest;
  readonly losses: readonly Loss[];
  /** Turns whose seals, if they had any, are no longer remembered. */
  readonly forgotten: readonly Loss[];
  /** Of the thoughts and signatures that were put back; absent where that is nothing. */
  readonly restoredBytes?: number;
  /** Turns that the client sent without the thinking that it got with them. */
  readonly thoughtless: readonly Loss[];
  /** One bound of work for all candidates. */
  readonly derived: DerivedTexts;
}

/**
 * Throws where the request asks for something that only its own format has and nothing replaces. A promise only where
 * another replica may know seals that this one does not.
 */
export function readNeutral(
  call: ConversationCall,
  earlier: EarlierTurns | undefined,
  memo: SealMemo,
): NeutralRequest | Promise<NeutralRequest> {
  const tree = earlier === undefined ? call.body.tree : withEarlier(call.body.tree, earlier);
  call.format.checkWhole?.(tree);
  const read = call.format.codec.readRequest(tree, call.named);
  if (read.value.unsupported !== undefined) throw untranslatable(read.value.unsupported);
  const { thinkingSeals, callSeals } = reliablyCarried(call.format.codec.carries);
  if (thinkingSeals && callSeals)
    return { ...read, forgotten: noLosses, thoughtless: noLosses, derived: new DerivedTexts() };
  const { tokenId } = call.caller;
  const fetching = memo.fetch(tokenId, unsealedCalls(read.value));
  const restored = (): NeutralRequest => restore(read, (callId) => memo.find(tokenId, callId));
  return fetching === undefined ? restored() : fetching.then(restored);
}

function restore(
  { value, losses }: Converted<TextRequest>,
  find: (callId: string) => SealedTurn | undefined,
): NeutralRequest {
  const forgotten = forgottenTurns(value, (callId) => find(callId) !== undefined);
  const restored = restoreSealedTurns(value, find);
  const thoughtless = thoughtlessTurns(value, (callId) => find(callId)?.thought === true);
  return {
    value: restored,
    ...(restored !== value && { restoredBytes: thoughtBytes(restored) - thoughtBytes(value) }),
    losses,
    derived: new DerivedTexts(),
    forgotten: signatures(forgotten, 'is not remembered: Weir keeps it for an hour, and of turns that it made itself'),
    thoughtless: signatures(thoughtless, 'was sent to the client, which did not send it back'),
  };
}

function thoughtBytes({ messages }: TextRequest): number {
  let bytes = 0;
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type === 'thinking') bytes += Buffer.byteLength(part.text);
      if ('seal' in part && part.seal !== undefined) bytes += part.seal.value.length;
    }
  }
  return bytes;
}

function signatures(turns: readonly number[], why: string): readonly Loss[] {
  return turns.length === 0 ? noLosses : turns.map((index) => ({ what: `messages[${index}] thinking signature`, why }));
}

/** Agents read the code to learn that they must omit the field. */
function untranslatable(field: string): GatewayError {
  return new GatewayError(
    'operation_unsupported',
    `No provider of this model supports \`${field}\`, and nothing replaces it. Leave it out.`,
    { param: field, details: { error_code: `${field}_unsupported_request` } },
  );
}
