/** Calls the moderation model from inside Weir by the same path as a caller's own moderation: recorded, priced and charged alike. */

import type { Caller } from '../../access/caller.ts';
import type { Admission } from '../../access/limits.ts';
import type { Converted } from '../../conversation/parts.ts';
import type { Format } from '../../formats/format.ts';
import type { ModeratedPart, ModerateReply, ModerateRequest, ModerationResult } from '../../operations/moderate.ts';
import type { ClientWire, OperationFacts, WireBody, WrittenReply } from '../../operations/wire.ts';
import { tokensAtMost } from '../../operations/wire-replies.ts';
import type { Operator } from '../operations/operation-request.ts';

interface Question {
  readonly requestId: string;
  /** The operator's choice; absent means the default. */
  readonly model: string | undefined;
  readonly inputs: readonly (readonly ModeratedPart[])[];
}

/** The request on whose behalf it is called. */
export interface Asker {
  readonly format: Format;
  readonly caller: Caller;
  readonly admission: Admission;
  hasLeft(): boolean;
}

/** The endpoint in its usage row. */
const endpoint = 'moderations';
/** More than any moderation model counts for one image; its length says nothing about its tokens. */
const imageTokensMax = 8_192;
const encoder = new TextEncoder();
const written: WrittenReply = { contentType: 'application/json', body: '' };

/** One result for each input. Rejects where no model answered. */
export async function ask(
  operator: Operator,
  question: Question,
  asker: Asker,
  startedAtMs: number,
): Promise<readonly ModerationResult[]> {
  const wire = new InnerWire(question);
  await operator.handle({
    ...asker,
    isPart: true,
    // The operator demands it, so the token's own list of models does not apply.
    caller: { ...asker.caller, strict: false, mayUseModel: () => true },
    requestId: question.requestId,
    endpoint,
    operation: 'moderate',
    wire,
    body: { kind: 'json', json: { bytes: bytesOf(question), tree: {}, fields: undefined } },
    pathModel: undefined,
    startedAtMs,
    headers: new Headers(),
  });
  const results = wire.reply?.results;
  if (results?.length !== question.inputs.length) throw new Error('A moderation came back without its results.');
  return results;
}

function bytesOf({ inputs }: Question): Uint8Array<ArrayBuffer> {
  return encoder.encode(inputs.flat().map(contentOf).join('\n'));
}

function contentOf(part: ModeratedPart): string {
  return part.type === 'text' ? part.text : part.url;
}

/** A client's wire without a client: neutral on both sides, and equal to no provider's, so that nothing is ever forwarded. */
class InnerWire implements ClientWire<ModerateRequest, ModerateReply> {
  readonly operation = 'moderate';
  readonly name = 'inner';
  reply: ModerateReply | undefined;
  readonly #question: Question;

  constructor(question: Question) {
    this.#question = question;
  }

  check(_body: WireBody, bodyBytes: number): OperationFacts {
    const { model, inputs } = this.#question;
    const images = inputs.flat().filter(({ type }) => type === 'image').length;
    const most = tokensAtMost(images > 0 ? images * imageTokensMax : bodyBytes);
    return { model, stream: false, most };
  }

  readRequest(_body: WireBody, named?: string): Converted<ModerateRequest> {
    const { inputs } = this.#question;
    return { value: named === undefined ? { inputs } : { model: named, inputs }, losses: [] };
  }

  writeReply(reply: ModerateReply): WrittenReply {
    this.reply = reply;
    return written;
  }
}
