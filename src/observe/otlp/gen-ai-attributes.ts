/** Attributes of spans: OpenTelemetry's GenAI conventions, https://github.com/open-telemetry/semantic-conventions-genai (read 2026-11-17), and Weir's own. */

import type { Usage } from '../../conversation/usage.ts';
import type { UsageRow } from '../../ledger/ledger.ts';
import { isUnpriced } from '../../ledger/unpriced.ts';
import { isGuess } from '../../prices/price-source.ts';
import type { AttemptCharge } from '../../relay/attempts/request-trace.ts';
import type { Lane } from '../../relay/lanes/lane.ts';
import type { Target } from '../../routing/catalogue.ts';
import { endpointSamples } from '../../snippets/endpoints.ts';
import type { Attributes, Double } from './records.ts';

/** What an endpoint is called in spans. */
interface EndpointNames {
  readonly spanName: string;
  readonly route: string | undefined;
  readonly operation: string;
}

/** The conventions' names; an endpoint without one keeps its own. */
const operations: Readonly<Record<string, string>> = {
  chat: 'chat',
  responses: 'chat',
  messages: 'chat',
  'cohere-chat': 'chat',
  'generate-content': 'generate_content',
  completions: 'text_completion',
};

const known = new Map<string, EndpointNames>();
const namesMax = 200;

export function endpointNamesOf(endpoint: string): EndpointNames {
  const found = known.get(endpoint);
  if (found !== undefined) return found;
  const route = endpointSamples.get(endpoint)?.path;
  const spanName = `POST ${route ?? endpoint}`.trim();
  const made = { spanName, route, operation: operations[endpoint] ?? endpoint };
  if (known.size < namesMax) known.set(endpoint, made);
  return made;
}

export function genAiName({ provider }: Target): string {
  return provider.genAiName ?? provider.name;
}

export function targetName({ provider, model }: Target): string {
  return `${provider.name}/${model}`;
}

const seconds = (ms: number | undefined): Double | undefined => (ms === undefined ? undefined : { double: ms / 1_000 });
const named = (text: string): string | undefined => (text === '' ? undefined : text);

/** What a request's span has in common with those of other requests of the same kind. */
interface RequestKind {
  readonly endpoint: string;
  readonly model: string;
  readonly stream: boolean;
  readonly tokenId: string;
  readonly tokenName: string | undefined;
  readonly target: Target | undefined;
  readonly lane: Lane['kind'] | undefined;
  readonly status: number;
  readonly attempts: number;
  readonly costState: string;
}

/** The attributes that requests of one kind share: one object, so that it is encoded once. */
export function sharedRequestAttributes(kind: RequestKind): Attributes {
  const { route, operation } = endpointNamesOf(kind.endpoint);
  const { target } = kind;
  return {
    'http.request.method': 'POST',
    'http.route': route,
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': target && genAiName(target),
    'gen_ai.request.model': named(kind.model),
    'gen_ai.request.stream': kind.stream || undefined,
    'gen_ai.response.model': target?.model,
    'weir.token.id': named(kind.tokenId),
    'weir.token.name': kind.tokenName,
    'weir.provider': target?.provider.name,
    'weir.lane': kind.lane,
    'weir.attempts': kind.attempts,
    'weir.cost.state': kind.costState,
    'http.response.status_code': kind.status,
  };
}

/** Of one request, as Weir serves it. */
export function requestAttributes(row: UsageRow, lane: Lane | undefined): Attributes {
  const { usage } = row;
  return {
    'error.type': named(row.code),
    'gen_ai.response.time_to_first_chunk': row.stream ? seconds(row.firstEventMs) : undefined,
    'gen_ai.usage.input_tokens': usage.input.total,
    'gen_ai.usage.output_tokens': usage.output.total,
    'gen_ai.usage.cache_read.input_tokens': usage.input.cacheRead,
    'gen_ai.usage.cache_write.input_tokens': usage.input.cacheWrite,
    'gen_ai.usage.reasoning.output_tokens': usage.output.thinking,
    'weir.request.id': row.requestId,
    'weir.losses': lossesOf(lane),
    'weir.cost.usd': isUnpriced(row) ? undefined : { double: Number(row.costNano) / 1e9 },
  };
}

