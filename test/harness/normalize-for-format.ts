/**
 * Brings a request or a reply into the form in which a format returns it, so that only real differences remain: texts
 * that share one field are joined, and parts have the order of the wire. Nothing is removed, so a comparison covers
 * every word.
 */

import type { MediaPart, Message, Part, Seal, TextPart } from '../../src/conversation/parts.ts';
import type { Candidate, TextReply } from '../../src/conversation/text-reply.ts';
import type { TextRequest } from '../../src/conversation/text-request.ts';
import { withErrorPrefix } from '../../src/conversation/tools/failed-results.ts';
import type { FormatName } from '../../src/formats/format.ts';
import { withCarriedThoughts } from '../../src/formats/gemini-generate/carried-thoughts.ts';
import type { Passage } from './explained.ts';

export function normalizedRequest(name: FormatName, request: TextRequest): TextRequest {
  if (name === 'openai-completions') return { ...request, messages: joinedTurns(request.messages) };
  if (name === 'anthropic-messages') {
    return { ...request, ...choiceByDeclaration(request), messages: withTrimmedEnd(request.messages) };
  }
  if (name === 'openai-chat') return { ...request, messages: request.messages.map(callsLast).map(failuresInWords) };
  if (name === 'openai-responses') return { ...request, messages: request.messages.map(failuresInWords) };
  if (name === 'cohere-chat') {
    const messages = documentsLast(request.messages.map(planLast).map(failuresInWords));
    return { ...request, ...choiceByDeclaring(request), messages };
  }
  if (name !== 'gemini-generate') return request;
  const messages = oneAnswer(
    request.messages.map((message): Message => ({ ...message, parts: message.parts.map(asGenerated) })),
  );
  const hostedTools = request.hostedTools?.flatMap((tool) =>
    // A declaration with several fields is several tools.
    tool.kind === 'native' && typeof tool.value === 'object' && tool.value !== null
      ? Object.entries(tool.value).map(([field, value]) => ({ ...tool, value: { [field]: value } }))
      : [tool],
  );
  return { ...request, messages, ...(hostedTools !== undefined && { hostedTools }) };
}

/** A result has no field for its failure, and says it in its text. */
function failuresInWords(message: Message): Message {
  const parts = message.parts.map((part) =>
    part.type === 'tool-result' && part.failed ? { ...part, parts: withErrorPrefix(part.parts), failed: false } : part,
  );
  return { ...message, parts };
}

/**
 * A prefill that the model continues does not end with white space; a test of the format checks that this is reported.
 */
export function withTrimmedEnd(messages: readonly Message[]): readonly Message[] {
  const turn = messages.at(-1);
  if (turn?.role !== 'assistant') return messages;
  const at = turn.parts.findLastIndex(isWords);
  const last = turn.parts[at];
  if (last?.type !== 'text' && last?.type !== 'refusal') return messages;
  return messages.with(-1, { ...turn, parts: turn.parts.with(at, { ...last, text: last.text.trimEnd() }) });
}

/** Adjacent pieces of an answer are one turn, and pieces of thinking up to its seal are one thought. */
function oneAnswer(messages: readonly Message[]): Message[] {
  const turns: Message[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    const isMore = message.role === 'assistant' && last?.role === 'assistant';
    if (isMore) turns[turns.length - 1] = { ...last, parts: [...last.parts, ...message.parts] };
    else turns.push(message);
  }
  return turns.map((turn) =>
    turn.role === 'assistant' ? { ...turn, parts: joined(turn.parts.filter(isSaid), ['thinking']) } : turn,
  );
}

/** All texts make one prompt; parts that are not text stay, so that their loss is seen. */
function joinedTurns(messages: readonly Message[]): Message[] {
  const wordsOf = (parts: readonly Part[]): string =>
    parts
      .map((part) => (part.type === 'text' ? part.text : part.type === 'tool-result' ? wordsOf(part.parts) : ''))
      .join('');
  const isNative = (part: Part) => part.type === 'native' && part.format === 'openai-completions';
  if (messages.some(({ parts }) => parts.some(isNative))) return [...messages];
  const others = messages.flatMap(({ parts }) => parts.filter(({ type }) => type !== 'text'));
  const text = messages.map(({ parts }) => wordsOf(parts)).join('\n\n');
  return [{ role: 'user', parts: [{ type: 'text', text }, ...others] }];
}

/** Tools that may not be called are not declared, and without any allowed call parallel calls have no meaning. */
function choiceByDeclaration({ tools, toolChoice, parallelToolCalls }: TextRequest): Partial<TextRequest> {
  if (toolChoice.kind === 'none' && parallelToolCalls !== undefined) return { parallelToolCalls: true };
  if (toolChoice.kind !== 'allowed') return {};
  return {
    tools: tools.filter(({ name }) => toolChoice.names.includes(name)),
    toolChoice: { kind: toolChoice.required ? 'required' : 'auto' },
  };
}

