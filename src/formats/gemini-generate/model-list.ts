/** Model lists in the content-generation format, page by page. https://ai.google.dev/api/models#method:-models.list (read 2026-11-15) */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { ModelFacts } from '../model-facts.ts';

export function modelEntry(facts: ModelFacts): object {
  return {
    name: `models/${facts.id}`,
    baseModelId: facts.id,
    version: '',
    displayName: facts.id,
    ...(facts.description !== undefined && { description: facts.description }),
    ...(facts.contextTokens !== undefined && { inputTokenLimit: facts.contextTokens }),
    ...(facts.outputTokensMax !== undefined && { outputTokenLimit: facts.outputTokensMax }),
    ...(facts.temperatureMax !== undefined && { maxTemperature: facts.temperatureMax }),
    // An absent limit means unknown; default sampling values never are known.
    ...(facts.parameters !== undefined && { thinking: facts.parameters.includes('thinking') }),
    supportedGenerationMethods: methodsOf(facts.operations ?? ['converse']),
  };
}

const methods: Readonly<Record<string, readonly string[]>> = {
  converse: ['generateContent', 'streamGenerateContent', 'countTokens'],
  embed: ['embedContent', 'batchEmbedContents'],
};

function methodsOf(operations: readonly string[]): readonly string[] {
  return operations.flatMap((name) => methods[name] ?? []);
}

const pageSizeMax = 1_000;

/** Without `pageSize` one page holds them all: a client that does not page may not ask for the second one either. */
export function modelList(models: readonly ModelFacts[], query = new URLSearchParams()): object {
  const size = pageSizeIn(query) ?? models.length;
  const token = query.get('pageToken') ?? query.get('page_token') ?? '';
  const start = token === '' ? 0 : placeAfter(models, token);
  const page = models.slice(start, start + size);
  const last = page.at(-1);
  const hasMore = last !== undefined && start + page.length < models.length;
  return { models: page.map(modelEntry), ...(hasMore && { nextPageToken: tokenOf(last.id) }) };
}

/** 0 asks for the default, and more than the most means the most. */
function pageSizeIn(query: URLSearchParams): number | undefined {
  const said = query.get('pageSize') ?? query.get('page_size') ?? '';
  const size = Number(said);
  if (!Number.isInteger(size) || size < 0) throw invalid('pageSize', 'must be a whole number');
  return size === 0 ? undefined : Math.min(size, pageSizeMax);
}

/** A page begins after the last model of the one before, even if models were added or removed. */
const tokenOf = (id: string): string => Buffer.from(id).toString('base64url');

function placeAfter(models: readonly ModelFacts[], token: string): number {
  const place = models.findIndex(({ id }) => tokenOf(id) === token);
  if (place === -1) throw invalid('pageToken', 'is of no page of this list');
  return place + 1;
}

function invalid(param: string, rule: string): GatewayError {
  return new GatewayError('field_invalid', `\`${param}\` ${rule}.`, { param });
}
