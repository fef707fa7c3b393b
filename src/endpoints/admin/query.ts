/** Reads the query parameters of a list: small numbers, times and names, each with its own error. */

import { accountBounds } from '../../admin/contracts/contract.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';

const limitDefault = 50;
const textLengthMax = 300;

function invalid(param: string, rule: string): GatewayError {
  return new GatewayError('field_invalid', `${param}: ${rule}`, { param });
}

export function limitOf(
  query: URLSearchParams,
  fallback = limitDefault,
  most: number = accountBounds.pageItemsMax,
): number {
  const text = query.get('limit');
  if (text === null) return fallback;
  const limit = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > most) throw invalid('limit', `must be a whole number from 1 to ${most}`);
  return limit;
}

export function textOf(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (text.length > textLengthMax || text.includes('\0')) throw invalid(name, 'is too long');
  return text;
}

/** Milliseconds since 1970, or a date with or without a time. */
export function instantOf(query: URLSearchParams, name: string): number | undefined {
  const text = textOf(query, name);
  if (text === undefined) return undefined;
  const atMs = /^[0-9]{1,15}$/.test(text) ? Number(text) : Date.parse(text);
  if (!Number.isFinite(atMs)) throw invalid(name, 'must be a date such as 2030-01-31T12:00:00Z, or milliseconds');
  return atMs;
}

export function oneOf<Value extends string>(
  query: URLSearchParams,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const text = textOf(query, name);
  if (text === undefined) return undefined;
  const found = values.find((value) => value === text);
  if (found === undefined) throw invalid(name, `must be one of ${values.join(', ')}`);
  return found;
}
