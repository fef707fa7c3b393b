/** The headers of a reply: the provider's content type and Weir's own. No other header of the provider is passed on. */

import type { Loss } from '../../conversation/parts.ts';
import type { Format } from '../../formats/format.ts';
import { privateHeaders } from '../../http/private-headers.ts';
import { type Reply, WholeReply } from '../../http/reply.ts';
import { type SharedHeaders, withLines } from '../../http/reply-headers.ts';
import { usdText } from '../../ledger/money.ts';
import { isGuess } from '../../prices/price-source.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { Attempt } from '../attempts/attempt.ts';
import { noLosses } from '../lanes/lane.ts';
import { fieldNames, lossNames } from '../lanes/loss-names.ts';

type Provider = Target['provider'];

/** What is the same in all replies of a provider, but for requests that made several attempts. */
function sharedHeaders({ name }: Provider, contentType: string): Record<string, string> {
  // `vary` is left out: no cache stores the reply to a POST that says no-store.
  return {
    'content-type': contentType,
    'cache-control': privateHeaders['cache-control'],
    'x-content-type-options': privateHeaders['x-content-type-options'],
    'x-weir-provider': name,
    'x-weir-attempts': '1',
  };
}

function ownHeaders(attempt: Attempt, replyLosses: readonly Loss[]): Record<string, string> {
  const { requestId, admission, format } = attempt.call;
  const headers: Record<string, string> = { 'x-request-id': requestId };
  if (attempt.ordinal > 1) headers['x-weir-attempts'] = String(attempt.ordinal);
  // Most tokens have no limits.
  for (const name in admission.headers) headers[name] = admission.headers[name] ?? '';
  if (format.limitHeaders !== undefined) Object.assign(headers, format.limitHeaders(admission.headers, Date.now()));
  const ending = attempt.endingHeaders;
  if (ending !== undefined) Object.assign(headers, ending);
  const { losses, restored } = attempt.lane;
  if (restored !== undefined && restored.length > 0) headers['x-weir-restored'] = fieldNames(restored);
  if (losses.length > 0 || replyLosses.length > 0) headers['x-weir-losses'] = lossNames([...losses, ...replyLosses]);
  return headers;
}

export function replyHeaders(
  attempt: Attempt,
  contentType: string,
  replyLosses: readonly Loss[] = noLosses,
): Record<string, string> {
  return { ...sharedHeaders(attempt.target.provider, contentType), ...ownHeaders(attempt, replyLosses) };
}

/** Their lines are written once for each provider. */
const jsonHeaders = new WeakMap<Provider, SharedHeaders>();

function jsonHeadersOf(provider: Provider): SharedHeaders {
  const known = jsonHeaders.get(provider);
  if (known !== undefined) return known;
  const made = withLines(sharedHeaders(provider, 'application/json'));
  jsonHeaders.set(provider, made);
  return made;
}

/** A whole reply of JSON with the headers of `replyHeaders` and `setCostHeaders`. */
export function jsonReply(
  attempt: Attempt,
  bytes: Uint8Array<ArrayBuffer>,
  losses: readonly Loss[],
  costNano: bigint,
): Reply {
  const own = ownHeaders(attempt, losses);
  setCostHeaders(own, attempt, costNano);
  return new WholeReply(bytes, own, jsonHeadersOf(attempt.target.provider));
}

/** The cost of a settled request: omitted where no price is known, and marked where it is not exact. */
export function setCostHeaders(headers: Record<string, string>, { row }: Pick<Attempt, 'row'>, costNano: bigint): void {
  if (row === undefined || row.priceVersion === '') return;
  headers['x-weir-cost-usd'] = usdText(costNano);
  if (isGuess(row.priceVersion)) headers['x-weir-cost-source'] = row.estimated ? 'guess, estimate' : 'guess';
  else if (row.estimated) headers['x-weir-cost-source'] = 'estimate';
}

export function eventStreamHeaders(requestId: string, format: Format): Record<string, string> {
  return {
    'content-type': format.framing === 'json-array' ? 'application/json' : 'text/event-stream; charset=utf-8',
    ...privateHeaders,
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'x-request-id': requestId,
  };
}

export function streamHeaders(attempt: Attempt, losses: readonly Loss[] = noLosses): Record<string, string> {
  return { ...replyHeaders(attempt, '', losses), ...eventStreamHeaders(attempt.call.requestId, attempt.call.format) };
}
