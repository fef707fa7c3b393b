/** One served model with all that is known of it: its targets, their health, and its prices with their sources. */

import type { Role } from '../../access/account.ts';
import type { LiveConfiguration } from '../../configuration/live-configuration.ts';
import type { MergedRoute } from '../../configuration/merge.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { type UnitName, unitNames } from '../../ledger/cost.ts';
import { tokenClassNames, unitTerms } from '../../ledger/cost-lines.ts';
import { usdText } from '../../ledger/money.ts';
import { type Price, tokenRateNames } from '../../prices/price.ts';
import { priceSourceOf } from '../../prices/price-source.ts';
import type { Pricing } from '../../routing/build.ts';
import type { Catalogue, ServedModel, Target } from '../../routing/catalogue.ts';
import type { ModelDetailView, TargetPriceView } from '../contracts/configuration-contract.ts';
import type { HealthReader } from '../health/health-reader.ts';
import type { HealthReport } from '../health/health-report.ts';
import { shownHealth } from '../health/shown-health.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';
import { capabilitiesOf } from './capabilities.ts';
import { routeView } from './entry-views.ts';
import type { ModelKnowledge } from './gateway-state.ts';

interface ModelDetailParts {
  readonly live: Pick<LiveConfiguration, 'merged'>;
  readonly catalogue: Catalogue;
  readonly pricing: Pricing;
  readonly knowledgeOf: (model: ServedModel) => ModelKnowledge;
  readonly health: HealthReader;
}

export async function modelDetail(parts: ModelDetailParts, role: Role, id: string): Promise<ModelDetailView> {
  const model = parts.catalogue.find(id);
  if (model === undefined)
    throw new GatewayError('model_not_found', `No provider serves ${id.slice(0, 200)}.`, { param: 'id' });
  await parts.pricing.ready();
  const report = await parts.health.read();
  const known = parts.knowledgeOf(model);
  const route = routeTo(parts.live.merged.routes, model);
  return withoutAbsent<ModelDetailView>({
    id,
    alias: route !== undefined,
    route: route && routeView(route),
    choose: model.choose,
    affinity: model.affinity,
    targets: model.targets.map((target) => targetView(target, role, report)),
    capabilities: capabilitiesOf(known),
    prices: model.targets.map((target) => priceView(target, parts.pricing.priceOf(target))),
    operations: known.operations ?? [],
    contextTokens: known.contextTokens,
    outputTokensMax: known.outputTokensMax,
    deprecatedAt: known.deprecatedAt,
    shutdownAt: known.shutdownAt,
    inputModalities: known.inputModalities,
    outputModalities: known.outputModalities,
    description: known.description,
  });
}

/** By its name, or by the longest pattern that it fits, as in the catalogue. */
function routeTo(routes: readonly MergedRoute[], { id, targets }: ServedModel): MergedRoute | undefined {
  const leads = ({ config }: MergedRoute): boolean =>
    config?.targets.some(({ provider }) => targets.some((target) => target.provider.name === provider)) === true;
  const exact = routes.find((route) => route.alias === id && leads(route));
  if (exact !== undefined) return exact;
  return routes
    .filter((route) => route.alias.includes('*') && fits(route.alias, id) && leads(route))
    .toSorted((one, other) => other.alias.length - one.alias.length)[0];
}

function fits(pattern: string, name: string): boolean {
  const [before = '', after = ''] = pattern.split('*');
  return name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
}

function targetView(target: Target, role: Role, report: HealthReport): ModelDetailView['targets'][number] {
  const { provider, model, tier, weight, formats = [] } = target;
  const health = report.target(provider.name, model);
  const own = { provider: provider.name, model, tier, weight, inFlight: health.inFlight, formats };
  return { ...own, ...shownHealth(role, health) };
}

function priceView({ provider, model }: Target, price: Price | undefined): TargetPriceView {
  const named = { provider: provider.name, model };
  const source = priceSourceOf(price);
  if (price === undefined) return { ...named, source, version: '', lines: [] };
  return { ...named, source, version: price.version, lines: source === 'free' ? [] : linesOf(price) };
}

const perTokens = '1,000,000 tokens';

/** As people price each; a rate is kept for a million of them, of seconds for a million minutes. */
const perUnit: Readonly<Record<UnitName, string>> = {
  images: 'image',
  seconds: 'minute',
  characters: '1,000,000 characters',
  searches: '1,000 searches',
  videoSeconds: 'second',
  videos: 'video',
  pages: '1,000 pages',
  webSearches: '1,000 searches',
  requests: '1,000 requests',
};

function linesOf(price: Price): TargetPriceView['lines'] {
  const tokens = tokenRateNames.flatMap((name) => {
    const rate = price[name];
    return rate === undefined
      ? []
      : [{ class: tokenClassNames[name], usd: usdText(rate.nanoPerMillion), per: perTokens }];
  });
  const units = unitNames.flatMap((unit) => {
    const nano = price.units?.[unit];
    const [name, , share] = unitTerms[unit];
    return nano === undefined ? [] : [{ class: name, usd: usdText(nano / share), per: perUnit[unit] }];
  });
  // A price in units alone has tokens at 0, which needs no line.
  const inUnits = units.length > 0 && price.input.nanoPerMillion === 0n && price.output.nanoPerMillion === 0n;
  return inUnits ? units : [...tokens, ...units];
}
