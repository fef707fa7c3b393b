/** The output items of a stream that is being read: the neutral part of each, and how much of it has been emitted. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import type { Citation, Origin, TokenLogprob } from '../../../conversation/parts.ts';
import type { PartOpening, StreamEvent } from '../../../conversation/text-reply.ts';
import type { ReadContext } from '../../codec.ts';
import { reportUnread } from '../../fields/unread-fields.ts';
import { items } from '../fields.ts';
import { readCall } from '../read/input.ts';
import { providerSeal } from '../read/reply.ts';
import { type NameFinder, nameFinder } from '../read/tools.ts';
import { formatName, list, readAnnotation, readLogprobs, text, thinkingText } from '../wire.ts';

/** One neutral part. */
interface OpenPart {
  readonly number: number;
  /** The text emitted so far: of what comes whole at the end, only the rest is emitted. */
  said: string;
  citations: number;
  closed: boolean;
}

interface OpenItem {
  readonly type: unknown;
  readonly id: unknown;
  /** A message has a part for each of its contents, anything else one. */
  readonly parts: Map<number, OpenPart>;
  closed: boolean;
  /** The place of the last text in a reasoning item. */
  segment: 'summary' | 'content' | undefined;
  segmentIndex: number;
}

function isCall(type: unknown): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

export class OpenItems {
  calls = false;
  refused = false;
  readonly #origin: Origin;
  readonly #nameOf: NameFinder;
  readonly #losses: LossList;
  readonly #items = new Map<number, OpenItem>();
  #parts = 0;
  /** The item of the last part, where that part is a text. */
  #textItem: OpenItem | undefined;
  #events: StreamEvent[] = [];

  constructor({ origin, tools }: Pick<ReadContext, 'origin' | 'tools'>, losses: LossList) {
    this.#origin = origin;
    this.#nameOf = nameFinder(tools);
    this.#losses = losses;
  }

  push(event: StreamEvent): void {
    this.#events.push(event);
  }

  take(): readonly StreamEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /**
   * Has this item been read to its end? Items are identified by their place, or by their id where places were skipped.
   */
  knows(index: number, item: Tree): boolean {
    const placed = this.#items.get(index);
    if (placed !== undefined && placed.type === item['type']) return placed.closed;
    for (const open of this.#items.values())
      if (open.closed && open.id !== undefined && open.id === item['id']) return true;
    return false;
  }

  open(index: number, item: Tree): void {
    const open = this.#item(index, item['type'], item['id']);
    if (!isCall(item['type']) || open.parts.size > 0) return;
    const call = readCall(item, `output[${index}]`, this.#losses, this.#nameOf);
    const { id, name, freeform } = call;
    this.calls = true;
    this.#openPart(open, 0, { type: 'tool-call', id, name, ...(freeform === true && { freeform }) });
  }

  openContent(index: number, content: number, part: Tree): void {
    if (part['type'] === 'reasoning_text') this.openThinking(index);
    else if (part['type'] === 'output_text') this.#said(index, content, 'text');
    else if (part['type'] === 'refusal') this.#said(index, content, 'refusal');
  }

  addText(
    index: number,
    content: number,
    type: 'text' | 'refusal',
    delta: string,
    logprobs: readonly TokenLogprob[] | undefined,
  ): void {
    const part = this.#said(index, content, type);
    if (part.closed) return;
    part.said += delta;
    this.#events.push(
      logprobs === undefined
        ? { type: 'text-delta', candidate: 0, part: part.number, text: delta }
        : { type: 'text-delta', candidate: 0, part: part.number, text: delta, logprobs },
    );
  }

  addCitation(index: number, content: number, citation: Citation): void {
    const part = this.#said(index, content, 'text');
    part.citations += 1;
    if (part.closed) return;
    this.#events.push({ type: 'citation', candidate: 0, part: part.number, citation });
  }

  closeContent(index: number, content: number, part: Tree): void {
    if (part['type'] !== 'output_text' && part['type'] !== 'refusal') return;
    const type = part['type'] === 'refusal' ? 'refusal' : 'text';
    const open = this.#said(index, content, type);
    if (open.closed) return;
    const rest = this.#restOf(text(part[type]) ?? '', open, type);
    if (rest !== '') {
      const fresh = open.said === '' ? readLogprobs(part['logprobs']) : undefined;
      this.addText(index, content, type, rest, fresh);
    }
    const annotations = list(part['annotations']);
    while (open.citations < annotations.length) {
      const citation = readAnnotation(annotations[open.citations]);
      if (citation === undefined) open.citations += 1;
      else this.addCitation(index, content, citation);
    }
    this.#closePart(open);
  }

  addArguments(index: number, delta: string): void {
    const part = this.#items.get(index)?.parts.get(0);
    if (part === undefined || part.closed || delta === '') return;
    part.said += delta;
    this.#events.push({ type: 'tool-input-delta', candidate: 0, part: part.number, text: delta });
  }

  completeArguments(index: number, whole: string): void {
    const part = this.#items.get(index)?.parts.get(0);
    if (part !== undefined && !part.closed) this.addArguments(index, this.#restOf(whole, part, 'arguments'));
  }

  /** What was streamed cannot be taken back: a different final text is dropped. */
  #restOf(whole: string, { said }: OpenPart, kind: string): string {
    if (whole.startsWith(said)) return whole.slice(said.length);
    if (whole !== '') this.#losses.addOnce(`final ${kind}`, 'differs from what was streamed before it');
    return '';
  }

  openThinking(index: number, redacted = false): OpenPart {
    const item = this.#item(index, 'reasoning', undefined);
    return (
      item.parts.get(0) ?? this.#openPart(item, 0, redacted ? { type: 'thinking', redacted } : { type: 'thinking' })
    );
  }

  /** The parts of a summary are paragraphs of one text. */
  addThinking(index: number, segment: 'summary' | 'content', segmentIndex: number, delta: string): void {
    const part = this.openThinking(index);
    const item = this.#item(index, 'reasoning', undefined);
    const breaks = item.segment !== undefined && (item.segment !== segment || item.segmentIndex !== segmentIndex);
    item.segment = segment;
    item.segmentIndex = segmentIndex;
    this.#think(part, breaks ? `\n\n${delta}` : delta);
  }

  /** The final item: emits what no event before has carried. */
  close(index: number, item: Tree): void {
    this.open(index, item);
    const open = this.#item(index, item['type'], item['id']);
    if (open.closed) return;
    open.closed = true;
    reportUnread(item, items, this.#losses, ['output', index]);
    switch (item['type']) {
      case 'message':
        list(item['content']).forEach((part, content) => {
          if (isObject(part)) this.#closeOrKeep(index, content, part);
        });
        break;
      case 'function_call':
        this.completeArguments(index, text(item['arguments']) ?? '');
        break;
      case 'custom_tool_call':
        this.completeArguments(index, text(item['input']) ?? '');
        break;
      case 'reasoning':
        this.#closeThinking(index, item, open);
        break;
      default:
        this.#pushNative(item);
    }
    for (const part of open.parts.values()) this.#closePart(part);
  }

  closeAll(): void {
    for (const item of this.#items.values()) {
      item.closed = true;
      for (const part of item.parts.values()) this.#closePart(part);
    }
  }

  #closeOrKeep(index: number, content: number, part: Tree): void {
    if (part['type'] === 'output_text' || part['type'] === 'refusal') this.closeContent(index, content, part);
    else this.#pushNative(part);
  }

  #pushNative(value: Tree): void {
    this.#textItem = undefined;
    this.#events.push({ type: 'native', format: formatName, value, candidate: 0, part: this.#parts++ });
  }

