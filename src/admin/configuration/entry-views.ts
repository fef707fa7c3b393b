/** Configuration as `weir.yaml` would write it, for entries that came from elsewhere than the console. */

import { priceFile } from '../../config/price-schema.ts';
import { shownEntry } from '../../configuration/entry-secrets.ts';
import type { MergedPrice, MergedRoute } from '../../configuration/merge.ts';
import type { ModelConfig, PriceConfig, ProviderConfig } from '../../settings/config.ts';
import type {
  PriceEntry,
  PriceView,
  ProviderEntry,
  RouteEntry,
  RouteView,
  TargetEntry,
} from '../contracts/configuration-contract.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';

/** Without its keys, and without what may be a credential. */
export function providerEntry(config: ProviderConfig): ProviderEntry {
  const { name, kind, baseUrl, models, headers, settings, region, proxy, results, profiles, enabled } = config;
  const { routesElsewhere, reportsCost } = config;
  const entry = withoutAbsent<ProviderEntry>({
    kind: kind === name ? undefined : kind,
    base_url: baseUrl,
    models,
    headers: Object.keys(headers).length === 0 ? undefined : headers,
    settings,
    region,
    proxy,
    results,
    routes_elsewhere: routesElsewhere,
    reports_cost: reportsCost,
    profiles,
    enabled: enabled ? undefined : false,
  });
  return shownEntry({ ...entry });
}

function routeEntry({ targets, choose, affinity, moderation }: ModelConfig): RouteEntry {
  const moments = moderation && (moderation.before ? (moderation.after ? 'both' : 'before') : 'after');
  return withoutAbsent<RouteEntry>({ targets: targets.map(targetEntry), choose, affinity, moderation: moments });
}

function targetEntry(target: ModelConfig['targets'][number]): TargetEntry {
  const { provider, model, weight, tier, firstEventTimeoutMs, conditions } = target;
  const { inputTokensMax, ...rest } = conditions ?? {};
  return withoutAbsent<TargetEntry>({
    provider,
    model,
    weight: weight === 1 ? undefined : weight,
    tier: tier === 0 ? undefined : tier,
    first_event_timeout_ms: firstEventTimeoutMs,
    only: conditions && withoutAbsent<NonNullable<TargetEntry['only']>>({ ...rest, input_tokens_max: inputTokensMax }),
  });
}

function priceEntry(config: PriceConfig): PriceEntry {
  return withoutAbsent<PriceEntry>(priceFile(config));
}

export function routeView({ alias, origin, originText, problem, config, kept }: MergedRoute): RouteView {
  // What the console keeps was checked when it was written; where it is wrong by now, `problem` says so.
  const entry = kept === undefined ? config && routeEntry(config) : (kept.entry as unknown as RouteEntry);
  const locked = origin !== 'console';
  return withoutAbsent<RouteView>({ alias, origin, originText, locked, problem, entry: entry ?? { targets: [] } });
}

export function priceView({ pattern, origin, originText, config, kept }: MergedPrice): PriceView {
  const entry = kept === undefined ? config && priceEntry(config) : (kept.entry as PriceEntry);
  return { pattern, origin, originText, locked: origin !== 'console', entry: entry ?? {} };
}
