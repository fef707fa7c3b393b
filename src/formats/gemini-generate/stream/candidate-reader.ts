/** Reads one candidate of a stream: pieces of text become one part, calls come whole or in pieces, the rest as it is. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import type { PartOpening, StreamEvent } from '../../../conversation/text-reply.ts';
import type { ReadContext } from '../../codec.ts';
import type { ProviderFault } from '../../format.ts';
import { failedTurn } from '../errors.ts';
import { readCitations } from '../grounding.ts';
import { readLogprobs } from '../logprobs.ts';
import { argumentsOf, readMedia, textOf } from '../read/parts.ts';
import { sealOf } from '../read/reply.ts';
import { keepCandidateFields } from '../reply-fields.ts';
import { finishOf, formatName, isFailedFinish, readFinish } from '../wire.ts';
import { PartialArguments } from './partial-arguments.ts';

export class CandidateReader {
  readonly #index: number;
  readonly #context: ReadContext;
  readonly #losses: LossList;
  #nextPart = 0;
  #open: 'text' | 'thinking' | 'tool-call' | undefined;
  #sealed = false;
  /** All text so far: sources refer to the bytes of it that they support. */
  #text = '';
  /** Where in it the open text begins. */
  #textStart = 0;
  #arguments: PartialArguments | undefined;
  #called = false;
  #finish: string | undefined;
  /** Something other than thinking came. */
  #said = false;
  #citing: Tree | undefined;
  readonly #kept = new Map<string, unknown>();

  constructor(index: number, context: ReadContext, losses: LossList) {
    this.#index = index;
    this.#context = context;
    this.#losses = losses;
  }

  /** The turn has no readable content. */
  get hasFailed(): boolean {
    return !this.#said && isFailedFinish(this.#finish);
  }

  /** What the wire says about its end. */
  get failure(): ProviderFault {
    return failedTurn(this.#finish ?? '', this.#kept.get('finishMessage'));
  }

  get isFinished(): boolean {
    return this.#finish !== undefined;
  }

  read(candidate: Tree, events: StreamEvent[]): void {
    const { content, finishReason } = candidate;
    if (isObject(content) && Array.isArray(content.parts)) {
      for (const part of content.parts) if (isObject(part)) this.#readPart(part, candidate, events);
    }
    this.#finish = finishOf(finishReason) ?? this.#finish;
    keepCandidateFields(candidate, this.#kept);
    const { groundingMetadata, citationMetadata } = candidate;
    if (groundingMetadata !== undefined) this.#citing = { ...this.#citing, groundingMetadata };
    if (citationMetadata !== undefined) this.#citing = { ...this.#citing, citationMetadata };
  }

  end(events: StreamEvent[]): void {
    this.#cite(events);
    this.#close(events);
    if (this.#kept.size > 0) {
      const value = Object.fromEntries(this.#kept);
      events.push({ type: 'native', format: formatName, value, candidate: this.#index });
    }
    events.push({
      type: 'candidate-end',
      candidate: this.#index,
      finish: readFinish(this.#finish ?? '', this.#called),
    });
  }

  #readPart(part: Tree, candidate: Tree, events: StreamEvent[]): void {
    if (typeof part.text === 'string') {
      this.#readText(part, part.text, candidate, events);
    } else if (isObject(part.functionCall)) {
      this.#readCall(part, part.functionCall, events);
    } else if (part.thought === true && readMedia(part) === undefined) {
      this.#readText(part, '', candidate, events);
    } else {
      this.#readWhole(part, events);
    }
  }

  /** Hot path: one object for most chunks. */
  #readText(part: Tree, text: string, candidate: Tree, events: StreamEvent[]): void {
    const kind = part.thought === true ? 'thinking' : 'text';
    const seal = part.thoughtSignature === undefined ? undefined : sealOf(part, this.#context);
    const isLikely = kind === 'text' && candidate.logprobsResult !== undefined;
    if (text === '' && seal === undefined && !isLikely) return;
    // One part has one signature: what follows a signature is another part.
    if (this.#open !== kind || (this.#sealed && (text !== '' || seal !== undefined || isLikely))) {
      this.#close(events);
      this.#openPart(kind, { type: kind }, events);
    }
    const at = this.#nextPart - 1;
    if (text !== '' || isLikely) {
      if (kind === 'thinking') {
        events.push({ type: 'thinking-delta', candidate: this.#index, part: at, text });
      } else {
        this.#text += text;
        const logprobs = candidate.logprobsResult === undefined ? undefined : readLogprobs(candidate.logprobsResult);
        events.push({
          type: 'text-delta',
          candidate: this.#index,
          part: at,
          text,
          ...(logprobs !== undefined && { logprobs }),
        });
      }
    }
    if (seal !== undefined) {
      this.#sealed = true;
      events.push({ type: 'seal', candidate: this.#index, part: at, seal });
    }
  }

  /**
   * A call comes whole, or opens with its name, continues in pieces without one, and ends where nothing announces
   * another.
   */
  #readCall(part: Tree, call: Tree, events: StreamEvent[]): void {
    const seal = sealOf(part, this.#context);
    if (typeof call.name === 'string' && call.name !== '') {
      this.#close(events);
      this.#called = true;
      const id = textOf(call.id) ?? this.#context.newId('call_');
      this.#openPart('tool-call', { type: 'tool-call', id, name: call.name }, events);
      this.#arguments = new PartialArguments();
    } else if (this.#open !== 'tool-call') {
      return;
    }
    if (seal !== undefined) events.push({ type: 'seal', candidate: this.#index, part: this.#nextPart - 1, seal });
    for (const piece of Array.isArray(call.partialArgs) ? call.partialArgs : []) this.#arguments?.add(piece);
    if (call.willContinue === true) return;
    if (isObject(call.args)) {
      this.#arguments = undefined;
      events.push({
        type: 'tool-input-delta',
        candidate: this.#index,
        part: this.#nextPart - 1,
        text: argumentsOf(call),
      });
    }
    this.#close(events);
  }

  #readWhole(part: Tree, events: StreamEvent[]): void {
    if (Object.keys(part).length === 0) return;
    this.#said = true;
    this.#close(events);
    const media = part.thought === true ? undefined : readMedia(part);
    const place = { candidate: this.#index, part: this.#nextPart };
    if (media === undefined) {
      this.#nextPart += 1;
      events.push({ type: 'native', format: formatName, value: part, ...place });
      return;
    }
    if (sealOf(part, this.#context) !== undefined) {
      this.#losses.add(`signature of ${media.media}`, 'only texts, thinking and calls carry one');
    }
    const { source, filename, mediaType = '' } = media;
    this.#nextPart += 1;
    const opening: PartOpening = {
      type: 'media',
      media: media.media,
      mediaType,
      ...(source.kind !== 'base64' && { source }),
      ...(filename !== undefined && { filename }),
    };
    events.push({ type: 'part-start', ...place, opening });
    if (source.kind === 'base64') events.push({ type: 'media-delta', ...place, data: source.data });
    events.push({ type: 'part-end', ...place });
  }

  #openPart(kind: 'text' | 'thinking' | 'tool-call', opening: PartOpening, events: StreamEvent[]): void {
    this.#open = kind;
    this.#said ||= kind !== 'thinking';
    this.#sealed = false;
    this.#textStart = this.#text.length;
    events.push({ type: 'part-start', candidate: this.#index, part: this.#nextPart, opening });
    this.#nextPart += 1;
  }

  #close(events: StreamEvent[]): void {
    if (this.#open === undefined) return;
    const place = { candidate: this.#index, part: this.#nextPart - 1 };
    if (this.#open === 'tool-call' && this.#arguments !== undefined) {
      events.push({ type: 'tool-input-delta', ...place, text: this.#arguments.toString() });
      this.#arguments = undefined;
    }
    events.push({ type: 'part-end', ...place });
    this.#open = undefined;
  }

  /** Sources come at the end; they belong to the text that is open then. */
  #cite(events: StreamEvent[]): void {
    if (this.#citing === undefined) return;
    if (this.#open !== 'text') {
      this.#losses.add('citations', 'came after the text that they belong to had ended');
      return;
    }
    const part = this.#nextPart - 1;
    const base = this.#textStart;
    for (const { citation } of readCitations(this.#citing, () => this.#text)) {
      const { start, end } = citation;
      if (start !== undefined && start < base) {
        this.#losses.addOnce('citations', 'came after the text that they belong to had ended');
        continue;
      }
      const within = {
        ...(start !== undefined && { start: start - base }),
        ...(end !== undefined && { end: Math.max(0, end - base) }),
      };
      events.push({ type: 'citation', candidate: this.#index, part, citation: { ...citation, ...within } });
    }
  }
}
