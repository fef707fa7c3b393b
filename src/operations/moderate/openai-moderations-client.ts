/**
 * OpenAI moderations towards clients: one result for each input, every category in both maps.
 * https://developers.openai.com/api/reference/overview (read 2026-11-15).
 */

import { defined, isObject, type Tree } from '../../conversation/json-tree.ts';
import type { Converted } from '../../conversation/parts.ts';
import { checkedModelIfAny, checkedTree, invalid, missing, otherFields, treeOf } from '../field-checks.ts';
import {
  type ModeratedPart,
  type ModerateReply,
  type ModerateRequest,
  type ModerationCategory,
  type ModerationResult,
  moderationCategories,
} from '../moderate.ts';
import type { ClientWire, OperationFacts, WireBody, WrittenReply } from '../wire.ts';
import { jsonReply, tokensAtMost } from '../wire-replies.ts';
import { moderationFamily } from './openai-moderations.ts';
import { perCategory } from './verdicts.ts';

const inputsMax = 2048;
/** More than any provider counts for one image; its length in the body says nothing about its tokens. */
const imageTokensMax = 8_192;

const neutralFields = new Set(['model', 'input']);

/** The published reply allows images to count for these only. */
const imagedCategories: ReadonlySet<ModerationCategory> = new Set([
  'self-harm',
  'self-harm/intent',
  'self-harm/instructions',
  'sexual',
  'violence',
  'violence/graphic',
] as const);

export const openaiModerationsClient: ClientWire<ModerateRequest, ModerateReply> = {
  operation: 'moderate',
  name: moderationFamily,
  check,
  readRequest,
  writeReply,
  suits,
};

function check(body: WireBody, bodyBytes: number): OperationFacts {
  const tree = checkedTree(body);
  const model = checkedModelIfAny(tree);
  const input = tree['input'] ?? undefined;
  if (input === undefined) throw missing('input', 'Send the text to check, a list of texts, or a list of parts.');
  const images = typeof input === 'string' ? [] : checkList(input);
  const embedded = images.reduce((sum, url) => sum + (url.startsWith('data:') ? url.length : 0), 0);
  const most = tokensAtMost(bodyBytes - embedded + images.length * imageTokensMax);
  return { model, stream: false, most };
}

/** Returns the URLs of the images. */
function checkList(input: unknown): string[] {
  if (!Array.isArray(input) || input.length === 0) throw invalid('input', 'must be a text or a non-empty list');
  if (input.length > inputsMax) throw invalid('input', `must hold at most ${inputsMax} entries`);
  const ofTexts = typeof input[0] === 'string';
  return input.flatMap((one: unknown, index) => {
    const name = `input[${index}]`;
    if (typeof one === 'string' && ofTexts) return [];
    if (ofTexts) throw invalid(name, 'must be a text like those before it');
    return checkPart(one, name);
  });
}

function checkPart(part: unknown, name: string): string[] {
  if (!isObject(part)) throw invalid(name, 'must be a text or a part with a type');
  if (part['type'] === 'text') {
    if (typeof part['text'] !== 'string') throw invalid(`${name}.text`, 'must be a string');
    return [];
  }
  if (part['type'] !== 'image_url') throw invalid(`${name}.type`, 'must be `text` or `image_url`');
  const { image_url: image } = part;
  if (!isObject(image)) throw invalid(`${name}.image_url`, 'must be an object with a `url`');
  const { url } = image;
  if (typeof url !== 'string' || !/^(https?:\/\/.|data:image\/)/i.test(url)) {
    throw invalid(`${name}.image_url.url`, 'must be an http address or a data URL of an image');
  }
  return [url];
}

function readRequest(body: WireBody, named?: string): Converted<ModerateRequest> {
  const tree = treeOf(body);
  const fields = otherFields(tree, neutralFields);
  const value: ModerateRequest = {
    ...defined('model', typeof tree['model'] === 'string' ? tree['model'] : named),
    inputs: inputsOf(tree['input']),
    ...defined('extras', fields === undefined ? undefined : { format: moderationFamily, fields }),
  };
  return { value, losses: [] };
}

/** A list of parts is one input, however many it holds. */
function inputsOf(input: unknown): ModerateRequest['inputs'] {
  if (typeof input === 'string') return [[{ type: 'text', text: input }]];
  if (!Array.isArray(input)) return [];
  if (typeof input[0] === 'string') return input.map((text) => [{ type: 'text', text: String(text) }]);
  return [input.flatMap(readPart)];
}

function readPart(part: unknown): ModeratedPart[] {
  if (!isObject(part)) return [];
  if (typeof part['text'] === 'string') return [{ type: 'text', text: part['text'] }];
  const url = isObject(part['image_url']) ? part['image_url']['url'] : undefined;
  return typeof url === 'string' ? [{ type: 'image', url }] : [];
}

function writeReply(reply: ModerateReply, request: ModerateRequest): WrittenReply {
  return jsonReply({
    id: reply.id.startsWith('modr-') ? reply.id : `modr-${reply.id}`,
    model: reply.model,
    results: reply.results.map((result, index) => writeResult(result, request.inputs[index] ?? [])),
  });
}

/** A provider's own categories are listed beside those that every client knows, never in their place. */
function writeResult(result: ModerationResult, input: readonly ModeratedPart[]): Tree {
  const { categories, category_scores: scores } = result.native ?? {};
  return {
    flagged: result.flagged,
    categories: { ...ownEntries(categories, 'boolean'), ...perCategory((category) => result.categories[category]) },
    category_scores: { ...ownEntries(scores, 'number'), ...perCategory((category) => result.scores[category]) },
    category_applied_input_types: perCategory((category) => kindsOf(result, category, input)),
  };
}

function ownEntries(value: unknown, type: 'boolean' | 'number'): Tree {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).filter(([, one]) => typeof one === type));
}

/** Where the provider does not report what it looked at, it looked at the text. */
function kindsOf(
  { appliedTo }: ModerationResult,
  category: ModerationCategory,
  input: readonly ModeratedPart[],
): string[] {
  if (appliedTo === undefined) return input.some(({ type }) => type === 'text') ? ['text'] : [];
  return (appliedTo[category] ?? []).filter((kind) => kind === 'text' || imagedCategories.has(category));
}

/** Libraries look every category up in both maps, and results by their place. */
function suits(reply: unknown, request: ModerateRequest): boolean {
  if (!isObject(reply) || typeof reply['id'] !== 'string' || typeof reply['model'] !== 'string') return false;
  const { results } = reply;
  if (!Array.isArray(results) || results.length !== request.inputs.length) return false;
  return results.every((result: unknown) => {
    if (!isObject(result) || typeof result['flagged'] !== 'boolean') return false;
    const { categories, category_scores: scores, category_applied_input_types: kinds } = result;
    if (!isObject(categories) || !isObject(scores) || !isObject(kinds)) return false;
    return moderationCategories.every(
      (category) =>
        typeof categories[category] === 'boolean' &&
        typeof scores[category] === 'number' &&
        Array.isArray(kinds[category]),
    );
  });
}
