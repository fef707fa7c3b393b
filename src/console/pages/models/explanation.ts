/** The public explanation as far as the page reads it, and the smallest request of each endpoint to ask it for. */

import type { PriceSourceName } from '../../../admin/contracts/contract.ts';

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

interface Sample {
  /** Which models it is for. */
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const messages = [{ role: 'user', content: 'Hello' }];

/** By the names that a token's endpoints are known by. */
export const samples: Readonly<Record<string, Sample>> = {
  chat: { operation: 'converse', body: { messages } },
  messages: { operation: 'converse', body: { max_tokens: 1_024, messages } },
  responses: { operation: 'converse', body: { input: 'Hello' } },
  'generate-content': { operation: 'converse', body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] } },
  completions: { operation: 'converse', body: { prompt: 'Hello' } },
  'cohere-chat': { operation: 'converse', body: { messages } },
  embeddings: { operation: 'embed', body: { input: 'Hello' } },
  moderations: { operation: 'moderate', body: { input: 'Hello' } },
  rerank: { operation: 'rerank', body: { query: 'Hello', documents: ['Hello', 'Goodbye'] } },
  images: { operation: 'make-image', body: { prompt: 'Hello' } },
  speech: { operation: 'speak', body: { input: 'Hello', voice: 'alloy' } },
  videos: { operation: 'make-video', body: { prompt: 'Hello' } },
};

/** The first that the model can answer. */
export function firstEndpoint(operations: readonly string[]): string {
  const fitting = Object.entries(samples).find(([, { operation }]) => operations.includes(operation));
  return fitting?.[0] ?? 'chat';
}

export function sampleText(endpoint: string, model: string): string {
  return JSON.stringify({ model, ...samples[endpoint]?.body }, undefined, 2);
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