/** Only the tools that may be called are declared, and requiring the only one means requiring a call. */
function choiceByDeclaring({ tools, toolChoice }: TextRequest): Partial<TextRequest> {
  if (toolChoice.kind !== 'allowed' && toolChoice.kind !== 'tool') return {};
  const names = toolChoice.kind === 'tool' ? [toolChoice.name] : toolChoice.names;
  const isDemanded = toolChoice.kind === 'tool' || toolChoice.required;
  return {
    tools: tools.filter(({ name }) => names.includes(name)),
    toolChoice: { kind: isDemanded ? 'required' : 'auto' },
  };
}

/** Next to calls all texts are one plan, which comes between the thinking and the calls. */
function planLast(message: Message): Message {
  const { role, parts } = message;
  if (role !== 'assistant' || !parts.some(({ type }) => type === 'tool-call')) return message;
  const plan = joined(parts.filter(isWords).map(asText), ['text'], true);
  return callsLast({ ...message, parts: [...parts.filter((part) => !isWords(part)), ...plan] });
}

/** Documents to be cited are sent beside the conversation, and belong to its last question. */
function documentsLast(messages: readonly Message[]): Message[] {
  const isDocument = (part: Part) => part.type === 'media' && part.citable === true && part.source.kind === 'text';
  const documents = messages.flatMap(({ parts }) => parts.filter(isDocument));
  const others = messages.map((message) => ({ ...message, parts: message.parts.filter((part) => !isDocument(part)) }));
  const place = others.findLastIndex(({ role }) => role === 'user');
  return others.map((message, index) =>
    index === place ? { ...message, parts: [...documents, ...message.parts] } : message,
  );
}

/** A message has a field for its calls, which comes after its text. */
function callsLast(message: Message): Message {
  if (message.role !== 'assistant') return message;
  const isCall = ({ type }: Part) => type === 'tool-call';
  const said = message.parts.filter((part) => !isCall(part));
  return { ...message, parts: [...said, ...message.parts.filter(isCall)] };
}

/**
 * Files differ only by their media type, answers hold their texts apart from their files, and hidden
 * thoughts look like empty ones.
 */
function asGenerated(part: Part): Part {
  if (part.type === 'media') return linkedAsDocument(part);
  if (part.type === 'thinking' && part.redacted === true) {
    const { redacted: _, ...rest } = part;
    return rest;
  }
  if (part.type !== 'tool-result') return part;
  const inner = part.parts.map((one) => (one.type === 'media' ? linkedAsDocument(one) : one));
  const isText = ({ type }: Part) => type === 'text';
  return { ...part, parts: [...inner.filter(isText), ...inner.filter((one) => !isText(one))] };
}

function linkedAsDocument(part: MediaPart): MediaPart {
  if (part.source.kind !== 'url') return part;
  const { mediaType: _, ...rest } = part;
  return { ...rest, media: 'document' };
}

export function normalizedReply(name: FormatName, reply: TextReply, passage: Passage): TextReply {
  const candidates = reply.candidates.map(
    (candidate): Candidate => ({ ...candidate, parts: normalizedParts(name, candidate.parts, passage) }),
  );
  return { ...reply, candidates };
}

function normalizedParts(name: FormatName, parts: readonly Part[], passage: Passage): Part[] {
  switch (name) {
    case 'openai-chat':
      return ['thinking', 'text', 'refusal', 'media', 'tool-call', 'native'].flatMap((type) => joinedOf(parts, type));
    case 'openai-completions':
      return joined([...parts.filter(isWords).map(asText), ...parts.filter((part) => !isWords(part))], ['text'], true);
    case 'anthropic-messages':
      return parts.map(asText);
    case 'openai-responses':
      return joined(parts, ['text'], true, true);
    case 'cohere-chat':
      return likelihoodsFirst(callsLast({ role: 'assistant', parts: hiddenLast(parts.map(asText)) }).parts, passage);
    case 'gemini-generate': {
      const normalized = withCarriedThoughts(parts.map(asText).map(unmarked)).map(withoutBareCitations);
      return passage === 'stream' ? unparted(normalized.filter(isSaid)) : likelihoodsLast(sealsBack(normalized));
    }
    default:
      return [...parts];
  }
}

/** Hidden thinking that runs beside other parts is recognized only at its end, and is placed there. */
export function withHiddenLast(reply: TextReply): TextReply {
  const candidates = reply.candidates.map((candidate) => ({ ...candidate, parts: hiddenLast(candidate.parts) }));
  return { ...reply, candidates };
}

function hiddenLast(parts: readonly Part[]): Part[] {
  const sealOf = (part: Part) => (part.type === 'thinking' && part.redacted === true ? (part.seal?.value ?? '') : '');
  const hidden = parts.filter((part) => part.type === 'thinking' && part.redacted === true);
  const seen = parts.filter((part) => !hidden.includes(part));
  return [...seen, ...hidden.toSorted((one, other) => sealOf(one).localeCompare(sealOf(other)))];
}

