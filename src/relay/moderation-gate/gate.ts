/**
 * Moderation as a gate: where a token or a model demands it, requests are checked before they are sent, replies before the
 * client gets them, or both. What was not checked does not pass.
 */

import type { Caller, ModerationTerms } from '../../access/caller.ts';
import { type Admission, openAdmission } from '../../access/limits.ts';
import type { GatewayError } from '../../conversation/gateway-error.ts';
import type { TextReply } from '../../conversation/text-reply.ts';
import type { Format } from '../../formats/format.ts';
import type { JsonBody } from '../../http/json/json-body.ts';
import type { ModeratedPart, ModerationResult } from '../../operations/moderate.ts';
import type { Operator } from '../operations/operation-request.ts';
import { type Asker, ask } from './ask-moderation.ts';
import { type Content, contentOfReply, piecesOf, sharedCharacters } from './content.ts';
import { PassedContent } from './passed-content.ts';
import { type Moment, moderationUnavailable, notCheckable, refusedBy, tooMuch } from './refusals.ts';
import { contentOfItems, contentOfTree, contentsOf, type TreeOptions } from './tree-content.ts';

interface GateParts {
  readonly operator: Operator;
  /** Moderation that aliases demand of every request. */
  readonly ofModels: ReadonlyMap<string, ModerationTerms>;
  /** Monotonic. */
  nowMs(): number;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

interface Gate {
  /** Undefined where no moderation is demanded, which is usual. */
  openFor(caller: Caller, model: string): OpenGate | undefined;
}

/** The request on whose behalf content is checked. */
export interface Moderated {
  readonly requestId: string;
  readonly format: Format;
  readonly caller: Caller;
  hasLeft(): boolean;
}

/** The request that is checked, or whose reply is. */
export interface ModeratedCall extends Moderated {
  readonly body: JsonBody;
  readonly memory?: { readonly earlierItems: readonly unknown[] | undefined } | undefined;
}

/** Texts per moderation request; images go one by one: moderation models take many texts and one image. */
const piecesPerQuestion = 32;
const questionsMax = 64;
const questionsAtOnce = 8;

export function createGate(parts: GateParts): Gate {
  const { ofModels } = parts;
  const before = new PassedContent(parts.nowMs);
  return {
    openFor({ terms }, model) {
      const ofModel = ofModels.size === 0 ? undefined : ofModels.get(model);
      if (terms.moderation === undefined && ofModel === undefined) return undefined;
      return new OpenGate(parts, before, { ...ofModel, ...terms.moderation, ...sumOf(terms.moderation, ofModel) });
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
  readonly #before: PassedContent;
  readonly #demands: ModerationTerms;
  #tokensUsed = 0;

  constructor(parts: GateParts, before: PassedContent, demands: ModerationTerms) {
    this.#parts = parts;
    this.#before = before;
    this.#demands = demands;
  }

  get checksRequests(): boolean {
    return this.#demands.before === true;
  }

  get checksReplies(): boolean {
    return this.#demands.after === true;
  }

  /** Tokens of moderation count with the request's own; it needs no slot of its own. */
  admission(given: Admission): Admission {
    return {
      headers: given.headers,
      reserve: (tokens) => given.reserve(tokens),
      leave: (tokens) => given.leave(tokens === undefined ? undefined : tokens + this.#tokensUsed),
    };
  }

  /** Rejects where the request may not be sent on. */
  async checkRequest(call: ModeratedCall): Promise<void> {
    if (!this.checksRequests) return;
    const earlier = call.memory?.earlierItems;
    const known: TreeOptions = earlier === undefined ? {} : { known: earlierKnown };
    const contents = [contentOfItems(earlier ?? []), contentOfTree(call.body.tree, known)];
    await this.check(call, 'request', contentsOf(contents));
  }

  /** Of a reply in the background there is nothing to be checked before its provider gives it out. */
  async checkBackground(call: ModeratedCall): Promise<void> {
    if (this.checksReplies) throw notCheckable('reply', 'what a model writes in the background');
    await this.checkRequest(call);
  }

  /** Rejects with the reason for which the content may not pass. */
  async check(call: Moderated, moment: Moment, content: Content): Promise<void> {
    const refusal = await this.#check(call, moment, content);
    if (refusal !== undefined) throw refusal;
  }

  /** The reason for which the reply may not be sent. Never rejects: a reply that was made must be paid for in any case. */
  async checkReply(call: ModeratedCall, read: () => TextReply): Promise<GatewayError | undefined> {
    try {
      return await this.#check(call, 'reply', contentOfReply(read()));
    } catch (cause) {
      this.#parts.warn('A reply could not be moderated and was withheld.', { requestId: call.requestId, cause });
      return moderationUnavailable('reply', cause);
    }
  }

  async #check(call: Moderated, moment: Moment, content: Content): Promise<GatewayError | undefined> {
    if (content.unreadable !== undefined) return notCheckable(moment, content.unreadable);
    const fresh = this.#fresh(call.caller.tokenId, content);
    const questions = questionsOf(fresh);
    if (questions.length > questionsMax) return tooMuch(moment, questionsMax);
    for (let first = 0; first < questions.length; first += questionsAtOnce) {
      const asked = questions
        .slice(first, first + questionsAtOnce)
        .map((inputs, index) => this.#ask(call, moment, inputs, first + index));
      const refusals = (await Promise.all(asked)).flatMap((refusal) => refusal ?? []);
      // A refusal says more than an unavailable moderation model.
      const refusal = refusals.find(({ code }) => code === 'content_refused') ?? refusals[0];
      if (refusal !== undefined) return refusal;
    }
    for (const key of fresh.keys) this.#before.add(key);
    return undefined;
  }

  /** What was not checked recently; a text after a checked one starts with the end of that, so that nothing hides at the seam. */
  #fresh(tokenId: string, { segments, images }: Content): Fresh {
    const texts: string[] = [];
    const keys: string[] = [];
    const isNew = (content: string): boolean => {
      const key = this.#before.keyOf(tokenId, this.#demands.model, content);
      if (this.#before.has(key)) return false;
      keys.push(key);
      return true;
    };
    let run: string[] = [];
    const endRun = (): void => {
      if (run.length > 0) texts.push(run.join('\n'));
      run = [];
    };
    for (const [index, segment] of segments.entries()) {
      if (!isNew(segment)) {
        endRun();
        continue;
      }
      const behind = index > 0 && run.length === 0 ? segments[index - 1]?.slice(-sharedCharacters) : undefined;
      if (behind !== undefined) run.push(behind.toWellFormed());
      run.push(segment);
    }
    endRun();
    // A URL may lead to another image each time.
    return { texts, keys, images: images.filter((url) => !/^data:/i.test(url) || isNew(url)) };
  }

  async #ask(
    call: Moderated,
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
      if (inputs[0]?.[0]?.type === 'image' && results.some(wasNotSeen)) return notCheckable(moment, 'an image');
      return refusedBy(moment, results);
    } catch (cause) {
      const refusal = moderationUnavailable(moment, cause);
      if (refusal.code === 'moderation_unavailable') {
        warn('A moderation that a token or model demands failed.', { requestId: call.requestId, cause });
      }
      return refusal;
    }
  }

  #asker({ format, caller, hasLeft }: Moderated): Asker {
    const leave = (tokens = 0): void => {
      this.#tokensUsed += tokens;
    };
    return { format, caller, hasLeft, admission: { ...openAdmission, leave } };
  }
}

type Inputs = readonly (readonly ModeratedPart[])[];

interface Fresh {
  readonly texts: readonly string[];
  readonly images: readonly string[];
  /** Of everything in it, recorded once it passed. */
  readonly keys: readonly string[];
}

/** Weir has the earlier conversation and checks it. */
const earlierKnown: ReadonlySet<string> = new Set(['previous_response_id']);

function questionsOf({ texts, images }: Fresh): Inputs[] {
  const pieces = texts.flatMap(piecesOf).map((piece): readonly ModeratedPart[] => [{ type: 'text', text: piece }]);
  const questions: Inputs[] = [];
  for (let first = 0; first < pieces.length; first += piecesPerQuestion) {
    questions.push(pieces.slice(first, first + piecesPerQuestion));
  }
  return [...questions, ...images.map((url): Inputs => [[{ type: 'image', url }]])];
}

/** A text-only model may pass an image that it did not look at; where it reports what it looked at, that is checked. */
function wasNotSeen({ appliedTo, flagged }: ModerationResult): boolean {
  const looked = Object.values(appliedTo ?? {});
  return !flagged && looked.length > 0 && !looked.some((kinds) => kinds.includes('image'));
}
