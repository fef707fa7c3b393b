/** Folds events into a whole reply, so that a client that does not stream can use a provider that does. */

import type { Failure } from '../failure.ts';
import type { Citation, MediaPart, NativePart, Part, Seal, TokenLogprob } from '../parts.ts';
import type { Candidate, Finish, PartOpening, StreamEvent, TextReply } from '../text-reply.ts';
import { laterUsage, type Usage, unknownUsage } from '../usage.ts';

/** A part whose pieces are still coming. */
interface Draft {
  readonly opening: PartOpening;
  /** Text, thoughts, arguments, or bytes as base64. */
  text: string;
  /** Base64 texts that were complete in themselves and came before `text`. */
  readonly units: string[];
  citations: Citation[] | undefined;
  logprobs: TokenLogprob[] | undefined;
  seal: Seal | undefined;
}

interface CandidateDraft {
  readonly parts: Map<number, { draft: Draft } | { whole: Part }>;
  finish: Finish;
}

/** A candidate without a finish event was cut off, for an unknown reason. */
const unfinished: Finish = { reason: 'other' };

export class Folding {
  failure: Failure | undefined;
  /** The reply was completed; without it (and without a failure) the stream was cut. */
  ended = false;
  /** What only one format can say and what is no part of the reply. */
  readonly beside: NativePart[] = [];
  #start: Extract<StreamEvent, { type: 'reply-start' }> | undefined;
  #usage: Usage | undefined;
  readonly #candidates = new Map<number, CandidateDraft>();

  add(event: StreamEvent): void {
    switch (event.type) {
      case 'reply-start':
        this.#start = event;
        break;
      case 'part-start':
        this.#candidate(event.candidate).parts.set(event.part, { draft: draftOf(event.opening) });
        break;
      case 'candidate-end':
        this.#candidate(event.candidate).finish = event.finish;
        break;
      case 'usage':
        this.#usage = this.#usage === undefined ? event.usage : laterUsage(this.#usage, event.usage);
        break;
      case 'native':
        this.#addNative(event);
        break;
      case 'failure':
        this.failure = event;
        break;
      case 'reply-end':
        this.ended = true;
        break;
      case 'part-end':
        break;
      default:
        this.#addPiece(event);
    }
  }

  get reply(): TextReply {
    const { id = '', model = '', createdAtMs = 0, serviceTier, extras } = this.#start ?? {};
    return {
      id,
      model,
      createdAtMs,
      candidates: inOrder(this.#candidates).map(candidateOf),
      usage: this.#usage ?? unknownUsage,
      ...(serviceTier !== undefined && { serviceTier }),
      ...(extras !== undefined && { extras }),
    };
  }

  #candidate(index: number): CandidateDraft {
    let candidate = this.#candidates.get(index);
    if (candidate === undefined) {
      candidate = { parts: new Map(), finish: unfinished };
      this.#candidates.set(index, candidate);
    }
    return candidate;
  }

  #addNative({ format, value, candidate, part }: Extract<StreamEvent, { type: 'native' }>): void {
    if (candidate === undefined || part === undefined) {
      this.beside.push({ type: 'native', format, value });
      return;
    }
    const whole: Part = { type: 'native', format, value };
    this.#candidate(candidate).parts.set(part, { whole });
  }

  #addPiece(event: PieceEvent): void {
    const { parts } = this.#candidate(event.candidate);
    let entry = parts.get(event.part);
    if (entry === undefined) {
      // A piece without its opening is an error of the reader, which `checkEvents` finds; the text is kept anyway.
      entry = { draft: draftOf(impliedOpening(event)) };
      parts.set(event.part, entry);
    }
    if ('draft' in entry) addTo(entry.draft, event);
  }
}

type PieceEvent = Extract<
  StreamEvent,
  { type: 'text-delta' | 'thinking-delta' | 'tool-input-delta' | 'media-delta' | 'citation' | 'seal' }
>;

function draftOf(opening: PartOpening): Draft {
  return { opening, text: '', units: [], citations: undefined, logprobs: undefined, seal: undefined };
}

function impliedOpening(event: PieceEvent): PartOpening {
  switch (event.type) {
    case 'tool-input-delta':
      return { type: 'tool-call', id: '', name: '' };
    case 'thinking-delta':
    case 'seal':
      return { type: 'thinking' };
    case 'media-delta':
      return { type: 'media', media: 'document', mediaType: '' };
    default:
      return { type: 'text' };
  }
}

function addTo(draft: Draft, event: PieceEvent): void {
  switch (event.type) {
    case 'citation':
      draft.citations ??= [];
      draft.citations.push(event.citation);
      break;
    case 'seal':
      draft.seal = event.seal;
      break;
    case 'media-delta':
      addData(draft, event.data);
      break;
    case 'text-delta':
      draft.text += event.text;
      if (event.logprobs !== undefined) {
        draft.logprobs ??= [];
        for (const logprob of event.logprobs) draft.logprobs.push(logprob);
      }
      break;
    default:
      draft.text += event.text;
  }
}

/** Some providers cut one base64 text into pieces, others encode each piece by itself; padding in the middle tells. */
function addData(draft: Draft, data: string): void {
  if (draft.text.endsWith('=')) {
    draft.units.push(draft.text);
    draft.text = data;
  } else {
    draft.text += data;
  }
}

function dataOf({ units, text }: Draft): string {
  if (units.length === 0) return text;
  return Buffer.concat([...units, text].map((unit) => Buffer.from(unit, 'base64'))).toString('base64');
}

function inOrder<Value>(byIndex: ReadonlyMap<number, Value>): Value[] {
  return [...byIndex].sort(([one], [other]) => one - other).map(([, value]) => value);
}

function candidateOf({ parts, finish }: CandidateDraft): Candidate {
  return { parts: inOrder(parts).map((entry) => ('whole' in entry ? entry.whole : partOf(entry.draft))), finish };
}

function partOf(draft: Draft): Part {
  const { opening, text, citations, logprobs, seal } = draft;
  switch (opening.type) {
    case 'text':
      return {
        type: 'text',
        text,
        ...(opening.opensMessage === true && { opensMessage: true }),
        ...(citations !== undefined && { citations: citations.slice() }),
        ...(logprobs !== undefined && { logprobs: logprobs.slice() }),
        ...(seal !== undefined && { seal }),
      };
    case 'refusal':
      return { type: 'refusal', text };
    case 'thinking':
      return {
        type: 'thinking',
        text,
        ...(opening.redacted !== undefined && { redacted: opening.redacted }),
        ...(seal !== undefined && { seal }),
      };
    case 'tool-call':
      return {
        type: 'tool-call',
        id: opening.id,
        name: opening.name,
        arguments: text,
        ...(opening.freeform === true && { freeform: true }),
        ...(seal !== undefined && { seal }),
      };
    case 'media':
      return mediaOf(opening, dataOf(draft));
  }
}

function mediaOf(opening: Extract<PartOpening, { type: 'media' }>, data: string): MediaPart {
  const { media, mediaType, source, filename } = opening;
  return {
    type: 'media',
    media,
    ...(mediaType !== '' && { mediaType }),
    source: source ?? { kind: 'base64', data },
    ...(filename !== undefined && { filename }),
  };
}