  #closeThinking(index: number, item: Tree, open: OpenItem): void {
    const seal = providerSeal(item, this.#origin);
    const whole = thinkingText(item);
    if (seal === undefined && whole === undefined && open.parts.size === 0) return;
    const part = this.openThinking(index, whole === undefined);
    if (whole !== undefined) this.#think(part, this.#restOf(whole, part, 'thinking'));
    if (seal !== undefined) this.#events.push({ type: 'seal', candidate: 0, part: part.number, seal });
  }

  #think(part: OpenPart, words: string): void {
    if (words === '' || part.closed) return;
    part.said += words;
    this.#events.push({ type: 'thinking-delta', candidate: 0, part: part.number, text: words });
  }

  #item(index: number, type: unknown, id: unknown): OpenItem {
    const known = this.#items.get(index);
    if (known !== undefined) return known;
    const item: OpenItem = { type, id, parts: new Map(), closed: false, segment: undefined, segmentIndex: 0 };
    this.#items.set(index, item);
    return item;
  }

  #said(index: number, content: number, type: 'text' | 'refusal'): OpenPart {
    const item = this.#items.get(index) ?? this.#item(index, 'message', undefined);
    const known = item.parts.get(content);
    if (known !== undefined) return known;
    if (type === 'refusal') this.refused = true;
    const follows = type === 'text' && this.#textItem !== undefined && this.#textItem !== item;
    const part = this.#openPart(item, content, follows ? { type: 'text', opensMessage: true } : { type });
    if (type === 'text') this.#textItem = item;
    return part;
  }

  #openPart(item: OpenItem, content: number, opening: PartOpening): OpenPart {
    const part: OpenPart = { number: this.#parts++, said: '', citations: 0, closed: false };
    item.parts.set(content, part);
    this.#textItem = undefined;
    this.#events.push({ type: 'part-start', candidate: 0, part: part.number, opening });
    return part;
  }

  #closePart(part: OpenPart): void {
    if (part.closed) return;
    part.closed = true;
    this.#events.push({ type: 'part-end', candidate: 0, part: part.number });
  }
}
