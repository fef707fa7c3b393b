/**
 * OpenAI moderations API (`/v1/moderations`): many texts, or one input of several parts.
 * https://developers.openai.com/api/reference/overview (read 2026-11-15).
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Converted } from '../../conversation/parts.ts';
import { unsupported } from '../field-checks.ts';
import {
  type ModeratedPart,
  type ModerateReply,
  type ModerateRequest,
  type ModerationCategory,
  type ModerationResult,
  moderationCategories,
} from '../moderate.ts';
import type { ProviderWire, ReplyMaking, WireReply, WrittenRequest } from '../wire.ts';
import { entriesOf, inputTokens, replyTree, textOr, unknownFields, usageTokens } from '../wire-replies.ts';
import { perCategory, scoreIn } from './verdicts.ts';

/** Fields of callers that the neutral request does not have are kept under this name. */
export const moderationFamily = 'openai-moderations';

const replyFields = new Set(['id', 'model', 'results', 'usage', 'object', 'created']);
const known: ReadonlySet<string> = new Set(moderationCategories);

export const openaiModerations: ProviderWire<ModerateRequest, ModerateReply> = {
  operation: 'moderate',
  name: moderationFamily,
  writeRequest,
  readReply,
  measure: (reply) => inputTokens(isObject(reply) ? usageTokens(reply['usage']) : undefined),
};

function writeRequest(request: ModerateRequest, model: string): Converted<WrittenRequest> {
  const losses = new LossList();
  losses.addForeign(request.extras, moderationFamily);
  const tree = {
    ...(request.extras?.format === moderationFamily ? request.extras.fields : {}),
    model,
    input: writeInput(request.inputs),
  };
  return { value: { body: { kind: 'json', tree } }, losses: losses.all };
}

function writeInput(inputs: ModerateRequest['inputs']): unknown {
  const [first = []] = inputs;
  if (inputs.length === 1 && (first.length > 1 || first[0]?.type === 'image')) return first.map(writePart);
  if (inputs.some((parts) => parts.some(({ type }) => type === 'image'))) {
    throw unsupported('input', 'Images are moderated one input at a time.');
  }
  return inputs.map(joinedText);
}

function writePart(part: ModeratedPart): Tree {
  if (part.type === 'text') return { type: 'text', text: part.text };
  return { type: 'image_url', image_url: { url: part.url } };
}

/** An input of several texts is judged as one. */
export function joinedText(parts: readonly ModeratedPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function readReply(reply: WireReply, request: ModerateRequest, making: ReplyMaking): Converted<ModerateReply> {
  const tree = replyTree(reply);
  const value: ModerateReply = {
    id: textOr(tree['id'], making.newId('modr-')),
    model: textOr(tree['model'], request.model ?? ''),
    results: entriesOf(tree['results'], request.inputs.length, 'results').map(readResult),
    consumption: inputTokens(usageTokens(tree['usage'])),
  };
  return { value, losses: unknownFields(tree, replyFields) };
}

function readResult(entry: unknown): ModerationResult {
  if (!isObject(entry) || !isObject(entry['categories'])) throw new SyntaxError('a result has no categories');
  const verdicts = entry['categories'];
  const scores = isObject(entry['category_scores']) ? entry['category_scores'] : {};
  const categories = perCategory((category) => verdicts[category] === true);
  const native = nativeVerdicts(verdicts, scores);
  const { flagged } = entry;
  return {
    flagged: typeof flagged === 'boolean' ? flagged : Object.values(verdicts).includes(true),
    scores: perCategory((category) => scoreIn(scores, category)),
    categories,
    ...appliedTo(entry['category_applied_input_types']),
    ...(native === undefined ? {} : { native }),
  };
}

/** Categories that the provider has beyond those that clients expect, in the same two maps. */
function nativeVerdicts(verdicts: Tree, scores: Tree): Tree | undefined {
  const beyond = ([name]: [string, unknown]): boolean => !known.has(name);
  const categories = Object.fromEntries(Object.entries(verdicts).filter(beyond));
  const own = Object.fromEntries(Object.entries(scores).filter(beyond));
  const empty = Object.keys(categories).length === 0 && Object.keys(own).length === 0;
  return empty ? undefined : { categories, category_scores: own };
}

function appliedTo(value: unknown): Pick<ModerationResult, 'appliedTo'> {
  if (!isObject(value)) return {};
  const kinds = moderationCategories.flatMap((category): [ModerationCategory, ('text' | 'image')[]][] => {
    const listed = value[category];
    return Array.isArray(listed) ? [[category, listed.filter((kind) => kind === 'text' || kind === 'image')]] : [];
  });
  return { appliedTo: Object.fromEntries(kinds) };
}
