/** Writes neutral stream events as the events of Cohere's chat format. */

import { LossList } from '../../conversation/loss-list.ts';
import type { Citation, TokenLogprob } from '../../conversation/parts.ts';
import { PartOrder } from '../../conversation/repair/part-order.ts';
import type { Finish, PartOpening, StreamEvent } from '../../conversation/text-reply.ts';
import { laterUsage, type Usage, unknownUsage } from '../../conversation/usage.ts';
import type { ReplyContext, StreamWriter } from '../codec.ts';
import { finishWord, formatName, writeCitation, writeUsage } from './wire.ts';
import { writeLogprob } from './write-reply.ts';

interface OpenPart {
  readonly opening: PartOpening;
  /** Its number among the contents or among the calls. */
  readonly index: number;
  text: string;
  /** A citation of words that are not all written yet, and those that came after it. */
  citations: Citation[] | undefined;
}

class CohereStreamWriter implements StreamWriter {
  readonly #losses = new LossList();
  readonly #context: ReplyContext;
  readonly #parts = new Map<number, OpenPart>();
  readonly #order = new PartOrder(laneOf);
  #contents = 0;
  #calls = 0;
  #citations = 0;
  #finish: Finish = { reason: 'other' };
  #usage: Usage = unknownUsage;

  constructor(context: ReplyContext) {
    this.#context = context;
  }

  get losses() {
    return this.#losses.all;
  }

  write(event: StreamEvent): string {
    const events = this.#order.arrange(event);
    if (events === undefined) return this.#write(event);
    let text = '';
    for (const one of events) text += this.#write(one);
    return text;
  }

