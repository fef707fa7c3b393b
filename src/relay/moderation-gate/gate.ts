/**
 * Moderation as a gate: what a token or a model demands is judged before the model is asked, before its reply is sent, or
 * both. Whatever was not judged does not pass.
 */

import type { Caller, ModerationTerms } from '../../access/caller.ts';
import { type Admission, openAdmission } from '../../access/limits.ts';
import type { GatewayError } from '../../conversation/gateway-error.ts';
import type { TextReply } from '../../conversation/text-reply.ts';
import type { NamedRequest } from '../../formats/codec.ts';
import type { Format } from '../../formats/format.ts';
import type { JsonBody } from '../../http/json-body.ts';
import type { ModeratedPart, ModerationResult } from '../../operations/moderate.ts';
import type { Operator } from '../operations/operate.ts';
import { type Content, contentOfReply, contentOfRequest, piecesOf } from './content.ts';
import { type Asker, ask } from './question.ts';
import { type Moment, moderationAway, refusedBy, tooMuch, unjudgeable } from './refusals.ts';

export interface GateParts {
  readonly operator: Operator;
  /** What aliases demand of everybody who uses them. */
  readonly ofModels: ReadonlyMap<string, ModerationTerms>;
  /** Monotonic. */
  nowMs(): number;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

export interface Gate {
  /** Nothing where nobody demands a moderation, which is the rule. */
  openFor(caller: Caller, model: string): OpenGate | undefined;
}

/** The request that is to be judged, or whose reply is. */
export interface JudgedCall {
  readonly requestId: string;
  readonly format: Format;
  readonly caller: Caller;
  readonly body: JsonBody;
  readonly named?: NamedRequest | undefined;
  hasLeft(): boolean;
  keepOpen(): void;
}

/** Texts in one question, and pictures by themselves: judges take many of the one and one of the other. */
const piecesPerQuestion = 32;
const questionsMax = 64;
const questionsAtOnce = 8;

export function createGate(parts: GateParts): Gate {
  const { ofModels } = parts;
  return {
    openFor({ terms }, model) {
      const ofModel = ofModels.size === 0 ? undefined : ofModels.get(model);
      if (terms.moderation === undefined && ofModel === undefined) return undefined;
      return new OpenGate(parts, { ...ofModel, ...terms.moderation, ...sumOf(terms.moderation, ofModel) });
    },
  };
}

/** The demands of a token and of a model add up. */
function sumOf(first: ModerationTerms | undefined, second: ModerationTerms | undefined): ModerationTerms {
  return {
    before: first?.before === true || second?.before === true,
    after: first?.after === true || second?.after === true,
  };
}

/** The gate of one request. */
export class OpenGate {
  readonly #parts: GateParts;
  readonly #demands: ModerationTerms;
  #tokensUsed = 0;

  constructor(parts: GateParts, demands: ModerationTerms) {
    this.#parts = parts;
    this.#demands = demands;
  }

  get judgesReplies(): boolean {
    return this.#demands.after === true;
  }

  /** What judging uses counts with what the request itself uses; it needs no slot of its own. */
  admission(given: Admission): Admission {
    return {
      headers: given.headers,
      reserve: (tokens) => given.reserve(tokens),
      leave: (tokens) => given.leave(tokens === undefined ? undefined : tokens + this.#tokensUsed),
    };
  }

  /** Rejects where the request may not be sent on. */
  async judgeRequest(call: JudgedCall): Promise<void> {
    if (this.#demands.before !== true) return;
    const { value } = call.format.codec.readRequest(call.body.tree, call.named);
    const refusal = await this.#judge(call, 'request', contentOfRequest(value));
    if (refusal !== undefined) throw refusal;
  }

  /** The reason for which the reply may not be sent. Never rejects: a reply that was made must be paid for in any case. */
  async judgeReply(call: JudgedCall, read: () => TextReply): Promise<GatewayError | undefined> {
    try {
      return await this.#judge(call, 'reply', contentOfReply(read()));
    } catch (cause) {
      this.#parts.warn('A reply could not be judged and was withheld.', { requestId: call.requestId, cause });
      return moderationAway('reply', cause);
    }
  }

  async #judge(call: JudgedCall, moment: Moment, content: Content): Promise<GatewayError | undefined> {
    if (content.unreadable !== undefined) return unjudgeable(moment, content.unreadable);
    const questions = questionsOf(content);
    if (questions.length > questionsMax) return tooMuch(moment, questionsMax);
    for (let first = 0; first < questions.length; first += questionsAtOnce) {
      const asked = questions
        .slice(first, first + questionsAtOnce)
        .map((inputs, index) => this.#ask(call, moment, inputs, first + index));
      const refusals = (await Promise.all(asked)).flatMap((refusal) => refusal ?? []);
      // A verdict says more than a judge who was away.
      const refusal = refusals.find(({ code }) => code === 'content_refused') ?? refusals[0];
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  async #ask(
    call: JudgedCall,
    moment: Moment,
    inputs: readonly (readonly ModeratedPart[])[],
    index: number,
  ): Promise<GatewayError | undefined> {
    const { operator, nowMs, warn } = this.#parts;
    // The row beside the request's own; its id begins with the id that the caller knows.
    const requestId = `${call.requestId}.${moment}${index === 0 ? '' : `-${index + 1}`}`;
    try {
      const question = { requestId, model: this.#demands.model, inputs };
      const results = await ask(operator, question, this.#asker(call), nowMs());
      if (inputs[0]?.[0]?.type === 'image' && results.some(wasNotSeen)) return unjudgeable(moment, 'a picture');
      return refusedBy(moment, results);
    } catch (cause) {
      const refusal = moderationAway(moment, cause);
      if (refusal.code === 'moderation_unavailable') {
        warn('A moderation that a token or model demands failed.', { requestId: call.requestId, cause });
      }
      return refusal;
    }
  }

  #asker({ format, caller, hasLeft, keepOpen }: JudgedCall): Asker {
    const leave = (tokens = 0): void => {
      this.#tokensUsed += tokens;
    };
    return { format, caller, hasLeft, keepOpen, admission: { ...openAdmission, leave } };
  }
}

type Inputs = readonly (readonly ModeratedPart[])[];

function questionsOf({ text, pictures }: Content): Inputs[] {
  const pieces = piecesOf(text).map((piece): readonly ModeratedPart[] => [{ type: 'text', text: piece }]);
  const questions: Inputs[] = [];
  for (let first = 0; first < pieces.length; first += piecesPerQuestion) {
    questions.push(pieces.slice(first, first + piecesPerQuestion));
  }
  return [...questions, ...pictures.map((url): Inputs => [[{ type: 'image', url }]])];
}

/** A judge of texts that is shown a picture may find nothing wrong with it; where it says what it looked at, it is not believed. */
function wasNotSeen({ appliedTo, flagged }: ModerationResult): boolean {
  const looked = Object.values(appliedTo ?? {});
  return !flagged && looked.length > 0 && !looked.some((kinds) => kinds.includes('image'));
}
