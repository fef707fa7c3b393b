/** Reads content-generation replies while they pass: usage, finish, faults and the text so far. */

import { isFilled, isObject } from '../../conversation/json-tree.ts';
import { WrittenText } from '../../conversation/texts/written-text.ts';
import { type Usage, unknownUsage } from '../../conversation/usage.ts';
import type { FrameVerdict, ProviderFault, StreamTap, WholeReply } from '../format.ts';
import { faultOf } from './errors.ts';
import { besideIn, readUsage, searchesOf, usesMaps, withBeside } from './usage.ts';
import { finishOf } from './wire.ts';

export class GenerateTap implements StreamTap {
  usage: Usage = unknownUsage;
  usageIsFinal = false;
  readonly written = new WrittenText();
  fault: ProviderFault | undefined;
  #finishSeen = false;
  #searches = 0;
  #maps = false;
  /** Candidates that have begun and not finished. */
  readonly #open = new Set<number>();

  get finished(): boolean {
    return this.#finishSeen && this.#open.size === 0;
  }

  /** Never `end`: usage may come with the finish or after it, and only the end of the bytes ends the reply. */
  read(data: string): FrameVerdict {
    const chunk: unknown = JSON.parse(data);
    if (!isObject(chunk)) throw new SyntaxError('A chunk of generated content is a JSON object.');
    if (chunk.error !== undefined && chunk.error !== null) {
      this.fault = faultOf(chunk.error);
      return 'fault';
    }
    const candidates = chunk.candidates;
    if (Array.isArray(candidates)) {
      for (let place = 0; place < candidates.length; place++) {
        this.#readCandidate(candidates[place], place, chunk.modelVersion);
      }
    } else if (isBlocked(chunk)) {
      this.#finishSeen = true;
    }
    this.#report(chunk.usageMetadata, chunk.modelVersion);
    return 'pass';
  }

  /** Every report is a running total, so the last one wins; one without counts is ignored. */
  #report(value: unknown, model: unknown): void {
    const usage = readUsage(value);
    if (usage === undefined) return;
    this.usage = withBeside(usage, { searches: this.#searches, maps: this.#maps, model });
    this.usageIsFinal = this.finished;
  }

  #readCandidate(candidate: unknown, place: number, model: unknown): void {
    if (!isObject(candidate)) return;
    if (candidate.groundingMetadata !== undefined) {
      this.#searches = Math.max(this.#searches, searchesOf(candidate, model));
      this.#maps ||= usesMaps(candidate);
    }
    const index = typeof candidate.index === 'number' ? candidate.index : place;
    if (finishOf(candidate.finishReason) !== undefined) {
      this.#finishSeen = true;
      this.#open.delete(index);
    } else {
      this.#open.add(index);
    }
    addWritten(candidate, this.written);
  }
}

/** A prompt that was refused has no candidates at all. */
export function isBlocked(chunk: Readonly<Record<string, unknown>>): boolean {
  const feedback = chunk.promptFeedback;
  return isObject(feedback) && typeof feedback.blockReason === 'string' && feedback.blockReason !== '';
}

/** Everything that the model had to write. */
function addWritten(candidate: Readonly<Record<string, unknown>>, written: WrittenText): void {
  const content = candidate.content;
  if (!isObject(content) || !Array.isArray(content.parts)) return;
  for (const part of content.parts) {
    if (!isObject(part)) continue;
    if (typeof part.text === 'string') written.add(part.text);
    else if (isObject(part.functionCall)) written.add(JSON.stringify(part.functionCall));
    else if (isObject(part.executableCode) && typeof part.executableCode.code === 'string') {
      written.add(part.executableCode.code);
    }
  }
}

export function measureReply(tree: unknown): WholeReply {
  if (
    !isObject(tree) ||
    !(Array.isArray(tree.candidates) || isObject(tree.promptFeedback) || isObject(tree.usageMetadata))
  ) {
    throw new SyntaxError('A reply of generated content has `candidates`.');
  }
  if (isFilled(tree.error)) throw new SyntaxError('A reply of generated content has no `error`.');
  const written = new WrittenText();
  const reported = readUsage(tree.usageMetadata);
  const usage = reported && withBeside(reported, besideIn(tree));
  if (usage?.input.total !== undefined && usage.output.total !== undefined) return { usage, written };
  for (const candidate of Array.isArray(tree.candidates) ? tree.candidates : []) {
    if (isObject(candidate)) addWritten(candidate, written);
  }
  return { usage: usage ?? unknownUsage, written };
}
