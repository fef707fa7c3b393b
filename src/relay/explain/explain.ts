/** Explains where a request would go and why without sending it: the plan, lanes and cost bound of a real request; nothing is charged or counted. */

import type { Caller } from '../../access/caller.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { defined } from '../../conversation/json-tree.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import { privateHeaders } from '../../http/private-headers.ts';
import type { Reply } from '../../http/reply.ts';
import { usdText } from '../../ledger/money.ts';
import { prices } from '../../ledger/use.ts';
import type { Consumption } from '../../operations/consumption.ts';
import type { Price } from '../../prices/price.ts';
import { priceSourceOf } from '../../prices/price-source.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { Health } from '../../routing/health.ts';
import type { RoutePlan } from '../../routing/plan.ts';
import type { CallFacts } from '../admission/call.ts';
import { nothingSent } from '../admission/ledger-errors.ts';
import { affinityOf, type RouteRequest } from '../admission/route-call.ts';
import { standingOf as budgetStanding } from '../cost-bounds/budget-refusal.ts';
import { budgetsOf } from '../cost-bounds/budget-scopes.ts';
import { allBudgets, type KnownBudget } from '../cost-bounds/level-budgets.ts';
import { boundsAt } from '../cost-bounds/price-bounds.ts';
import { requireBounds } from '../cost-bounds/require-bounds.ts';
import type { Lane } from '../lanes/lane.ts';
import type { RelayParts } from '../relay-parts.ts';
import { explainedProfile } from './explain-profile.ts';
import type {
  CandidateState,
  ExplainedBudget,
  ExplainedCandidate,
  ExplainedExclusion,
  ExplainedLimits,
  Explanation,
} from './explanation.ts';

export type ExplainParts = Pick<
  RelayParts,
  | 'budgetOf'
  | 'catalogue'
  | 'contextTokensOf'
  | 'outputBoundOf'
  | 'outputTokensOf'
  | 'keys'
  | 'limiter'
  | 'nowMs'
  | 'priceOf'
  | 'priceTables'
  | 'pricesReady'
  | 'routing'
  | 'wallMs'
>;

interface ExplainQuestion {
  readonly requestId: string;
  readonly routing: RouteRequest;
  readonly route: RoutePlan;
  /** What the bound there is made of. */
  factsAt(target: Target): CallFacts;
  /** The lane that the request would take there; throws where there is none. Must not call a provider. */
  laneFor(target: Target): Lane | Promise<Lane>;
}

const conversing = 'converse';
export const explainHeader = 'x-weir-explain';

/** A caller that asks for an explanation does not want to pay for a reply, so every value but 1 and 0 is refused. */
export function asksToExplain({ caller, headers }: Pick<RouteRequest, 'caller' | 'headers'>): boolean {
  const value = headers.get(explainHeader);
  if (value === null || value === '0' || value === 'false') return false;
  const param = explainHeader;
  if (value !== '1' && value !== 'true') {
    throw new GatewayError('header_invalid', `The header \`${explainHeader}\` must be 1 or 0.`, { param });
  }
  if (caller.terms.mayExplain === true) return true;
  const message = 'This token is not allowed to use `x-weir-explain`. An administrator can allow it.';
  throw new GatewayError('explain_not_allowed', message, { param });
}

export async function explain(parts: ExplainParts, question: ExplainQuestion): Promise<Reply> {
  const body = JSON.stringify(await explanationOf(parts, question));
  return new Response(body, {
    headers: {
      'content-type': 'application/json',
      ...privateHeaders,
      'x-request-id': question.requestId,
    },
  });
}