  #write(event: StreamEvent): string {
    if ('candidate' in event && event.candidate !== undefined && event.candidate > 0) {
      this.#losses.addOnce('further candidates', 'a reply of the format holds one');
      return '';
    }
    switch (event.type) {
      case 'reply-start':
        return this.#start(event);
      case 'part-start':
        return this.#open(event.part, event.opening);
      case 'text-delta':
        return this.#addText(event.part, event.text, event.logprobs);
      case 'thinking-delta': {
        const open = this.#parts.get(event.part);
        if (open === undefined || isHidden(open.opening)) return '';
        return said('content-delta', open.index, `{"content":{"thinking":${quoted(event.text)}}}`);
      }
      case 'tool-input-delta': {
        const open = this.#parts.get(event.part);
        if (open === undefined) return '';
        const call = `{"tool_calls":{"function":{"arguments":${quoted(event.text)}}}}`;
        return said('tool-call-delta', open.index, call);
      }
      case 'citation':
        return this.#cite(event);
      case 'seal':
        if (this.#parts.get(event.part)?.opening.type === 'text') {
          this.#losses.addOnce('signature of a text', 'the format has no field for it');
        }
        return '';
      case 'part-end':
        return this.#close(event.part);
      case 'candidate-end':
        this.#finish = event.finish;
        return '';
      case 'usage':
        this.#usage = laterUsage(this.#usage, event.usage);
        return '';
      case 'reply-end':
        return this.#end();
      case 'failure':
        return failureEvent(event.message);
      case 'native':
        return this.#native(event);
      case 'media-delta':
        return '';
    }
  }

  #start(start: StreamEvent & { readonly type: 'reply-start' }): string {
    if (start.serviceTier !== undefined) this.#losses.add('service tier', 'the format has no field for it');
    this.#losses.addForeign(start.extras, formatName);
    const began = {
      id: start.id === '' ? this.#context.newId('') : start.id,
      type: 'message-start',
      delta: { message: { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] } },
      ...(start.extras?.format === formatName ? start.extras.fields : {}),
    };
    return `event: message-start\ndata: ${JSON.stringify(began)}\n\n`;
  }

  #open(part: number, opening: PartOpening): string {
    const isCall = opening.type === 'tool-call';
    if (opening.type === 'media') {
      this.#losses.add(opening.media, 'has no place in a reply');
      return '';
    }
    if (opening.type === 'refusal') this.#losses.addOnce('refusal', 'is written as text');
    const isShown = !isHidden(opening);
    const index = isCall ? this.#calls++ : isShown ? this.#contents++ : this.#contents;
    this.#parts.set(part, { opening, index, text: '', citations: undefined });
    if (isCall) {
      const call = { id: opening.id, type: 'function', function: { name: opening.name, arguments: '' } };
      return said('tool-call-start', index, `{"tool_calls":${JSON.stringify(call)}}`);
    }
    if (!isShown) return '';
    const content = opening.type === 'thinking' ? '{"type":"thinking","thinking":""}' : '{"type":"text","text":""}';
    return said('content-start', index, `{"content":${content}}`);
  }

  /** An event carries the logprob of one token. */
  #addText(part: number, text: string, logprobs: readonly TokenLogprob[] | undefined): string {
    const open = this.#parts.get(part);
    if (open === undefined) return '';
    open.text += text;
    if (logprobs === undefined || logprobs.length === 0) return said('content-delta', open.index, contentOf(text));
    const isSplit = logprobs.map(({ token }) => token).join('') === text;
    return logprobs
      .map((token, place) => {
        const piece = isSplit ? token.token : place === 0 ? text : '';
        const tail = `,"logprobs":${JSON.stringify(writeLogprob(token, this.#losses))}`;
        return said('content-delta', open.index, contentOf(piece), tail);
      })
      .join('');
  }

  #close(part: number): string {
    const open = this.#parts.get(part);
    if (open === undefined || isHidden(open.opening)) return '';
    const type = open.opening.type === 'tool-call' ? 'tool-call-end' : 'content-end';
    const citations = (open.citations ?? []).map((citation) => this.#citation(open, citation)).join('');
    return `${citations}event: ${type}\ndata: {"type":"${type}","index":${open.index}}\n\n`;
  }

  #cite({ part, citation }: StreamEvent & { readonly type: 'citation' }): string {
    const open = this.#parts.get(part);
    if (open === undefined) return '';
    const isWritten = citation.end !== undefined && citation.end <= open.text.length;
    if (isWritten && open.citations === undefined) return this.#citation(open, citation);
    open.citations ??= [];
    open.citations.push(citation);
    return '';
  }

  #citation(open: OpenPart, citation: Citation): string {
    const index = this.#citations++;
    const written = JSON.stringify(writeCitation(citation, open.index, open.text));
    const end = `event: citation-end\ndata: {"type":"citation-end","index":${index}}\n\n`;
    return said('citation-start', index, `{"citations":${written}}`) + end;
  }

  #native(event: StreamEvent & { readonly type: 'native' }): string {
    if (event.part !== undefined) this.#losses.add(`${event.format} part`, 'is supported by its own format only');
    else if (event.format !== formatName) this.#losses.addBeside(event, formatName);
    else return `data: ${JSON.stringify(event.value)}\n\n`;
    return '';
  }

  #end(): string {
    const usage = writeUsage(this.#usage);
    const delta = { finish_reason: finishWord(this.#finish, this.#losses), ...(usage !== undefined && { usage }) };
    return `event: message-end\ndata: {"type":"message-end","delta":${JSON.stringify(delta)}}\n\ndata: [DONE]\n\n`;
  }
}

function contentOf(text: string): string {
  return `{"content":{"text":${quoted(text)}}}`;
}

/** The official library treats every event that contains its marker, at any place, as the end of the stream. */
function quoted(text: string): string {
  const json = JSON.stringify(text);
  return json.includes('[DONE]') ? json.replaceAll('[DONE]', '[DONE\\u005d') : json;
}

function said(type: string, index: number, message: string, tail = ''): string {
  return `event: ${type}\ndata: {"type":"${type}","index":${index},"delta":{"message":${message}}${tail}}\n\n`;
}

/** The last event of a stream that broke, in the format's own words; no `[DONE]` follows. */
export function failureEvent(message: string): string {
  const delta = { finish_reason: 'ERROR', error: message };
  return `event: message-end\ndata: {"type":"message-end","delta":${JSON.stringify(delta)}}\n\n`;
}

function isHidden(opening: PartOpening): boolean {
  return opening.type === 'thinking' && opening.redacted === true;
}

/** Contents have numbers and could run side by side, but clients show them in the order in which they come. */
function laneOf(opening: PartOpening | undefined): string | undefined {
  return opening === undefined || opening.type === 'media' ? undefined : 'said';
}

export function streamWriter(context: ReplyContext): StreamWriter {
  return new CohereStreamWriter(context);
}
