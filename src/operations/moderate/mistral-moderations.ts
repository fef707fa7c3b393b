/**
 * Mistral moderations API: texts, with categories of its own; those with a counterpart are read as it, and all keep
 * their names. https://docs.mistral.ai/api (read 2026-11-16).
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Converted } from '../../conversation/parts.ts';
import { unsupported } from '../field-checks.ts';
import type { ModerateReply, ModerateRequest, ModerationCategory, ModerationResult } from '../moderate.ts';
import type { ProviderWire, ReplyMaking, WireReply, WrittenRequest } from '../wire.ts';
import { entriesOf, inputTokens, replyTree, textOr, unknownFields, usageTokens } from '../wire-replies.ts';
import { joinedText } from './openai-moderations.ts';
import { perCategory, scoreIn } from './verdicts.ts';

/** Newer models judge the dangerous and the criminal apart, older ones together. */
const counterparts: Readonly<Partial<Record<ModerationCategory, readonly string[]>>> = {
  sexual: ['sexual'],
  hate: ['hate_and_discrimination'],
  violence: ['violence_and_threats'],
  illicit: ['dangerous_and_criminal_content', 'dangerous', 'criminal'],
  'self-harm': ['selfharm'],
};

const replyFields = new Set(['id', 'model', 'results', 'usage', 'object', 'created']);

export const mistralModerations: ProviderWire<ModerateRequest, ModerateReply> = {
  operation: 'moderate',
  name: 'mistral-moderations',
  writeRequest,
  readReply,
  measure: (reply) => inputTokens(isObject(reply) ? usageTokens(reply['usage']) : undefined),
};

/** An image that is left out would pass unseen, so it is refused. */
function writeRequest(request: ModerateRequest, model: string): Converted<WrittenRequest> {
  if (request.inputs.some((parts) => parts.some(({ type }) => type === 'image'))) {
    throw unsupported('input', 'This model moderates texts; it cannot look at images.');
  }
  const losses = new LossList();
  for (const name of Object.keys(request.extras?.fields ?? {})) losses.add(name, 'is known to its own wire only');
  const tree = { model, input: request.inputs.map(joinedText) };
  return { value: { body: { kind: 'json', tree } }, losses: losses.all };
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

/**
 * Advice on health, money and law, personal data and attempts to trick a model are categories here, but no violations by the
 * neutral ones: they are reported under their own names and do not flag an input.
 */
function readResult(entry: unknown): ModerationResult {
  if (!isObject(entry) || !isObject(entry['categories'])) throw new SyntaxError('a result has no categories');
  const verdicts = entry['categories'];
  const scores: Tree = isObject(entry['category_scores']) ? entry['category_scores'] : {};
  const categories = perCategory((category) => namesOf(category).some((name) => verdicts[name] === true));
  return {
    flagged: Object.values(categories).includes(true),
    scores: perCategory((category) => Math.max(0, ...namesOf(category).map((name) => scoreIn(scores, name)))),
    categories,
    native: { categories: verdicts, category_scores: scores },
  };
}

function namesOf(category: ModerationCategory): readonly string[] {
  return counterparts[category] ?? [];
}
