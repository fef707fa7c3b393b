/** The gate's errors: what was refused, by which categories, or why it could not be checked. */

import type { ErrorCode } from '../../conversation/error-table.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject } from '../../conversation/json-tree.ts';
import { type ModerationResult, moderationCategories } from '../../operations/moderate.ts';

/** What was checked: the request before it is sent, or the reply before the client gets it. */
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

export function notCheckable(moment: Moment, what: string): GatewayError {
  return refused(moment, `The ${moment} must pass moderation, and it holds ${what}, which cannot be checked here.`, []);
}

export function tooMuch(moment: Moment, questionsMax: number): GatewayError {
  const message = `The ${moment} must pass moderation, and it needs more than the ${questionsMax} moderation requests that Weir makes for one.`;
  return refused(moment, message, []);
}

function refused(moment: Moment, message: string, categories: readonly string[]): GatewayError {
  return new GatewayError('content_refused', message, { details: { moderated: moment, categories } });
}

/** Before anything was sent these errors pass unchanged: they say what is wrong and whether to retry. */
const passedCodes: ReadonlySet<ErrorCode> = new Set([
  'budget_spent',
  'price_unknown',
  'context_unknown',
  'store_unavailable',
  'shutting_down',
  'client_left',
]);

/** The error for content that could not be checked. */
export function moderationUnavailable(moment: Moment, cause: unknown): GatewayError {
  const known = cause instanceof GatewayError ? cause : undefined;
  if (known !== undefined && cannotBeShown(known)) return notCheckable(moment, 'an image');
  // A reply is paid for already: a retry would be paid twice.
  const speaks = moment === 'request' ? known && passedCodes.has(known.code) : known?.code === 'client_left';
  if (known !== undefined && speaks === true) return known;
  const reason = known === undefined ? '' : ` (${known.message})`;
  return new GatewayError(
    'moderation_unavailable',
    `The ${moment} must pass moderation, and it could not be checked${reason}. It was not let through.`,
    { cause },
  );
}

/** The moderation model's wire does not take images. */
function cannotBeShown({ code, param }: GatewayError): boolean {
  return code === 'operation_unsupported' && param === 'input';
}
