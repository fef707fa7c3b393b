/** The public explanation as far as the page reads it, and the sample request to ask it for. */

import type { PriceSourceName } from '../../../admin/contracts/contract.ts';
import { endpointSamples } from '../../../snippets/endpoints.ts';

export interface ExplanationView {
  readonly model: string;
  readonly operation: string;
  readonly strategy: 'weighted' | 'least_busy' | 'fastest' | 'cheapest';
  readonly drawn: boolean;
  readonly affinity: { readonly kind: 'session' | 'prefix' | null };
  readonly candidates: readonly CandidateView[];
  readonly excluded: readonly { readonly provider: string; readonly model: string; readonly why: string }[];
}

export interface CandidateView {
  readonly provider: string;
  readonly model: string;
  readonly tier: number;
  readonly weight: number;
  readonly state: 'ready' | 'cooling' | 'open' | 'probing';
  readonly ready_in_ms: number | null;
  readonly keys_ready: number;
  readonly keys: number;
  readonly lane: 'forward' | 'patch' | 'translate';
  readonly format: string;
  readonly losses: readonly { readonly what: string; readonly why: string }[];
  readonly price_bound_usd: string | null;
  readonly price_version: string | null;
  readonly price_source: PriceSourceName;
  readonly profile: readonly FactView[];
}

/** Something that is known of the model, with where it is written. */
export interface FactView {
  readonly field: string;
  readonly value: unknown;
  readonly from: string;
}

/** A list with commas, a map as its fields. */
export function factText(value: unknown): string {
  if (Array.isArray(value)) return value.map(factText).join(', ') || '–';
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, field]) => (name === 'kind' ? factText(field) : `${name} ${factText(field)}`))
    .join(' ');
}

/** The first that the model can answer. */
export function firstEndpoint(operations: readonly string[]): string {
  const fitting = [...endpointSamples].find(([, { operation }]) => operations.includes(operation));
  return fitting?.[0] ?? 'chat';
}

export function sampleText(endpoint: string, model: string): string {
  return JSON.stringify({ model, ...endpointSamples.get(endpoint)?.body }, undefined, 2);
}

/** Nothing where the text is no JSON object. */
export function readSample(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
