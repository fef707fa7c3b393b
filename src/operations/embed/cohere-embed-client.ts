/**
 * Cohere Embed API v2 towards clients. https://docs.cohere.com/reference/embed (read 2026-11-15).
 * A provider of the same wire gets the client's own bytes; others make texts into floats, and nothing else.
 */

import { defined, isObject, type Tree } from '../../conversation/json-tree.ts';
import type { Converted } from '../../conversation/parts.ts';
import type { EmbedReply, EmbedRequest } from '../embed.ts';
import {
  checkedModel,
  checkedTree,
  checkedWhole,
  checkText,
  invalid,
  isPresent,
  missing,
  otherFields,
  treeOf,
  unsupported,
} from '../field-checks.ts';
import type { ClientWire, OperationFacts, WireBody, WrittenReply } from '../wire.ts';
import { jsonReply, textOr, tokensAtMost } from '../wire-replies.ts';
import { cohereFamily } from './cohere-embed.ts';
import { dimensionsMax } from './openai-embeddings-client.ts';
import { purposeMeant } from './purposes.ts';
import { writeBase64, writeNumbers } from './vectors.ts';

const inputsMax = 2048;
const tokensPerInputMax = 10_000_000;

const types = ['float', 'base64', 'int8', 'uint8', 'binary', 'ubinary'] as const;
type NumberType = (typeof types)[number];

const neutralFields = new Set(['model', 'texts', 'inputs', 'input_type', 'output_dimension']);

export const cohereEmbedClient: ClientWire<EmbedRequest, EmbedReply> = {
  operation: 'embed',
  name: cohereFamily,
  check,
  readRequest,
  requireCommon,
  writeReply,
  suits,
};

function check(body: WireBody, bodyBytes: number): OperationFacts {
  const tree = checkedTree(body);
  const model = checkedModel(tree);
  const given = (['texts', 'inputs', 'images'] as const).filter((name) => isPresent(tree[name]));
  const [only, other] = given;
  if (only === undefined) throw missing('texts', 'Send the texts to embed, as a list.');
  if (other !== undefined) throw invalid(other, `cannot stand beside \`${only}\``);
  checkInputs(tree, only);
  checkText(tree, 'input_type');
  checkText(tree, 'truncate');
  const wanted = tree['embedding_types'] ?? undefined;
  if (wanted !== undefined && (!Array.isArray(wanted) || wanted.length === 0 || !wanted.every(isType))) {
    throw invalid('embedding_types', `must be a list of ${types.map((type) => `\`${type}\``).join(', ')}`);
  }
  checkedWhole(tree, 'output_dimension', dimensionsMax);
  checkedWhole(tree, 'max_tokens', tokensPerInputMax);
  return { model, stream: false, most: tokensAtMost(bodyBytes) };
}

function checkInputs(tree: Tree, field: 'texts' | 'inputs' | 'images'): void {
  const list = tree[field];
  if (!Array.isArray(list) || list.length === 0) throw invalid(field, 'must be a non-empty list');
  if (list.length > inputsMax) throw invalid(field, `must hold at most ${inputsMax} inputs`);
  list.forEach((one: unknown, index) => {
    const name = `${field}[${index}]`;
    if (field === 'inputs') {
      const content = isObject(one) ? one['content'] : undefined;
      if (!Array.isArray(content) || content.length === 0 || !content.every(isObject)) {
        throw invalid(`${name}.content`, 'must be a non-empty list of parts');
      }
      if (!content.some(isImage) && textOf(one) === '') throw invalid(`${name}.content`, 'must not be empty');
    } else if (typeof one !== 'string' || one === '') throw invalid(name, 'must be a text that is not empty');
  });
}

function isType(value: unknown): value is NumberType {
  return (types as readonly unknown[]).includes(value);
}

function isImage(part: Tree): boolean {
  return part['type'] === 'image_url';
}

function textOf(input: unknown): string {
  const content = isObject(input) && Array.isArray(input['content']) ? input['content'].filter(isObject) : [];
  return content.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
}

function holdsImage(input: unknown): boolean {
  return isObject(input) && Array.isArray(input['content']) && input['content'].filter(isObject).some(isImage);
}

/** The number types decide how the reply is written, so none is lost. */
function readRequest(body: WireBody, named?: string): Converted<EmbedRequest> {
  const tree = treeOf(body);
  const inputs: readonly unknown[] = Array.isArray(tree['inputs']) ? tree['inputs'] : [];
  const texts = Array.isArray(tree['texts']) ? (tree['texts'] as string[]) : inputs.map(textOf);
  const dimensions = tree['output_dimension'];
  const images = inputs.some(holdsImage) ? { images: 'inputs' } : {};
  const fields = { ...otherFields(tree, neutralFields), ...images };
  const purpose = purposeMeant(tree['input_type']);
  const value: EmbedRequest = {
    model: textOr(tree['model'], named ?? ''),
    inputs: texts,
    encoding: 'float',
    ...defined('dimensions', typeof dimensions === 'number' ? dimensions : undefined),
    ...defined('purpose', purpose),
    ...(Object.keys(fields).length > 0 && {
      extras: { format: cohereFamily, fields, unmissed: new Set(['embedding_types']) },
    }),
  };
  const isKnown = purpose !== undefined || !isPresent(tree['input_type']);
  return { value, losses: isKnown ? [] : [{ what: 'input_type', why: 'is known to its own wire only' }] };
}

/** Images, and number types that a model must be trained for, are not supported by every provider. */
function requireCommon({ extras }: EmbedRequest): void {
  if (extras?.fields['images'] !== undefined) {
    throw unsupported('images', 'This model takes texts; its provider cannot be given images here.');
  }
  const odd = wantedTypes(extras).find((type) => type !== 'float' && type !== 'base64');
  if (odd === undefined) return;
  const reason = `The provider of this model cannot be asked for \`${odd}\`; \`float\` and \`base64\` are possible.`;
  throw unsupported('embedding_types', reason);
}

function wantedTypes(extras: EmbedRequest['extras']): readonly NumberType[] {
  const wanted = extras?.fields['embedding_types'];
  return Array.isArray(wanted) ? wanted.filter(isType) : ['float'];
}

function writeReply(
  reply: EmbedReply,
  request: EmbedRequest,
  { newId }: { newId(prefix: string): string },
): WrittenReply {
  const embeddings: Record<string, unknown> = {};
  for (const type of wantedTypes(request.extras)) {
    embeddings[type] = type === 'base64' ? reply.vectors.map(writeBase64) : reply.vectors.map(writeNumbers);
  }
  const total = reply.consumption.tokens?.input.total;
  return jsonReply({
    id: newId(''),
    embeddings,
    texts: request.inputs,
    response_type: 'embeddings_by_type',
    meta: {
      api_version: { version: '2' },
      ...(total !== undefined && { billed_units: { input_tokens: total } }),
    },
  });
}

/** The library reads the numbers under the names that it asked for. */
function suits(reply: unknown, request: EmbedRequest): boolean {
  if (!isObject(reply) || typeof reply['id'] !== 'string' || !isObject(reply['embeddings'])) return false;
  const { embeddings } = reply;
  return wantedTypes(request.extras).every((type) => Array.isArray(embeddings[type]));
}
