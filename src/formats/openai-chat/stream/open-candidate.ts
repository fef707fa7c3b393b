/** One choice of a chat stream while it is being read: which of its parts are open, and the events that its deltas make. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import type { Citation, TokenLogprob } from '../../../conversation/parts.ts';
import type { StreamEvent } from '../../../conversation/text-reply.ts';
import type { ReadContext } from '../../codec.ts';
import { readAnnotation } from '../citations.ts';
import { readLogprobs } from '../logprobs.ts';
import { readLinkedMedia, readPart } from '../read/parts.ts';
import { type PlainField, plainFieldOf, type ReasoningDetail, readDetail } from '../reasoning.ts';
import { formatName, readFinish } from '../wire.ts';
import { CallReader } from './call-reader.ts';

type Kind = 'text' | 'thinking' | 'refusal';

export class OpenCandidate {
  readonly #index: number;
  readonly #context: ReadContext;
  readonly #losses: LossList;
  readonly #calls: CallReader;
  #parts = 0;
  /** The one part among text, thinking and refusal that is being written. */
  #kind: Kind | undefined;
  #part = 0;
  #thought: number | undefined;
  /** The field that the open thinking came in as plain text. */
  #plainField: PlainField | undefined;
  #textLength = 0;
  #textStart = 0;
  #audioPart: number | undefined;
  #refused = false;
  #waitingCitations: Citation[] = [];
  finished = false;

  constructor(index: number, context: ReadContext, losses: LossList) {
    this.#index = index;
    this.#context = context;
    this.#losses = losses;
    this.#calls = new CallReader(index, context, losses, () => this.#parts++);
  }

  read(choice: Tree, events: StreamEvent[]): void {
    // Whole messages come in streams of services that do not really stream.
    const delta = isObject(choice.delta) ? choice.delta : isObject(choice.message) ? choice.message : undefined;
    if (delta !== undefined) {
      if (this.finished) this.#readLate(delta);
      else this.#readDelta(delta, choice.logprobs, events);
    }
    const word = choice.finish_reason;
    if (word !== undefined && word !== null && !this.finished) this.finish(word, events);
  }

  #readLate(delta: Tree): void {
    const said = typeof delta.content === 'string' && delta.content !== '';
    if (said || Array.isArray(delta.tool_calls)) this.#losses.addOnce('text after the finish', 'came too late');
  }

  #readDelta(delta: Tree, logprobs: unknown, events: StreamEvent[]): void {
    this.#readReasoning(delta, events);
    const { content } = delta;
    if (typeof content === 'string') {
      const tokens = isObject(logprobs) ? readLogprobs(logprobs.content) : undefined;
      if (content !== '' || tokens !== undefined) this.#say('text', content, events, tokens);
    } else if (Array.isArray(content)) {
      for (const entry of content) this.#readPart(entry, events);
    }
    if (typeof delta.refusal === 'string' && delta.refusal !== '') this.#say('refusal', delta.refusal, events);
    if (Array.isArray(delta.annotations)) this.#cite(delta.annotations, events);
    if (isObject(delta.audio)) this.#readAudio(delta.audio, events);
    if (Array.isArray(delta.images)) for (const image of delta.images) this.#readImage(image, events);
    if (Array.isArray(delta.tool_calls) && delta.tool_calls.length > 0) {
      this.#close(events);
      for (const call of delta.tool_calls) this.#calls.read(call, events);
    }
    if (isObject(delta.function_call)) {
      this.#close(events);
      this.#calls.readLegacy(delta.function_call, events);
    }
  }

  /** Services that send details repeat their text in a plain field. */
  #readReasoning(delta: Tree, events: StreamEvent[]): void {
    let detailed = false;
    for (const entry of Array.isArray(delta.reasoning_details) ? delta.reasoning_details : []) {
      const detail = readDetail(entry);
      if (detail === undefined) continue;
      detailed ||= detail.text !== '';
      this.#readDetail(detail, events);
    }
    if (detailed) return;
    const field = plainFieldOf(delta);
    if (field === undefined) return;
    this.#say('thinking', String(delta[field]), events);
    this.#plainField = field;
  }

  #readDetail(detail: ReasoningDetail, events: StreamEvent[]): void {
    if (detail.text === '' && detail.opaque === undefined) return;
    if (detail.redacted) this.#close(events);
    const another = this.#thought !== undefined && detail.index !== undefined && this.#thought !== detail.index;
    if (this.#kind === 'thinking' && another) this.#close(events);
    this.#open('thinking', events, detail.redacted);
    this.#thought = detail.index;
    if (detail.text !== '') this.#say('thinking', detail.text, events);
    if (detail.opaque === undefined) return;
    const seal = { value: detail.opaque, origin: this.#context.origin };
    events.push({ type: 'seal', candidate: this.#index, part: this.#part, seal });
    // One seal ends one thinking part: whatever follows is another.
    this.#close(events);
  }

  #readPart(entry: unknown, events: StreamEvent[]): void {
    const part = readPart(entry);
    if (part === undefined) this.#losses.addOnce('content part', 'is not a part');
    else if (part.type === 'text' || part.type === 'thinking' || part.type === 'refusal') {
      if (part.text !== '') this.#say(part.type, part.text, events);
    } else if (part.type === 'media') this.#readImage(entry, events);
    else {
      this.#close(events);
      const at = { candidate: this.#index, part: this.#parts++ };
      events.push({ type: 'native', format: formatName, value: entry, ...at });
    }
  }

  #open(kind: Kind, events: StreamEvent[], redacted = false): void {
    if (this.#kind === kind) return;
    this.#close(events);
    this.#kind = kind;
    this.#part = this.#parts++;
    const opening = redacted ? ({ type: 'thinking', redacted: true } as const) : { type: kind };
    events.push({ type: 'part-start', candidate: this.#index, part: this.#part, opening });
    if (kind === 'refusal') this.#refused = true;
    if (kind !== 'text') return;
    this.#textStart = this.#textLength;
    for (const citation of this.#waitingCitations) this.#pushCitation(citation, events);
    this.#waitingCitations = [];
  }

  #say(kind: Kind, text: string, events: StreamEvent[], logprobs?: readonly TokenLogprob[]): void {
    this.#open(kind, events);
    const candidate = this.#index;
    const part = this.#part;
    if (kind === 'thinking') {
      events.push({ type: 'thinking-delta', candidate, part, text });
      return;
    }
    if (kind === 'text') this.#textLength += text.length;
    events.push({ type: 'text-delta', candidate, part, text, ...(logprobs !== undefined && { logprobs }) });
  }

  #close(events: StreamEvent[]): void {
    if (this.#kind === undefined) return;
    if (this.#plainField !== undefined) {
      const seal = { value: this.#plainField, origin: this.#context.origin };
      events.push({ type: 'seal', candidate: this.#index, part: this.#part, seal });
      this.#plainField = undefined;
    }
    events.push({ type: 'part-end', candidate: this.#index, part: this.#part });
    this.#kind = undefined;
    this.#thought = undefined;
  }

  #cite(annotations: readonly unknown[], events: StreamEvent[]): void {
    // What comes before its text belongs to the next one.
    const start = this.#kind === 'text' ? this.#textStart : this.#textLength;
    for (const annotation of annotations) {
      const citation = readAnnotation(annotation, start);
      if (citation !== undefined) this.addCitation(citation, events);
    }
  }

  /** A citation belongs to the text that is being written, or to the next one. */
  addCitation(citation: Citation, events: StreamEvent[]): void {
    if (this.#kind === 'text') this.#pushCitation(citation, events);
    else this.#waitingCitations.push(citation);
  }

  #pushCitation(citation: Citation, events: StreamEvent[]): void {
    events.push({ type: 'citation', candidate: this.#index, part: this.#part, citation });
  }

  /** Audio comes beside its transcript, so its part stays open while the text continues. */
  #readAudio(audio: Tree, events: StreamEvent[]): void {
    if (typeof audio.transcript === 'string' && audio.transcript !== '') this.#say('text', audio.transcript, events);
    if (typeof audio.id === 'string') {
      this.#losses.addOnce('audio.id', 'names a recording that only its provider keeps');
    }
    if (typeof audio.data !== 'string' || audio.data === '') return;
    const candidate = this.#index;
    if (this.#audioPart === undefined) {
      this.#audioPart = this.#parts++;
      const opening = { type: 'media', media: 'audio', mediaType: 'audio/pcm' } as const;
      events.push({ type: 'part-start', candidate, part: this.#audioPart, opening });
    }
    events.push({ type: 'media-delta', candidate, part: this.#audioPart, data: audio.data });
  }

  /** An image comes whole: as its bytes, or as a URL. */
  #readImage(image: unknown, events: StreamEvent[]): void {
    const part = isObject(image) ? readLinkedMedia('image', image.image_url, {}) : undefined;
    if (part === undefined) {
      this.#losses.addOnce('image', 'has no URL');
      return;
    }
    this.#close(events);
    const { source, mediaType = '' } = part;
    const at = { candidate: this.#index, part: this.#parts++ };
    const opening = { type: 'media', media: 'image', mediaType, ...(source.kind === 'url' && { source }) } as const;
    events.push({ type: 'part-start', ...at, opening });
    if (source.kind === 'base64') events.push({ type: 'media-delta', ...at, data: source.data });
    events.push({ type: 'part-end', ...at });
  }

  finish(word: unknown, events: StreamEvent[]): void {
    this.#close(events);
    const candidate = this.#index;
    if (this.#audioPart !== undefined) events.push({ type: 'part-end', candidate, part: this.#audioPart });
    this.#calls.end(events);
    if (this.#waitingCitations.length > 0) this.#losses.add('annotations', 'there is no text that they belong to');
    const said = { calls: this.#calls.some, refusal: this.#refused };
    events.push({ type: 'candidate-end', candidate, finish: readFinish(word, said) });
    this.finished = true;
  }
}
