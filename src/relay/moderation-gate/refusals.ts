/** The words in which the gate refuses: what was judged, by which categories, or why nobody could judge it. */

import type { ErrorCode } from '../../conversation/error-table.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject } from '../../conversation/json-tree.ts';
import { type ModerationResult, moderationCategories } from '../../operations/moderate.ts';

/** What was judged: before the model is asked, or before its reply is sent. */
export type Moment = 'request' | 'reply';

/** Nothing where no result is flagged. */
export function refusedBy(moment: Moment, results: readonly ModerationResult[]): GatewayError | undefined {
  const flagged = results.filter((result) => result.flagged);
  if (flagged.length === 0) return undefined;
  const categories = [...new Set(flagged.flatMap(categoriesOf))];
  const shown = categories.length === 0 ? '' : `: ${categories.join(', ')}`;
  return refused(moment, `Moderation refused the ${moment}${shown}.`, categories);
}

function categoriesOf({ categories, native }: ModerationResult): readonly string[] {
  const named = moderationCategories.filter((category) => categories[category]);
  if (named.length > 0 || !isObject(native?.['categories'])) return named;
  return Object.entries(native['categories']).flatMap(([name, raised]) => (raised === true ? [name] : []));
}

export function unjudgeable(moment: Moment, what: string): GatewayError {
  return refused(moment, `The ${moment} must pass moderation, and it holds ${what}, which cannot be judged here.`, []);
}

export function tooMuch(moment: Moment, questionsMax: number): GatewayError {
  const message = `The ${moment} must pass moderation, and it needs more than the ${questionsMax} questions that Weir asks about one.`;
  return refused(moment, message, []);
}

function refused(moment: Moment, message: string, categories: readonly string[]): GatewayError {
  return new GatewayError('content_refused', message, { details: { moderated: moment, categories } });
}

/** Before anything was sent these say by themselves what is wrong, and whether to try again. */
const ownWords: ReadonlySet<ErrorCode> = new Set([
  'budget_spent',
  'price_unknown',
  'context_unknown',
  'store_unavailable',
  'shutting_down',
  'client_left',
]);

/** The error for a caller whose content nobody judged. */
export function moderationAway(moment: Moment, cause: unknown): GatewayError {
  const known = cause instanceof GatewayError ? cause : undefined;
  if (known !== undefined && cannotBeShown(known)) return unjudgeable(moment, 'a picture');
  // A reply is paid for already: whoever is told to try again would pay twice.
  const speaks = moment === 'request' ? known && ownWords.has(known.code) : known?.code === 'client_left';
  if (known !== undefined && speaks === true) return known;
  const reason = known === undefined ? '' : ` (${known.message})`;
  return new GatewayError(
    'moderation_unavailable',
    `The ${moment} must pass moderation, and nobody could judge it${reason}. It was not let through.`,
    { cause },
  );
}

/** The judge's wire has no place for pictures. */
function cannotBeShown({ code, param }: GatewayError): boolean {
  return code === 'operation_unsupported' && param === 'input';
}
