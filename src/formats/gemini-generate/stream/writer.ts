/** Writes neutral stream events as the content-generation format's server-sent events. */

import { errorOf } from '../../../conversation/failure.ts';
import { isObject } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Citation, Loss, Part, Seal, TokenLogprob } from '../../../conversation/parts.ts';
import { PartOrder } from '../../../conversation/repair/part-order.ts';
import { writeSeal } from '../../../conversation/seals/seal.ts';
import type { Finish, PartOpening, StreamEvent } from '../../../conversation/text-reply.ts';
import { laterUsage, type Usage, unknownUsage } from '../../../conversation/usage.ts';
import type { ReplyContext, StreamWriter } from '../../codec.ts';
import { isCarried, type SealedThought, writeThoughts } from '../carried-thoughts.ts';
import { errorEvent } from '../errors.ts';
import type { CitedText } from '../grounding.ts';
import { writeLogprobs } from '../logprobs.ts';
import { KeptFields } from '../reply-fields.ts';
import { finishWord, formatName, writeThinkingSeal } from '../wire.ts';
import { parsedArguments, writeMedia } from '../write/parts.ts';
import { reportFinish, usageOf, writtenCitations } from '../write/reply.ts';

interface OpenPart {
  readonly opening: PartOpening;
  /** Arguments or bytes so far. */
  text: string;
  /** Where its text begins in all text of the candidate. */
  readonly start: number;
  seal: Seal | undefined;
  citations: Citation[] | undefined;
}

interface OpenCandidate {
  /** All of its text so far: its chunks make one text for the client, and sources are counted in its bytes. */
  said: string;
  readonly parts: Map<number, OpenPart>;
  readonly cited: CitedText[];
  /** Sealed thinking that no call carries yet. */
  thoughts: SealedThought[];
  /** The signature of thinking, held until the next part: a call carries it, before any other part it is written. */
  held: string;
  finish: Finish | undefined;
}

/** A candidate without a finish, for an unknown reason. */
const unfinished: Finish = { reason: 'other' };

type CallOpening = Extract<PartOpening, { type: 'tool-call' }>;
type EventOf<Type extends StreamEvent['type']> = Extract<StreamEvent, { type: Type }>;

export function streamWriter(context: ReplyContext): StreamWriter {
  return new ChunkWriter(context);
}

/** Chunks carry no part numbers: the order in which parts are written is their order. */
function laneOf(): string {
  return 'parts';
}

class ChunkWriter implements StreamWriter {
  readonly #context: ReplyContext;
  readonly #losses = new LossList();
  readonly #order = new PartOrder(laneOf);
  readonly #candidates = new Map<number, OpenCandidate>();
  /** What every chunk of one reply ends with, printed once: thousands of chunks share it. */
  #tail = '}\n\n';
  #usage: Usage = unknownUsage;
  #serviceTier: string | undefined;
  #kept = new KeptFields();

  constructor(context: ReplyContext) {
    this.#context = context;
  }

