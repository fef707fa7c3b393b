/** Writes neutral stream events as the chat format's server-sent events. */

import { errorOf } from '../../../conversation/failure.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Citation, Seal, TokenLogprob } from '../../../conversation/parts.ts';
import { PartOrder } from '../../../conversation/repair/part-order.ts';
import type { Finish, PartOpening, StreamEvent } from '../../../conversation/text-reply.ts';
import { InputText } from '../../../conversation/tools/freeform-input.ts';
import { laterUsage, type Usage, unknownUsage } from '../../../conversation/usage.ts';
import type { ReplyContext, StreamWriter } from '../../codec.ts';
import { writeCitation } from '../citations.ts';
import { errorEvent } from '../errors.ts';
import { writeLogprobs } from '../logprobs.ts';
import {
  asksForUsage,
  finishWord,
  formatName,
  prefixedId,
  replyIdPrefix,
  reportTextSeal,
  usesLegacyFunctions,
  writeCallSeal,
  writeServiceTier,
  writeUsage,
} from '../wire.ts';
import { dataUrl } from '../write/parts.ts';

interface OpenPart {
  readonly opening: PartOpening;
  readonly toolIndex: number;
  /** Where a text begins in all of the candidate's text. */
  readonly offset: number;
  /** An image is sent whole, so its bytes are buffered here. */
  bytes: string;
  /** A citation of the whole text, whose length is known at its end, and those that came after it. */
  citations: Citation[] | undefined;
  /** The call is of a freeform tool: reads its text from arguments, or passes it on where it came as such. */
  readonly freeform: InputText | 'text' | undefined;
}

interface OpenCandidate {
  /** What each of its chunks begins with. */
  readonly head: string;
  roleSent: boolean;
  toolCalls: number;
  textLength: number;
  images: number;
  /** Which part its recording is. */
  audio: number | undefined;
  readonly parts: Map<number, OpenPart>;
}

function isWritable({ media, source }: Extract<PartOpening, { type: 'media' }>): boolean {
  if (media === 'audio') return source === undefined;
  return media === 'image' && (source === undefined || source.kind === 'url');
}

/** Each kind of text has one field, in which two parts at once would be mixed up. */
function laneOf(opening: PartOpening | undefined): string | undefined {
  const type = opening?.type;
  return type === undefined || type === 'tool-call' ? undefined : type;
}

class ChatStreamWriter implements StreamWriter {
  readonly #context: ReplyContext;
  readonly #legacy: boolean;
  readonly #asksUsage: boolean;
  readonly #losses = new LossList();
  readonly #order = new PartOrder(laneOf);
  readonly #candidates = new Map<number, OpenCandidate>();
  readonly #tail: string;
  #head = 'data: {';
  #usage: Usage = unknownUsage;

  constructor(context: ReplyContext) {
    this.#context = context;
    this.#legacy = usesLegacyFunctions(context.request);
    this.#asksUsage = asksForUsage(context.request);
    this.#tail = this.#asksUsage ? '}],"usage":null}\n\n' : '}]}\n\n';
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
    switch (event.type) {
      case 'reply-start':
        this.#head = this.#replyHead(event);
        return '';
      case 'part-start':
        return this.#openPart(event.candidate, event.part, event.opening);
      case 'text-delta':
        return this.#addText(event.candidate, event.part, event.text, event.logprobs);
      case 'thinking-delta':
        return this.#chunk(this.#at(event.candidate), `"reasoning_content":${JSON.stringify(event.text)}`);
      case 'tool-input-delta':
        return this.#addToolInput(event.candidate, event.part, event.text);
      case 'media-delta':
        return this.#addMedia(event.candidate, event.part, event.data);
      case 'citation':
        return this.#cite(event.candidate, event.part, event.citation);
      case 'seal':
        return this.#seal(event.candidate, event.part, event.seal);
      case 'part-end':
        return this.#closePart(event.candidate, event.part);
      case 'candidate-end':
        return this.#closeCandidate(event.candidate, event.finish);
      case 'usage':
        this.#usage = laterUsage(this.#usage, event.usage);
        return '';
      case 'reply-end':
        return this.#end();
      case 'failure':
        return errorEvent(errorOf(event));
      case 'native':
        return this.#native(event);
    }
  }