/** What an attempt's span has in common with those of other attempts of the same kind. */
export interface AttemptKind {
  readonly operation: string;
  readonly stream: boolean;
  readonly keyId: string;
  readonly lane: Lane['kind'];
  readonly format: string;
  readonly url: string;
  readonly ordinal: number;
  readonly status: number | undefined;
  readonly verdict: string;
  readonly costState: string;
}

export function sharedAttemptAttributes(target: Target, kind: AttemptKind): Attributes {
  const server = serverOf(kind.url);
  return {
    'http.request.method': 'POST',
    'server.address': server.address,
    'server.port': server.port,
    'gen_ai.operation.name': kind.operation,
    'gen_ai.provider.name': genAiName(target),
    'gen_ai.request.model': target.model,
    'gen_ai.request.stream': kind.stream || undefined,
    'weir.provider': target.provider.name,
    'weir.key.id': kind.keyId,
    'weir.format': kind.format,
    'weir.lane': kind.lane,
    'weir.attempt': kind.ordinal,
    'weir.verdict': kind.verdict === '' ? 'served' : kind.verdict,
    'weir.cost.state': kind.costState,
    'http.response.status_code': kind.status,
  };
}

interface AttemptEnd {
  /** Undefined where it served. */
  readonly code: string | undefined;
  readonly firstTokenMs: number | undefined;
  readonly charge: AttemptCharge;
}

/** Of one attempt, as Weir calls a provider. */
export function attemptAttributes(lane: Lane, usage: Usage | undefined, end: AttemptEnd): Attributes {
  const { charge } = end;
  return {
    'error.type': end.code,
    'gen_ai.response.time_to_first_chunk': seconds(end.firstTokenMs),
    'gen_ai.usage.input_tokens': usage?.input.total,
    'gen_ai.usage.output_tokens': usage?.output.total,
    'gen_ai.usage.cache_read.input_tokens': usage?.input.cacheRead,
    'gen_ai.usage.cache_write.input_tokens': usage?.input.cacheWrite,
    'gen_ai.usage.reasoning.output_tokens': usage?.output.thinking,
    'weir.losses': lossesOf(lane),
    'weir.cost.usd': isUnknown(charge, usage) ? undefined : { double: Number(charge.costNano) / 1e9 },
  };
}

/** `exact`, `estimated`, `guessed` or `unknown`. */
export function requestCostState(row: UsageRow): string {
  return isUnpriced(row) ? 'unknown' : costState(row);
}

export function attemptCostState(charge: AttemptCharge, usage: Usage | undefined): string {
  return isUnknown(charge, usage) ? 'unknown' : costState(charge);
}

function isUnknown({ priceVersion, estimated }: AttemptCharge, usage: Usage | undefined): boolean {
  return priceVersion === '' && (estimated || usesTokens(usage));
}

function usesTokens(usage: Usage | undefined): boolean {
  return (usage?.input.total ?? 0) > 0 || (usage?.output.total ?? 0) > 0;
}

function costState({ priceVersion = '', estimated }: Omit<AttemptCharge, 'costNano'>): string {
  if (isGuess(priceVersion)) return 'guessed';
  return estimated ? 'estimated' : 'exact';
}

function lossesOf(lane: Lane | undefined): readonly string[] | undefined {
  if (lane === undefined || lane.losses.length === 0) return undefined;
  return [...new Set(lane.losses.map(({ what }) => what.slice(0, lossLengthMax)))].slice(0, lossesMax);
}

/** Losses are named by what callers wrote. */
const lossLengthMax = 80;
const lossesMax = 20;

interface Server {
  readonly address?: string;
  readonly port?: number;
}

function serverOf(url: string): Server {
  const parsed = URL.parse(url);
  if (parsed === null) return {};
  const { hostname, port, protocol } = parsed;
  return { address: hostname, port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port) };
}
