/** Reads what came over the wire without trusting its shape: what is not there, or is something else, is nothing. */

import type { DraftFailure } from './format-adapter.ts';
import type { ServerEvent } from './server-events.ts';

export type Fields = Record<string, unknown>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** What is no JSON is no event that anybody could read; it stays visible in the wire panel. */
export function parseData({ data }: ServerEvent): Fields {
  try {
    return fieldsOf(JSON.parse(data));
  } catch {
    return {};
  }
}

export function failureOf(error: Fields): DraftFailure {
  return {
    message: textOf(error['message']),
    code: textOf(error['reason']) || textOf(error['code']) || textOf(error['type']) || 'error',
  };
}