  get losses(): readonly Loss[] {
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
      case 'text-delta':
        return this.#writeText(event);
      case 'thinking-delta':
        this.#part(event).text += event.text;
        return this.#chunk(event.candidate, `{"text":${JSON.stringify(event.text)},"thought":true}`);
      case 'tool-input-delta':
        this.#part(event).text += event.text;
        return '';
      case 'media-delta':
        this.#part(event).text += event.data;
        return '';
      case 'part-start':
        return this.#startPart(event);
      case 'citation': {
        const part = this.#part(event);
        part.citations ??= [];
        part.citations.push(event.citation);
        return '';
      }
      case 'seal':
        this.#part(event).seal = event.seal;
        return '';
      case 'part-end':
        return this.#endPart(event);
      case 'candidate-end':
        this.#candidate(event.candidate).finish = event.finish;
        return this.#sayWaiting(this.#candidate(event.candidate));
      case 'usage':
        this.#usage = laterUsage(this.#usage, event.usage);
        return '';
      case 'reply-start':
        this.#start(event);
        return '';
      case 'reply-end':
        return this.#end();
      case 'native':
        return this.#writeNative(event);
      case 'failure':
        return errorEvent(errorOf(event));
    }
  }

  #start({ id, model, serviceTier, extras }: EventOf<'reply-start'>): void {
    const responseId = id === '' ? this.#context.newId('') : id;
    this.#tail = `,"modelVersion":${JSON.stringify(model)},"responseId":${JSON.stringify(responseId)}}\n\n`;
    this.#serviceTier = serviceTier;
    this.#losses.addForeign(extras, formatName);
    this.#kept = new KeptFields(extras);
  }

  #candidate(index: number): OpenCandidate {
    let candidate = this.#candidates.get(index);
    if (candidate === undefined) {
      candidate = { said: '', parts: new Map(), cited: [], thoughts: [], held: '', finish: undefined };
      this.#candidates.set(index, candidate);
    }
    return candidate;
  }

  #part({ candidate, part }: { readonly candidate: number; readonly part: number }): OpenPart {
    const { parts } = this.#candidate(candidate);
    let open = parts.get(part);
    if (open === undefined) {
      open = { opening: { type: 'text' }, text: '', start: 0, seal: undefined, citations: undefined };
      parts.set(part, open);
    }
    return open;
  }

  #startPart({ candidate: index, part, opening }: EventOf<'part-start'>): string {
    const candidate = this.#candidate(index);
    candidate.parts.set(part, {
      opening,
      text: '',
      start: candidate.said.length,
      seal: undefined,
      citations: undefined,
    });
    return opening.type === 'tool-call' ? '' : this.#sayWaiting(candidate);
  }

  #sayWaiting(candidate: OpenCandidate): string {
    const { held } = candidate;
    candidate.held = '';
    return held;
  }

  #chunk(index: number, part: string, beside = ''): string {
    return `data: {"candidates":[{"content":{"parts":[${part}],"role":"model"},"index":${index}${beside}}]${this.#tail}`;
  }

  #writeText(event: EventOf<'text-delta'>): string {
    this.#candidate(event.candidate).said += event.text;
    return this.#chunk(event.candidate, `{"text":${JSON.stringify(event.text)}}`, likely(event.logprobs));
  }

  /** Calls and media are written whole; a signature is on the last piece of its part. */
  #endPart(event: EventOf<'part-end'>): string {
    const candidate = this.#candidate(event.candidate);
    const part = candidate.parts.get(event.part);
    candidate.parts.delete(event.part);
    if (part === undefined) return '';
    const { opening, text, seal, citations } = part;
    switch (opening.type) {
      case 'text':
        // An empty text is not shown, so a citation has no text to refer to.
        if (citations !== undefined && candidate.said.length > part.start) {
          candidate.cited.push(citedFrom(candidate, part, citations));
        }
        if (seal === undefined) return '';
        return this.#chunk(event.candidate, `{"text":"","thoughtSignature":${JSON.stringify(writeSeal(seal))}}`);
      case 'thinking': {
        if (seal === undefined) return '';
        const redacted = opening.redacted === true;
        const signature = JSON.stringify(writeThinkingSeal(seal, redacted));
        const said = this.#chunk(event.candidate, `{"text":"","thought":true,"thoughtSignature":${signature}}`);
        const thought: Part = { type: 'thinking', text, ...(redacted && { redacted }), seal };
        if (!isCarried(thought)) return said;
        candidate.thoughts.push(thought);
        candidate.held = said;
        return '';
      }
      case 'refusal':
        this.#losses.add('refusal', 'is written as plain text');
        return '';
      case 'tool-call':
        return this.#endCall(event.candidate, opening, text, seal);
      case 'media': {
        const { source = { kind: 'base64', data: text } as const, filename } = opening;
        const media = writeMedia(
          {
            type: 'media',
            media: opening.media,
            source,
            ...(opening.mediaType !== '' && { mediaType: opening.mediaType }),
            ...(filename !== undefined && { filename }),
          },
          'reply',
          this.#losses,
        );
        return media === undefined ? '' : this.#chunk(event.candidate, JSON.stringify(media));
      }
    }
  }

  /** The first call after sealed thinking carries it, unless it has a signature of its own. */
  #endCall(index: number, opening: CallOpening, text: string, seal: Seal | undefined): string {
    const candidate = this.#candidate(index);
    if (seal !== undefined) {
      return this.#sayWaiting(candidate) + this.#chunk(index, this.#call(opening, text, writeSeal(seal)));
    }
    const signature = writeThoughts(candidate.thoughts);
    candidate.thoughts = [];
    candidate.held = '';
    return this.#chunk(index, this.#call(opening, text, signature));
  }

  #call({ id, name }: CallOpening, text: string, signed: string | undefined): string {
    const args = parsedArguments({ name, arguments: text }, 'reply', this.#losses);
    const call = `{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"args":${JSON.stringify(args)}}`;
    const signature = signed === undefined ? '' : `,"thoughtSignature":${JSON.stringify(signed)}`;
    return `{"functionCall":${call}${signature}}`;
  }

  #writeNative(event: EventOf<'native'>): string {
    const { format, value, candidate, part } = event;
    if (format !== formatName || !isObject(value)) {
      if (part === undefined) this.#losses.addBeside(event, formatName);
      else this.#losses.add('reply part', `is supported by ${format} only`);
      return '';
    }
    if (candidate !== undefined && part !== undefined) return this.#chunk(candidate, JSON.stringify(value));
    if (candidate !== undefined) Object.assign(this.#kept.candidate(candidate), value);
    else for (const [name, field] of Object.entries(value)) this.#kept.add(name, field);
    return '';
  }

  /** Finish and usage are in the same, last chunk: clients expect them together. */
  #end(): string {
    const candidates = [...this.#candidates].map(([index, { finish = unfinished, cited }]) => {
      reportFinish(finish, this.#losses);
      const fields = this.#kept.candidate(index);
      return {
        content: { parts: [{ text: '' }], role: 'model' },
        finishReason: finishWord(finish),
        index,
        ...writtenCitations(cited, fields, this.#losses),
        ...fields,
      };
    });
    const usageMetadata = usageOf(this.#usage, this.#serviceTier, this.#kept, this.#losses);
    const last = { candidates, ...this.#kept.reply, ...(usageMetadata !== undefined && { usageMetadata }) };
    return `data: ${JSON.stringify(last).slice(0, -1)}${this.#tail}`;
  }
}

/** The citations of one part, counted from the beginning of the whole text. */
function citedFrom({ said }: OpenCandidate, { start: base }: OpenPart, citations: readonly Citation[]): CitedText {
  const moved = citations.map((citation) => ({
    ...citation,
    start: base + (citation.start ?? 0),
    end: citation.end === undefined ? said.length : base + citation.end,
  }));
  return { part: 0, text: said, citations: moved };
}

function likely(logprobs: readonly TokenLogprob[] | undefined): string {
  return logprobs === undefined ? '' : `,"logprobsResult":${JSON.stringify(writeLogprobs(logprobs))}`;
}
