/**
 * Thinking in the chat format: the plain text that most services send, and the list of details that carries signatures.
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { LossList } from '../../conversation/loss-list.ts';
import type { Origin, Part, Seal, ThinkingPart } from '../../conversation/parts.ts';
import { readSeal, sealPrefix } from '../../conversation/seals/seal.ts';

/** One entry of `reasoning_details`: a piece of text, or an opaque value, or both. */
export interface ReasoningDetail {
  readonly text: string;
  /** Whatever the entry holds beside its text; sent back whole, since services compare it field by field. */
  readonly opaque: string | undefined;
  readonly redacted: boolean;
  /** Entries of one number are pieces of one thought. */
  readonly index: number | undefined;
}

/** The fields in which services send thinking as plain text, and accept it back. */
const plainFields = ['reasoning_content', 'reasoning'] as const;
export type PlainField = (typeof plainFields)[number];

/** The one that is filled in this message, or in this piece of one. */
export function plainFieldOf(message: Tree): PlainField | undefined {
  return isSaid(message.reasoning_content) ? 'reasoning_content' : isSaid(message.reasoning) ? 'reasoning' : undefined;
}

function isSaid(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** A service that gives its thinking as plain text wants it back in the same field: the field's name is the seal. */
function sealedField(seal: Seal | undefined): PlainField | undefined {
  return plainFields.find((field) => field === seal?.value);
}

export function readDetail(entry: unknown): ReasoningDetail | undefined {
  if (!isObject(entry)) return undefined;
  const { text, summary, ...rest } = entry;
  const said = typeof text === 'string' ? text : typeof summary === 'string' ? summary : '';
  const sealed = secretOf(entry) !== undefined;
  return {
    text: said,
    opaque: sealed ? JSON.stringify(rest) : undefined,
    redacted: said === '' && typeof entry.data === 'string',
    index: typeof entry.index === 'number' ? entry.index : undefined,
  };
}

function secretOf(entry: Tree): string | undefined {
  for (const value of [entry.signature, entry.data]) if (typeof value === 'string' && value !== '') return value;
  return undefined;
}

/** All thinking of a whole message. The details hold the plain text and more, so they win where they have text. */
export function readReasoning(
  message: Tree,
  sealOf: (opaque: string) => Seal,
  plainSealOf?: (field: PlainField) => Seal,
): Part[] {
  const parts: Part[] = [];
  let detailed = false;
  for (const entry of Array.isArray(message.reasoning_details) ? message.reasoning_details : []) {
    const detail = readDetail(entry);
    if (detail === undefined || (detail.text === '' && detail.opaque === undefined)) continue;
    detailed ||= detail.text !== '';
    const seal = detail.opaque === undefined ? {} : { seal: sealOf(detail.opaque) };
    parts.push({ type: 'thinking', text: detail.text, ...(detail.redacted && { redacted: true }), ...seal });
  }
  const field = plainFieldOf(message);
  if (!detailed && field !== undefined) {
    const seal = plainSealOf === undefined ? {} : { seal: plainSealOf(field) };
    parts.unshift({ type: 'thinking', text: String(message[field]), ...seal });
  }
  return parts;
}

/** What a provider sealed belongs to where it was made. */
export function sealFrom(origin: Origin): (opaque: string) => Seal {
  return (value) => ({ value, origin });
}

/** What a client sends back is either ours, with the origin wrapped in, or as its provider wrote it. */
export function sealFromClient(format: string): (opaque: string) => Seal {
  return (opaque) => {
    const entry: unknown = JSON.parse(opaque);
    const secret = isObject(entry) ? secretOf(entry) : undefined;
    return readSeal(secret?.startsWith(sealPrefix) === true ? secret : opaque, format);
  };
}

/** The entry as the provider wrote it. Undefined where the seal is none of this format's details. */
function writeDetail(part: ThinkingPart): object | undefined {
  if (part.seal === undefined) return undefined;
  try {
    const entry: unknown = JSON.parse(part.seal.value);
    if (!isObject(entry)) return undefined;
    if (part.text === '') return entry;
    return entry.type === 'reasoning.summary' ? { ...entry, summary: part.text } : { ...entry, text: part.text };
  } catch {
    return undefined;
  }
}

/** The thinking of an earlier turn: as details where it is sealed, under the service's own name where it wants the text. */
export function writeReasoning(parts: readonly ThinkingPart[], echoAs: string | undefined, losses: LossList): Tree {
  const fields: Record<string, unknown> = {};
  const details: object[] = [];
  const texts = new Map<string, string>();
  let dropped = false;
  for (const part of parts) {
    const field = sealedField(part.seal);
    const detail = field === undefined ? writeDetail(part) : undefined;
    if (detail !== undefined) details.push(detail);
    const name = echoAs ?? field;
    if (name !== undefined) texts.set(name, (texts.get(name) ?? '') + part.text);
    dropped ||= detail === undefined && (name === undefined || part.text === '');
  }
  if (details.length > 0) fields.reasoning_details = details;
  for (const [name, text] of texts) if (text !== '') fields[name] = text;
  if (dropped) losses.addOnce('thinking of earlier turns', 'the format does not accept it back');
  return fields;
}