async function explanationOf(parts: ExplainParts, question: ExplainQuestion): Promise<Explanation> {
  const { routing, route } = question;
  await parts.pricesReady();
  const candidates: ExplainedCandidate[] = [];
  const excluded: ExplainedExclusion[] = [
    ...route.excluded.map(({ target, why }) => ({ ...namesOf(target), why })),
    ...parts.catalogue.paused(routing.model).map(({ provider, model }) => ({
      provider: provider.name,
      model,
      why: 'is paused in the console',
    })),
  ];
  for (const target of route.targets) {
    const outcome = await outcomeAt(parts, question, target);
    if ('why' in outcome) excluded.push(outcome);
    else candidates.push(outcome);
  }
  const affinity = route.affinityKey === undefined ? undefined : affinityOf(parts, routing);
  return {
    object: 'weir.explanation',
    model: routing.model,
    operation: routing.operation,
    strategy: route.strategy,
    drawn: isDrawn(route, parts.nowMs()),
    affinity: { kind: affinity?.kind ?? null, key: affinity?.key ?? null },
    candidates,
    excluded,
    limits: await limitsOf(parts, routing.caller),
  };
}

function sizesAt({ contextTokensOf, outputTokensOf }: ExplainParts, target: Target) {
  return {
    ...defined('contextTokens', contextTokensOf(target)),
    ...defined('outputTokensMax', outputTokensOf(target)),
  };
}

/** The result of an attempt there, up to the moment before anything is sent. */
async function outcomeAt(
  parts: ExplainParts,
  { routing, factsAt, laneFor }: ExplainQuestion,
  target: Target,
): Promise<ExplainedCandidate | ExplainedExclusion> {
  const price = parts.priceOf(target);
  try {
    const lane = await laneFor(target);
    const facts = factsAt(target);
    const { caller, model } = routing;
    const budgets = budgetsOf({ caller, model, target, price, most: facts.most }, parts.priceTables, parts.wallMs());
    requireBounds(budgets, boundsAt(parts, target, price, facts), target, caller.tokenId);
    const profile = routing.operation === conversing ? explainedProfile(target, sizesAt(parts, target)) : [];
    return {
      ...namesOf(target),
      ...standingOf(parts, target),
      ...laneFacts(lane),
      ...costOf(parts, facts, target, price),
      profile,
    };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { ...namesOf(target), why: error.message, code: error.code };
  }
}

function namesOf({ provider, model }: Target): { readonly provider: string; readonly model: string } {
  return { provider: provider.name, model };
}

function laneFacts({ kind, providerFormat, losses }: Lane): Pick<ExplainedCandidate, 'lane' | 'format' | 'losses'> {
  return { lane: kind, format: providerFormat, losses: losses.map(({ what, why }) => ({ what, why })) };
}

type PriceField = 'price_bound_usd' | 'price_version' | 'price_source';

const tokensOnly: Consumption = { tokens: unknownUsage };

function costOf(
  parts: ExplainParts,
  facts: CallFacts,
  target: Target,
  price: Price | undefined,
): Pick<ExplainedCandidate, PriceField> {
  // A price in units that the call does not have says nothing about it.
  if (price === undefined || !prices(price, facts.most ?? tokensOnly)) {
    return { price_bound_usd: null, price_version: price?.version ?? null, price_source: priceSourceOf(price) };
  }
  const bounds = boundsAt(parts, target, price, facts);
  const price_source = priceSourceOf(price);
  return { price_bound_usd: usdText(bounds.mostNano()), price_version: price.version, price_source };
}

const nothingTried: ReadonlySet<string> = new Set();

type Standing = Omit<ExplainedCandidate, 'provider' | 'model' | 'lane' | 'format' | 'losses' | PriceField | 'profile'>;

function standingOf({ keys, nowMs }: ExplainParts, target: Target): Standing {
  const { provider, conditions, health, tier, weight } = target;
  const now = nowMs();
  const known = provider.keys.map((key) => keys.knownHealthOf(target, key, now));
  const readyAtMs = Math.max(health.readyAtMs(now), keys.readyAtMs(target, nothingTried, now));
  return {
    tier,
    weight,
    region: conditions?.region ?? provider.region ?? null,
    state: stateOf(health, known, now),
    ready_in_ms: Number.isFinite(readyAtMs) ? Math.ceil(readyAtMs - now) : null,
    keys_ready: known.filter((key) => key?.admits(now) ?? true).length,
    keys: provider.keys.length,
    in_flight: health.inFlight,
    ...learnedAt(health),
  };
}

