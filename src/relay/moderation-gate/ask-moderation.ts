/** Asks the moderation model from inside Weir, on the way that a caller's own moderation takes: recorded, priced and charged alike. */

import type { Caller } from '../../access/caller.ts';
import type { Admission } from '../../access/limits.ts';
import type { Converted } from '../../conversation/parts.ts';
import type { Format } from '../../formats/format.ts';
import type { ModeratedPart, ModerateReply, ModerateRequest, ModerationResult } from '../../operations/moderate.ts';
import type { ClientWire, OperationFacts, WireBody, WrittenReply } from '../../operations/wire.ts';
import { tokensAtMost } from '../../operations/wire-replies.ts';
import type { Operator } from '../operations/operation-request.ts';

export interface Question {
  readonly requestId: string;
  /** The operator's choice; absent means the default. */
  readonly model: string | undefined;
  readonly inputs: readonly (readonly ModeratedPart[])[];
}

/** On whose behalf it is asked. */
export interface Asker {
  readonly format: Format;
  readonly caller: Caller;
  readonly admission: Admission;
  hasLeft(): boolean;
  keepOpen(): void;
}

/** What the row of it says was called. */
const endpoint = 'moderations';
/** More than any judge counts for one picture; its length says nothing about its tokens. */
const pictureTokensMax = 8_192;
const encoder = new TextEncoder();
const written: WrittenReply = { contentType: 'application/json', body: '' };

/** One result for each input. Rejects where nobody judged. */
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
    // The demand is the operator's: what the token may use by itself does not limit it.
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
    const pictures = inputs.flat().filter(({ type }) => type === 'image').length;
    const most = tokensAtMost(pictures > 0 ? pictures * pictureTokensMax : bodyBytes);
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
