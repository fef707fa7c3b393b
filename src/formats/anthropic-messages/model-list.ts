/** Model lists in the shape that clients of the messages format read, page by page. https://platform.claude.com/docs/en/api/models-list (read 2026-11-15) */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { ModelFacts } from '../model-facts.ts';

export function modelEntry(facts: ModelFacts): { readonly id: string } & Readonly<Record<string, unknown>> {
  return {
    type: 'model',
    id: facts.id,
    display_name: facts.id,
    created_at: new Date(facts.createdAtMs).toISOString(),
    ...(facts.contextTokens !== undefined && { max_input_tokens: facts.contextTokens }),
    ...(facts.outputTokensMax !== undefined && { max_tokens: facts.outputTokensMax }),
  };
}

const pageSizeMax = 1_000;

/** Without `limit` one page holds them all: a client that does not page may not ask for the second one either. */
export function modelList(models: readonly ModelFacts[], query = new URLSearchParams()): object {
  const limit = limitIn(query) ?? models.length;
  const after = query.get('after_id') ?? '';
  const before = query.get('before_id') ?? '';
  const end = after === '' && before !== '' ? placeOf(models, before, 'before_id') : models.length;
  const start = after === '' ? (before === '' ? 0 : Math.max(0, end - limit)) : placeOf(models, after, 'after_id') + 1;
  const page = models.slice(start, Math.min(end, start + limit)).map(modelEntry);
  return {
    data: page,
    has_more: after === '' && before !== '' ? start > 0 : start + limit < end,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

function limitIn(query: URLSearchParams): number | undefined {
  const said = query.get('limit');
  if (said === null) return undefined;
  const limit = Number(said);
  if (said !== '' && Number.isInteger(limit) && limit >= 1 && limit <= pageSizeMax) return limit;
  throw new GatewayError('field_invalid', `\`limit\` must be a whole number from 1 to ${pageSizeMax}.`, {
    param: 'limit',
  });
}

function placeOf(models: readonly ModelFacts[], id: string, param: string): number {
  const place = models.findIndex((model) => model.id === id);
  if (place !== -1) return place;
  throw new GatewayError('field_invalid', `\`${param}\` names no model of this list.`, { param });
}