function learnedAt({ learned }: Health): Pick<ExplainedCandidate, 'learned'> {
  const all = learned?.all ?? [];
  if (all.length === 0) return {};
  return { learned: all.map(({ what, atMs }) => ({ what, at: new Date(atMs).toISOString() })) };
}

/** A target without a usable key has the state of the key that is ready first. */
function stateOf(target: Health, keys: readonly (Health | undefined)[], nowMs: number): CandidateState {
  const own = healthState(target, nowMs);
  if (own !== 'ready') return own;
  const [first] = keys
    .filter((key) => key !== undefined)
    .toSorted((one, other) => one.readyAtMs(nowMs) - other.readyAtMs(nowMs));
  const isServed = keys.some((key) => key?.admits(nowMs) ?? true);
  return isServed || first === undefined ? own : healthState(first, nowMs);
}

function healthState(health: Health, nowMs: number): CandidateState {
  const breaker = health.breakerState(nowMs);
  if (breaker === 'open') return 'open';
  if (health.isCooling(nowMs)) return 'cooling';
  return breaker === 'half-open' ? 'probing' : 'ready';
}

/** Only ready ones of a tier are drawn, and not the one that affinity puts first. */
function isDrawn({ targets, strategy, affinityKey }: RoutePlan, nowMs: number): boolean {
  if (strategy !== 'weighted' && strategy !== 'fastest') return false;
  const ready = new Map<number, number>();
  for (const { tier, health } of targets) if (health.admits(nowMs)) ready.set(tier, (ready.get(tier) ?? 0) + 1);
  const placed = affinityKey === undefined ? 0 : 1;
  return [...ready.values()].some((count) => count - placed > 1);
}

async function limitsOf(parts: ExplainParts, caller: Caller): Promise<ExplainedLimits> {
  const { requests, tokens, concurrency } = await parts.limiter.peek(caller);
  const known = allBudgets(caller);
  const own = known.find(({ level, budget }) => level.id === caller.tokenId && budget.id === '');
  const others = known.filter((each) => each !== own);
  const [budget, budgets] = await Promise.all([
    own === undefined ? undefined : budgetLeft(parts, own),
    Promise.all(others.map((each) => levelBudgetLeft(parts, each))),
  ]).catch(nothingSent);
  return {
    ...(requests !== undefined && { requests_per_minute: requests }),
    ...(tokens !== undefined && { tokens_per_minute: tokens }),
    ...(concurrency !== undefined && { concurrency }),
    ...(budget !== undefined && { budget }),
    ...(budgets.length > 0 && { budgets }),
  };
}

async function budgetLeft(parts: ExplainParts, own: KnownBudget): Promise<NonNullable<ExplainedLimits['budget']>> {
  const { limit, spent, held } = await budgetStanding(parts, own, parts.wallMs());
  const { period } = own.budget;
  return { limit_usd: usdText(limit), spent_usd: usdText(spent), held_usd: usdText(held), period };
}

async function levelBudgetLeft(parts: ExplainParts, known: KnownBudget): Promise<ExplainedBudget> {
  const { level, budget } = known;
  const { limit, spent, held } = await budgetStanding(parts, known, parts.wallMs());
  const text = (amount: bigint): string => (budget.unit === 'usd' ? usdText(amount) : `${amount}`);
  return {
    level: level.kind,
    name: level.name,
    id: budget.id,
    unit: budget.unit,
    limit: text(limit),
    spent: text(spent),
    held: text(held),
    period: budget.period,
    ...(budget.models !== undefined && { models: budget.models }),
  };
}
