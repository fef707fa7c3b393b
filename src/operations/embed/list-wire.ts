/**
 * The embedding wires that answer with a list of `data` are one wire in several dialects: they differ in what they call the
 * dimensions and the purpose, and in what they refuse. The differences are data; this is what they share.
 */

import { defined, isObject } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Converted } from '../../conversation/parts.ts';
import type { EmbedReply, EmbedRequest } from '../embed.ts';
import { unsupported } from '../field-checks.ts';
import type { ProviderWire, WireReply, WrittenRequest } from '../wire.ts';
import { entriesOf, inputTokens, replyTree, textOr, unknownFields, usageTokens } from '../wire-replies.ts';
import { type PurposeWords, wordFor } from './purposes.ts';
import { readVector } from './vectors.ts';

interface ListDialect {
  readonly name: string;
  /** The field for how long vectors are to be. */
  readonly dimensions: string;
  readonly purpose?: { readonly field: string; readonly words: PurposeWords };
  readonly takesTokens: boolean;
  /** The caller's encoding and end user may be named, and its other fields of the family's first dialect are passed on. */
  readonly firstDialect: boolean;
  /** Fields of the family's callers that this dialect takes under the same name. */
  readonly passes: readonly string[];
  readonly inputsMax: number;
  /** How it writes a vector, where that is neither a list of numbers nor the base64 of 32-bit floats. */
  readonly vector?: (value: unknown) => Float32Array;
}

/** Fields of callers of the family's endpoint are kept under this name, whichever dialect they use. */
export const listFamily = 'openai-embeddings';

/** Fields that the reader of the family's endpoint has understood where the neutral request says it. */
const understood = {
  input_type: 'purpose',
  task: 'purpose',
  output_dimension: 'dimensions',
} as const;

export function listWire(dialect: ListDialect): ProviderWire<EmbedRequest, EmbedReply> {
  return {
    operation: 'embed',
    name: dialect.name,
    inputsMax: dialect.inputsMax,
    writeRequest: (request, model) => writeRequest(dialect, request, model),
    readReply: (reply, request) => readReply(dialect, reply, request),
    measure: (reply) => inputTokens(isObject(reply) ? usageTokens(reply['usage']) : undefined),
  };
}

function writeRequest(dialect: ListDialect, request: EmbedRequest, model: string): Converted<WrittenRequest> {
  const losses = new LossList();
  if (!dialect.takesTokens) refuseTokens(request);
  const kept = ownFields(dialect, request);
  const purpose = dialect.purpose === undefined ? undefined : wordFor(dialect.purpose.words, request.purpose);
  const isWritten = purpose !== undefined || (dialect.firstDialect && ('input_type' in kept || 'task' in kept));
  if (request.purpose !== undefined && !isWritten) {
    losses.add('purpose', `${request.purpose} is not supported by this provider`);
  }
  if (request.title !== undefined) losses.add('title', 'is not supported by this provider');
  if (request.user !== undefined && !dialect.firstDialect) losses.add('user', 'is not supported by this provider');
  reportUnsupportedFields(request, kept, losses);
  const tree = {
    ...kept,
    model,
    input: request.inputs,
    ...(dialect.firstDialect ? firstDialectFields(request) : {}),
    ...defined(dialect.dimensions, request.dimensions),
    ...(dialect.purpose === undefined ? {} : defined(dialect.purpose.field, purpose)),
  };
  return { value: { body: { kind: 'json', tree } }, losses: losses.all };
}

/** Every server answers with floats by default, so only the other encoding is named. */
function firstDialectFields(request: EmbedRequest): Record<string, unknown> {
  return {
    ...defined('user', request.user),
    ...(request.encoding === 'base64' ? { encoding_format: 'base64' } : {}),
  };
}

function ownFields(dialect: ListDialect, { extras }: EmbedRequest): Record<string, unknown> {
  if (extras === undefined || extras.format !== listFamily) return {};
  if (dialect.firstDialect) return { ...extras.fields };
  return Object.fromEntries(Object.entries(extras.fields).filter(([name]) => dialect.passes.includes(name)));
}

/** Reports the caller's fields beyond the neutral request that are not passed on under their own name. */
export function reportUnsupportedFields(
  request: EmbedRequest,
  kept: Readonly<Record<string, unknown>>,
  losses: LossList,
): void {
  if (request.extras === undefined) return;
  for (const name of Object.keys(request.extras.fields)) {
    const meaning = Object.hasOwn(understood, name) ? understood[name as keyof typeof understood] : undefined;
    const said = meaning !== undefined && request[meaning] !== undefined;
    const isMissed = request.extras.unmissed?.has(name) !== true;
    if (isMissed && !said && !Object.hasOwn(kept, name)) losses.add(name, 'is known to its own wire only');
  }
}

/** Tokens of one model's vocabulary are other words, or none, in another's. */
export function refuseTokens(request: EmbedRequest): void {
  if (request.inputs.every((input) => typeof input === 'string')) return;
  throw unsupported('input', 'This model takes texts; its provider cannot be given tokens.');
}

const replyFields = new Set(['object', 'data', 'model', 'usage', 'id', 'created']);

function readReply(dialect: ListDialect, reply: WireReply, request: EmbedRequest): Converted<EmbedReply> {
  const vectorIn = dialect.vector ?? readVector;
  const tree = replyTree(reply);
  const entries = entriesOf(tree['data'], request.inputs.length, 'data');
  const vectors: (Float32Array | undefined)[] = new Array(entries.length).fill(undefined);
  entries.forEach((entry, place) => {
    if (!isObject(entry)) throw new SyntaxError('`data` holds something that is no embedding');
    const index = entry['index'] ?? place;
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= vectors.length) {
      throw new SyntaxError('an embedding has an index that no input has');
    }
    vectors[index] = vectorIn(entry['embedding']);
  });
  const value: EmbedReply = {
    model: textOr(tree['model'], request.model),
    vectors: vectors.map((vector) => vector ?? noVector()),
    consumption: inputTokens(usageTokens(tree['usage'])),
  };
  return { value, losses: unknownFields(tree, replyFields) };
}

function noVector(): never {
  throw new SyntaxError('an input has no embedding');
}