  /** What every chunk of one reply begins with, printed once: thousands of chunks share it. */
  #replyHead(start: StreamEvent & { readonly type: 'reply-start' }): string {
    const shared = {
      id: prefixedId(start.id, replyIdPrefix, (prefix) => this.#context.newId(prefix)),
      object: 'chat.completion.chunk',
      created: Math.floor(start.createdAtMs / 1000),
      model: start.model,
      ...writeServiceTier(start.serviceTier, this.#losses),
      ...(start.extras?.format === formatName ? start.extras.fields : {}),
    };
    this.#losses.addForeign(start.extras, formatName);
    return `data: ${JSON.stringify(shared).slice(0, -1)},"choices":[`;
  }

  #at(index: number): OpenCandidate {
    const known = this.#candidates.get(index);
    if (known !== undefined) return known;
    const head = `${this.#head}{"index":${index},"delta":{`;
    const open: OpenCandidate = {
      head,
      roleSent: false,
      toolCalls: 0,
      textLength: 0,
      images: 0,
      audio: undefined,
      parts: new Map(),
    };
    this.#candidates.set(index, open);
    return open;
  }

  /** `members` are the delta's; the role is sent in the first delta of each choice, whatever else that carries. */
  #chunk(open: OpenCandidate, members: string, logprobs = 'null', finish = 'null'): string {
    let said = members;
    if (!open.roleSent) {
      open.roleSent = true;
      const content = members.startsWith('"content":') ? '' : '"content":null,';
      said = `"role":"assistant",${content}${members}`;
      if (said.endsWith(',')) said = said.slice(0, -1);
    }
    return `${open.head}${said}},"logprobs":${logprobs},"finish_reason":${finish}${this.#tail}`;
  }

  #openPart(index: number, part: number, opening: PartOpening): string {
    const open = this.#at(index);
    const freeform = this.#freeformOf(opening);
    open.parts.set(part, {
      opening,
      toolIndex: open.toolCalls,
      offset: open.textLength,
      bytes: '',
      citations: undefined,
      freeform,
    });
    if (opening.type === 'tool-call') return this.#openCall(open, opening.id, opening.name, freeform !== undefined);
    if (opening.type === 'media' && !this.#takes(open, part, opening)) {
      this.#losses.add(opening.media, 'has no place in a reply');
    }
    if (open.roleSent) return '';
    return this.#chunk(open, opening.type === 'text' ? '"content":"","refusal":null' : '');
  }

  /** A message has one recording. */
  #takes(open: OpenCandidate, part: number, opening: Extract<PartOpening, { type: 'media' }>): boolean {
    if (!isWritable(opening)) return false;
    if (opening.media === 'audio') open.audio ??= part;
    return opening.media !== 'audio' || open.audio === part;
  }

  #freeformOf(opening: PartOpening): OpenPart['freeform'] {
    if (opening.type !== 'tool-call') return undefined;
    if (opening.freeform === true) return 'text';
    return this.#context.tools?.get(opening.name)?.freeform === undefined ? undefined : new InputText();
  }

  #openCall(open: OpenCandidate, id: string, name: string, isFreeform: boolean): string {
    const index = open.toolCalls++;
    if (isFreeform) {
      const call = { index, id, type: 'custom', custom: { name, input: '' } };
      return this.#chunk(open, `"tool_calls":[${JSON.stringify(call)}]`);
    }
    const called = `{"name":${JSON.stringify(name)},"arguments":""}`;
    if (!this.#legacy) {
      const call = `{"index":${index},"id":${JSON.stringify(id)},"type":"function","function":${called}}`;
      return this.#chunk(open, `"tool_calls":[${call}]`);
    }
    if (index === 0) return this.#chunk(open, `"function_call":${called}`);
    this.#losses.addOnce('further calls', 'the dialect of functions supports one call');
    return '';
  }

  #addText(index: number, part: number, text: string, logprobs: readonly TokenLogprob[] | undefined): string {
    const open = this.#at(index);
    const said = JSON.stringify(text);
    if (open.parts.get(part)?.opening.type === 'refusal') return this.#chunk(open, `"refusal":${said}`);
    open.textLength += text.length;
    if (logprobs === undefined) return this.#chunk(open, `"content":${said}`);
    return this.#chunk(open, `"content":${said}`, JSON.stringify(writeLogprobs(logprobs)));
  }

  #addToolInput(index: number, part: number, text: string): string {
    const open = this.#at(index);
    const held = open.parts.get(part);
    if (held?.freeform !== undefined) {
      return this.#addInput(open, held, held.freeform === 'text' ? text : held.freeform.add(text));
    }
    const toolIndex = held?.toolIndex ?? 0;
    const said = `{"arguments":${JSON.stringify(text)}}`;
    if (!this.#legacy) return this.#chunk(open, `"tool_calls":[{"index":${toolIndex},"function":${said}}]`);
    return toolIndex === 0 ? this.#chunk(open, `"function_call":${said}`) : '';
  }

  #addInput(open: OpenCandidate, { toolIndex }: OpenPart, input: string): string {
    if (input === '') return '';
    return this.#chunk(open, `"tool_calls":[{"index":${toolIndex},"custom":{"input":${JSON.stringify(input)}}}]`);
  }

  #addMedia(index: number, part: number, data: string): string {
    const open = this.#at(index);
    const held = open.parts.get(part);
    if (held?.opening.type !== 'media') return '';
    if (held.opening.media === 'audio' && open.audio !== part) return '';
    if (held.opening.media === 'audio') return this.#chunk(open, `"audio":{"data":${JSON.stringify(data)}}`);
    if (held.opening.media === 'image') held.bytes += data;
    return '';
  }

  #closePart(index: number, part: number): string {
    const open = this.#at(index);
    const held = open.parts.get(part);
    if (held?.citations !== undefined) return this.#annotate(open, held, held.citations);
    if (held?.freeform instanceof InputText) return this.#addInput(open, held, held.freeform.end());
    if (held?.opening.type !== 'media' || held.opening.media !== 'image') return '';
    const { source, mediaType } = held.opening;
    const url = source?.kind === 'url' ? source.url : dataUrl(held.bytes, mediaType === '' ? 'image/png' : mediaType);
    if (source?.kind !== 'url' && held.bytes === '') return '';
    held.bytes = '';
    const image = { type: 'image_url', image_url: { url }, index: open.images++ };
    return this.#chunk(open, `"images":[${JSON.stringify(image)}]`);
  }

  /** Only a call's signature has a field; that of thinking is remembered for the client. */
  #seal(index: number, part: number, seal: Seal): string {
    const open = this.#at(index);
    const held = open.parts.get(part);
    if (held?.opening.type === 'text') reportTextSeal(this.#losses);
    if (held?.opening.type !== 'tool-call' || this.#legacy) return '';
    // Clients insist on a function in every piece of a call.
    const call = { index: held.toolIndex, function: { arguments: '' }, ...writeCallSeal(seal) };
    return this.#chunk(open, `"tool_calls":[${JSON.stringify(call)}]`);
  }

  #cite(index: number, part: number, citation: Citation): string {
    const open = this.#at(index);
    const held = open.parts.get(part);
    if (held === undefined) return '';
    if (citation.end !== undefined && held.citations === undefined) return this.#annotate(open, held, [citation]);
    held.citations ??= [];
    held.citations.push(citation);
    return '';
  }

  #annotate(open: OpenCandidate, { offset }: OpenPart, citations: readonly Citation[]): string {
    const annotations: string[] = [];
    for (const citation of citations) {
      const annotation = writeCitation(citation, offset, open.textLength - offset);
      if (annotation === undefined) this.#losses.addOnce('citation', 'the format cites URLs only');
      else annotations.push(JSON.stringify(annotation));
    }
    return annotations.length === 0 ? '' : this.#chunk(open, `"annotations":[${annotations.join(',')}]`);
  }

  #closeCandidate(index: number, finish: Finish): string {
    const open = this.#at(index);
    const word = finishWord(finish, this.#legacy, this.#losses);
    return this.#chunk(open, open.roleSent ? '' : '"content":""', 'null', `"${word}"`);
  }

  #native(event: StreamEvent & { readonly type: 'native' }): string {
    const { format, value, candidate } = event;
    if (format === formatName && candidate === undefined) return `data: ${JSON.stringify(value)}\n\n`;
    if (event.part === undefined) this.#losses.addBeside(event, formatName);
    else this.#losses.add(`${format} part`, 'is supported by its own format only');
    return '';
  }

  #end(): string {
    const said = this.#asksUsage ? writeUsage(this.#usage) : undefined;
    const usageChunk = said === undefined ? '' : `${this.#head}],"usage":${JSON.stringify(said)}}\n\n`;
    return `${usageChunk}data: [DONE]\n\n`;
  }
}

export function streamWriter(context: ReplyContext): StreamWriter {
  return new ChatStreamWriter(context);
}
