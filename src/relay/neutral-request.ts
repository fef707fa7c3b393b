/** The client's request as the neutral conversation: read once, whichever candidates it is written for. */

import { GatewayError } from '../conversation/gateway-error.ts';
import type { Loss } from '../conversation/parts.ts';
import { restoreSealedTurns } from '../conversation/sealed-turns.ts';
import type { TextRequest } from '../conversation/text-request.ts';
import type { Tree } from '../formats/format.ts';
import type { ConversationCall } from './call.ts';
import type { SealMemo } from './seal-memo.ts';

export interface NeutralRequest {
  readonly value: TextRequest;
  readonly losses: readonly Loss[];
}

/** Top-level fields that put earlier turns into the request; `undefined` leaves a field out. */
export type EarlierTurns = ReadonlyMap<string, unknown>;

/** Throws where the request asks for something that only its own format knows and nothing can stand for. */
export function readNeutral(call: ConversationCall, earlier: EarlierTurns | undefined, memo: SealMemo): NeutralRequest {
  const tree = earlier === undefined ? call.body.tree : withEarlier(call.body.tree, earlier);
  const { value, losses } = call.format.codec.readRequest(tree, call.named);
  if (value.unsupported !== undefined) throw untranslatable(value.unsupported);
  const restored = restoreSealedTurns(value, (callId) => memo.find(call.caller.tokenId, callId));
  return { value: restored, losses };
}

export function withEarlier(tree: Tree, earlier: EarlierTurns): Tree {
  const whole: Record<string, unknown> = { ...tree };
  for (const [name, value] of earlier) {
    if (value === undefined) delete whole[name];
    else whole[name] = value;
  }
  return whole;
}

/** Agents look for the code to learn that they must do without the field. */
function untranslatable(field: string): GatewayError {
  return new GatewayError(
    'operation_unsupported',
    `No provider of this model understands \`${field}\`, and nothing else can stand for it. Leave it out.`,
    { param: field, details: { error_code: `${field}_unsupported_request` } },
  );
}
