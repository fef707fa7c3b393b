/** Reads the stream of Cohere's chat format into neutral events. */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { PartOpening, StreamEvent } from '../../conversation/text-reply.ts';
import type { ReadContext, StreamReader } from '../codec.ts';
import { extrasOf, readLogprobs, readStart } from './read-reply.ts';
import { formatName, readCitation, readFinish, readUsage } from './wire.ts';

const nothing: readonly StreamEvent[] = Object.freeze([]);
const candidate = 0;

class CohereStreamReader implements StreamReader {
  readonly #losses = new LossList();
  readonly #context: ReadContext;
  /** The numbers of open and closed parts by what the wire calls them. */
  readonly #parts = new Map<string, number>();
  readonly #open = new Set<number>();
  readonly #silent = new Set<number>();
  readonly #texts = new Set<number>();
  #made = 0;
  #started = false;
  #ended = false;

  constructor(context: ReadContext) {
    this.#context = context;
  }

  get losses() {
    return this.#losses.all;
  }

  read(data: string): readonly StreamEvent[] {
    if (this.#ended || data === '[DONE]') return nothing;
    const tree: unknown = JSON.parse(data);
    if (!isObject(tree) || typeof tree.type !== 'string')
      throw new SyntaxError('An event of a chat stream has a type.');
    const events: StreamEvent[] = [];
    if (!this.#started) {
      this.#started = true;
      const isStart = tree.type === 'message-start';
      events.push({ type: 'reply-start', ...readStart(tree, this.#context), ...(isStart && extrasOf(tree)) });
    }
    this.#readEvent(tree, events);
    return events;
  }

  end(): readonly StreamEvent[] {
    return nothing;
  }

  #readEvent(tree: Tree, events: StreamEvent[]): void {
    const delta = isObject(tree.delta) ? tree.delta : {};
    const message = isObject(delta.message) ? delta.message : {};
    switch (tree.type) {
      case 'message-start':
      case 'citation-end':
        break;
      case 'content-start':
      case 'content-delta':
        this.#content(tree, message.content, events);
        break;
      case 'tool-plan-delta':
        if (typeof message.tool_plan === 'string') this.#text('plan', message.tool_plan, events);
        break;
      case 'tool-call-start':
      case 'tool-call-delta':
        this.#call(tree, message.tool_calls, events);
        break;
      case 'content-end':
        this.#close(this.#parts.get(`content ${String(tree.index)}`), events);
        break;
      case 'tool-call-end':
        this.#close(this.#parts.get(`call ${String(tree.index)}`), events);
        break;
      case 'citation-start':
        this.#cite(message.citations, events);
        break;
      case 'message-end':
        this.#finish(delta, events);
        break;
      default:
        events.push({ type: 'native', format: formatName, value: tree });
    }
  }

  /** The part that the wire calls so, opened if it is new. */
  #partOf(name: string, opening: PartOpening, events: StreamEvent[]): number {
    const known = this.#parts.get(name);
    if (known !== undefined) return known;
    // A plan ends where the next part begins; the wire has no event for it.
    const plan = this.#parts.get('plan');
    if (plan !== undefined) this.#close(plan, events);
    const part = this.#made++;
    this.#parts.set(name, part);
    this.#open.add(part);
    if (opening.type === 'text') this.#texts.add(part);
    events.push({ type: 'part-start', candidate, part, opening });
    return part;
  }

  #text(name: string, text: string, events: StreamEvent[], logprobs: unknown = undefined): void {
    const part = this.#partOf(name, { type: 'text' }, events);
    const tokens = logprobs === undefined ? [] : readLogprobs(logprobs, this.#losses);
    if (text === '' && tokens.length === 0) return;
    events.push({ type: 'text-delta', candidate, part, text, ...(tokens.length > 0 && { logprobs: tokens }) });
  }

  #content(tree: Tree, content: unknown, events: StreamEvent[]): void {
    if (!isObject(content)) return;
    const name = `content ${String(tree.index)}`;
    if (content.type === 'thinking' || typeof content.thinking === 'string') {
      const part = this.#partOf(name, { type: 'thinking' }, events);
      const text = typeof content.thinking === 'string' ? content.thinking : '';
      if (text !== '') events.push({ type: 'thinking-delta', candidate, part, text });
      return;
    }
    if (content.type === undefined || content.type === 'text') {
      this.#text(name, typeof content.text === 'string' ? content.text : '', events, tree.logprobs ?? undefined);
    } else this.#losses.addOnce(`${String(content.type)} content`, 'is an unknown part');
  }

  #call(tree: Tree, call: unknown, events: StreamEvent[]): void {
    if (!isObject(call)) return;
    const called = isObject(call.function) ? call.function : {};
    const id = typeof call.id === 'string' && call.id !== '' ? call.id : this.#context.newId('call_');
    const name = typeof called.name === 'string' ? called.name : '';
    const part = this.#partOf(`call ${String(tree.index)}`, { type: 'tool-call', id, name }, events);
    if (tree.type === 'tool-call-start') this.#silent.add(part);
    if (typeof called.arguments !== 'string' || called.arguments === '') return;
    this.#silent.delete(part);
    events.push({ type: 'tool-input-delta', candidate, part, text: called.arguments });
  }

  #close(part: number | undefined, events: StreamEvent[]): void {
    if (part === undefined || !this.#open.delete(part)) return;
    // A tool without arguments is called with none at all.
    if (this.#silent.delete(part)) events.push({ type: 'tool-input-delta', candidate, part, text: '{}' });
    events.push({ type: 'part-end', candidate, part });
  }

  #cite(value: unknown, events: StreamEvent[]): void {
    for (const entry of Array.isArray(value) ? value : [value]) {
      const citation = readCitation(entry);
      if (citation === undefined) continue;
      const named: unknown = isObject(entry) ? entry.content_index : undefined;
      const part = this.#parts.get(`content ${String(named ?? 0)}`);
      const isOpen = part !== undefined && this.#open.has(part);
      if (isOpen && this.#texts.has(part)) events.push({ type: 'citation', candidate, part, citation });
      else this.#losses.addOnce('citation', isOpen ? 'is not about a text' : 'came after the text that it is about');
    }
  }

  #finish(delta: Tree, events: StreamEvent[]): void {
    this.#ended = true;
    if (delta.finish_reason === 'ERROR' && typeof delta.error === 'string' && delta.error !== '') {
      events.push({ type: 'failure', code: 'upstream_failed', message: delta.error });
      return;
    }
    for (const part of [...this.#open]) this.#close(part, events);
    events.push({ type: 'candidate-end', candidate, finish: readFinish(delta.finish_reason) });
    const usage = readUsage(delta.usage);
    if (usage !== undefined) events.push({ type: 'usage', usage });
    events.push({ type: 'reply-end' });
  }
}

export function streamReader(context: ReadContext): StreamReader {
  return new CohereStreamReader(context);
}
