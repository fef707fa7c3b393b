/** The events of one output item from its opening to its end. Deltas are put together from a head that is printed once. */

import type { Citation, Seal, TokenLogprob } from '../../../conversation/parts.ts';
import type { PartOpening } from '../../../conversation/text-reply.ts';
import { type ItemStatus, imageItem, messageItem, reasoningItem } from '../output-items.ts';
import { isOwn, movedCitation, writeAnnotation, writeLogprob } from '../wire.ts';
import { reportQuote } from '../write/content.ts';
import { openCall } from './call-events.ts';
import { deltaHead, Events, type ItemContext, type ItemEvents } from './one-item.ts';

/** Undefined where the format does not support such a part. */
export function openItem(opening: PartOpening, context: ItemContext): ItemEvents | undefined {
  switch (opening.type) {
    case 'text':
      return new TextEvents(context);
    case 'refusal':
      return new RefusalEvents(context);
    case 'thinking':
      return new ThinkingEvents(context, opening.redacted === true);
    case 'tool-call':
      return openCall(opening, context);
    case 'media':
      if (opening.media === 'image' && opening.source === undefined) return new ImageEvents(context);
      context.losses.add(`output ${opening.media}`, 'is not supported by the format');
      return undefined;
  }
}

class TextEvents extends Events {
  readonly #head: string;
  readonly #at: string;
  readonly #annotations: object[] = [];
  readonly #logprobs: object[] = [];
  #opened = false;
  /** Where the part that is being written begins in the text. */
  #base = 0;
  /** A citation of the whole part, whose length is known at its end, and those that came after it. */
  #waiting: Citation[] = [];

  constructor(context: ItemContext) {
    super(context, 'msg_');
    this.#at = `${this.address},"content_index":0`;
    this.#head = deltaHead('response.output_text.delta', this.#at);
  }

  open(): string {
    const item = this.added();
    this.#opened = true;
    return item + this.event('response.content_part.added', `${this.#at},"part":${JSON.stringify(this.#part())}`);
  }

  add(delta: string, logprobs: readonly TokenLogprob[] | undefined): string {
    this.said += delta;
    let likely = '[]';
    if (logprobs !== undefined) {
      const written = logprobs.map(writeLogprob);
      this.#logprobs.push(...written);
      likely = JSON.stringify(written);
    }
    return `${this.#head}${JSON.stringify(delta)},"logprobs":${likely},"sequence_number":${this.context.next()}}\n\n`;
  }

  override cite(citation: Citation): string {
    const isPlaced = citation.end !== undefined || isOwn(citation);
    if (isPlaced && this.#waiting.length === 0) return this.#annotate(citation);
    this.#waiting.push(citation);
    return '';
  }

  pause(): string {
    let said = '';
    for (const citation of this.#waiting) said += this.#annotate(citation);
    this.#waiting = [];
    return said;
  }

  resume(): void {
    this.#base = this.said.length;
  }

  #annotate(citation: Citation): string {
    const placed = movedCitation(citation, this.#base, this.said.length - this.#base);
    const annotation = writeAnnotation(placed, this.said.length);
    if (annotation === undefined) {
      this.context.losses.add('output citation', 'has no URL, and the format cites URLs only');
      return '';
    }
    reportQuote(citation, this.context.losses);
    const index = this.#annotations.push(annotation) - 1;
    const fields = `${this.#at},"annotation_index":${index},"annotation":${JSON.stringify(annotation)}`;
    return this.event('response.output_text.annotation.added', fields);
  }

  override seal(): void {
    this.context.losses.add('signature of a text', 'is not supported by the format');
  }

  close(): string {
    const words = JSON.stringify(this.said);
    const likely = JSON.stringify(this.#logprobs);
    return (
      this.event('response.output_text.done', `${this.#at},"text":${words},"logprobs":${likely}`) +
      this.event('response.content_part.done', `${this.#at},"part":${JSON.stringify(this.#part())}`) +
      this.done()
    );
  }

  item(status: ItemStatus): object {
    return messageItem(this.id, status, this.#opened ? [this.#part()] : []);
  }

  #part(): object {
    return { type: 'output_text', text: this.said, annotations: this.#annotations, logprobs: this.#logprobs };
  }
}

class RefusalEvents extends Events {
  readonly #at: string;
  #opened = false;

  constructor(context: ItemContext) {
    super(context, 'msg_');
    this.#at = `${this.address},"content_index":0`;
  }

  open(): string {
    const item = this.added();
    this.#opened = true;
    return item + this.event('response.content_part.added', `${this.#at},"part":${JSON.stringify(this.#part())}`);
  }

  add(delta: string): string {
    this.said += delta;
    return this.event('response.refusal.delta', `${this.#at},"delta":${JSON.stringify(delta)}`);
  }

  close(): string {
    return (
      this.event('response.refusal.done', `${this.#at},"refusal":${JSON.stringify(this.said)}`) +
      this.event('response.content_part.done', `${this.#at},"part":${JSON.stringify(this.#part())}`) +
      this.done()
    );
  }

  item(status: ItemStatus): object {
    return messageItem(this.id, status, this.#opened ? [this.#part()] : []);
  }

  #part(): object {
    return { type: 'refusal', refusal: this.said };
  }
}

class ThinkingEvents extends Events {
  readonly #redacted: boolean;
  readonly #at: string;
  readonly #head: string;
  #opened = false;
  #seal: Seal | undefined;

  constructor(context: ItemContext, redacted: boolean) {
    super(context, 'rs_');
    this.#redacted = redacted;
    this.#at = `${this.address},"summary_index":0`;
    this.#head = deltaHead('response.reasoning_summary_text.delta', this.#at);
  }

  open(): string {
    const item = this.added();
    if (this.#redacted) return item;
    this.#opened = true;
    return item + this.event('response.reasoning_summary_part.added', `${this.#at},"part":${this.#part()}`);
  }

  add(delta: string): string {
    this.said += delta;
    if (!this.#opened) return '';
    return `${this.#head}${JSON.stringify(delta)},"sequence_number":${this.context.next()}}\n\n`;
  }

  override seal(seal: Seal): void {
    this.#seal = seal;
  }

  close(): string {
    if (!this.#opened) return this.done();
    return (
      this.event('response.reasoning_summary_text.done', `${this.#at},"text":${JSON.stringify(this.said)}`) +
      this.event('response.reasoning_summary_part.done', `${this.#at},"part":${this.#part()}`) +
      this.done()
    );
  }

  item(status: ItemStatus): object {
    return reasoningItem(this.id, status, this.#opened ? this.said : undefined, this.#seal);
  }

  #part(): string {
    return JSON.stringify({ type: 'summary_text', text: this.said });
  }
}

/** An image is shown when it is finished. */
class ImageEvents extends Events {
  constructor(context: ItemContext) {
    super(context, 'ig_');
  }

  open(): string {
    return this.added();
  }

  add(delta: string): string {
    this.said += delta;
    return '';
  }

  close(): string {
    return this.done();
  }

  item(status: ItemStatus): object {
    return imageItem(this.id, status, this.said);
  }
}