function isWords({ type }: Part): boolean {
  return type === 'text' || type === 'refusal';
}

/** A stream shows no part that has neither words nor a seal. */
function isSaid(part: Part): boolean {
  return part.type !== 'text' || part.text !== '' || part.seal !== undefined;
}

function asText(part: Part): Part {
  return part.type === 'refusal' ? { type: 'text', text: part.text } : part;
}

function joinedOf(parts: readonly Part[], type: string): Part[] {
  const own = parts.filter((part) => part.type === type);
  const media = (kind: string) => own.filter((part) => part.type === 'media' && part.media === kind);
  if (type === 'media') return [...media('image'), ...media('audio'), ...media('video'), ...media('document')];
  return joined(own, ['text', 'thinking', 'refusal'], true);
}

/**
 * Nothing separates texts in a stream once the part between them is lost; that part is put last, so that
 * its loss is seen.
 */
function unparted(parts: readonly Part[]): Part[] {
  const isLost = (part: Part) => part.type === 'native' && part.format !== 'gemini-generate';
  return [
    ...joined(
      parts.filter((part) => !isLost(part)),
      ['text', 'thinking'],
    ),
    ...parts.filter(isLost),
  ];
}

/** The seal of an empty text belongs to what was said before it. */
function sealsBack(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    const isBare = part.type === 'text' && part.text === '' && part.seal !== undefined;
    if (isBare && last?.type === 'text' && last.seal === undefined) {
      result[result.length - 1] = { ...last, seal: part.seal as Seal };
    } else if (isSaid(part)) result.push(part);
  }
  return result;
}

/** An empty text is not shown, so nothing can be cited for it. */
function withoutBareCitations(part: Part): Part {
  if (part.type !== 'text' || part.text !== '') return part;
  const { citations: _, ...rest } = part;
  return rest;
}

/** The likelihoods are those of the whole answer, and stand at its last text. */
function likelihoodsLast(parts: readonly Part[]): Part[] {
  const logprobs = parts.flatMap((part) => (part.type === 'text' ? (part.logprobs ?? []) : []));
  const last = parts.findLastIndex((part) => part.type === 'text' && part.text !== '');
  return parts.map((part, index) => {
    if (part.type !== 'text') return part;
    const { logprobs: _, ...rest } = part;
    return index === last && logprobs.length > 0 ? { ...rest, logprobs } : rest;
  });
}

/** In a whole reply the likelihoods are those of the whole answer, and are read with its first text. */
function likelihoodsFirst(parts: readonly Part[], passage: Passage): Part[] {
  if (passage !== 'reply') return [...parts];
  const logprobs = parts.flatMap((part) => (part.type === 'text' ? (part.logprobs ?? []) : []));
  const first = parts.findIndex(({ type }) => type === 'text');
  return parts.map((part, index) => {
    if (part.type !== 'text') return part;
    const { logprobs: _, ...rest } = part;
    return index === first && logprobs.length > 0 ? { ...rest, logprobs } : rest;
  });
}

/** The mark that keeps hidden thoughts apart is opened only where a client gives it back. */
function unmarked(part: Part): Part {
  if (part.type !== 'thinking') return part;
  const { redacted: _, seal, ...rest } = part;
  return { ...rest, ...(seal !== undefined && { seal: { ...seal, value: seal.value.replace(/^redacted:/, '') } }) };
}

/** Adjacent parts of these types become one, with offsets counted from the beginning of the whole. */
function joined(parts: readonly Part[], types: readonly string[], acrossSeals = false, byMessage = false): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    const isSealed = !acrossSeals && last !== undefined && 'seal' in last && last.seal !== undefined;
    const isApart = isSealed || (byMessage && 'opensMessage' in part);
    if (last?.type !== part.type || !types.includes(part.type) || isApart) result.push(part);
    else result[result.length - 1] = together(last, part);
  }
  return result;
}

function together(one: Part, other: Part): Part {
  if (one.type === 'text' && other.type === 'text') return togetherAsText(one, other);
  if (one.type === 'thinking' && other.type === 'thinking') return { ...one, ...other, text: one.text + other.text };
  if (one.type === 'refusal' && other.type === 'refusal') return { ...one, text: one.text + other.text };
  return other;
}

function togetherAsText(one: TextPart, other: TextPart): TextPart {
  const offset = one.text.length;
  const moved = (other.citations ?? []).map(({ start, end, ...citation }) => ({
    ...citation,
    ...(start !== undefined && { start: start + offset }),
    ...(end !== undefined && { end: end + offset }),
  }));
  const citations = [...(one.citations ?? []), ...moved];
  const logprobs = [...(one.logprobs ?? []), ...(other.logprobs ?? [])];
  return {
    ...one,
    ...other,
    text: one.text + other.text,
    ...(citations.length > 0 && { citations }),
    ...(logprobs.length > 0 && { logprobs }),
  };
}
