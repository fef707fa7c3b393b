/** Models that their providers will shut down, with the tokens that still use them. */

import type { Catalogue, Target } from '../../routing/catalogue.ts';
import type { Retirement } from '../../routing/retirement.ts';
import type { AnalyticsFilter, AnalyticsStore, Range } from '../../store/analytics/analytics-store.ts';
import { analyticsBounds, type EndingModelView } from '../contracts/analytics-contract.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';

interface EndingModelsOptions {
  readonly catalogue: Pick<Catalogue, 'resolve'>;
  readonly pricing: {
    ready(): Promise<void> | undefined;
    retirementOf(target: Target): Retirement | undefined;
  };
  readonly analytics: Pick<AnalyticsStore, 'groups'>;
  readonly tokenName: (tokenId: string) => Promise<string | undefined>;
  /** The time of day. */
  nowMs(): number;
}

/** Of all tokens, or of those of one account; what ends first comes first. */
export type EndingModels = (seenBy?: string) => Promise<readonly EndingModelView[]>;

const dayMs = 24 * 60 * 60 * 1_000;
/** As `docs/models.md` says. */
const lookBackDays = 30;
/** Names that were asked for most are looked at first; each model that ends is one more question to the database. */
const namesMax = 2_000;
const endingsMax = 50;
const tokensMax = 20;

export function createEndingModels(options: EndingModelsOptions): EndingModels {
  const { catalogue, pricing, analytics, tokenName, nowMs } = options;

  async function viewOf(ending: Ending, range: Range, own: AnalyticsFilter): Promise<EndingModelView | undefined> {
    const { provider, model, names, isMost, retirement } = ending;
    const filter = { ...own, providers: [provider], models: [...names].slice(0, analyticsBounds.filterValuesMax) };
    const byToken = { by: 'token_id', order: 'requests' } as const;
    const [groups = []] = await analytics.groups([byToken], range, filter, tokensMax);
    if (groups.length === 0) return undefined;
    const { deprecatedAt, shutdownAt } = retirement;
    const tokens = await Promise.all(
      groups.map(async ({ key, requests }) => ({ id: key, name: (await tokenName(key)) ?? key, requests })),
    );
    return withoutAbsent<EndingModelView>({
      provider,
      model,
      names: [...names],
      deprecatedAt,
      shutdownAt,
      tokens,
      ...(isMost && { isMost }),
    });
  }

  return async (seenBy) => {
    await pricing.ready();
    const toMs = nowMs();
    const range = { fromMs: toMs - lookBackDays * dayMs, toMs };
    const own: AnalyticsFilter = seenBy === undefined ? {} : { seenBy };
    const byModel = { by: 'model', order: 'requests' } as const;
    const [used = []] = await analytics.groups([byModel], range, own, namesMax);
    const endings = endingsOf(
      used.map(({ key }) => key),
      catalogue,
      pricing.retirementOf,
    );
    const views = await Promise.all(endings.slice(0, endingsMax).map((ending) => viewOf(ending, range, own)));
    return views.filter((view) => view !== undefined);
  };
}

interface Ending {
  readonly provider: string;
  readonly model: string;
  /** Under which it was asked for. */
  readonly names: Set<string>;
  /** Some of these names lead to other models of the same provider too. */
  isMost: boolean;
  readonly retirement: Retirement;
}

/** Sums have the requested name and the provider that answered, not the model's name there. */
function endingsOf(
  names: readonly string[],
  catalogue: Pick<Catalogue, 'resolve'>,
  retirementOf: (target: Target) => Retirement | undefined,
): readonly Ending[] {
  const found = new Map<string, Ending>();
  for (const name of names) {
    const targets = catalogue.resolve(name) ?? [];
    for (const target of targets) {
      const retirement = retirementOf(target);
      if (retirement === undefined) continue;
      const { provider, model } = target;
      const key = `${provider.name} ${model}`;
      const ending = found.get(key) ?? { provider: provider.name, model, names: new Set(), isMost: false, retirement };
      found.set(key, ending);
      ending.names.add(name);
      ending.isMost ||= targets.some((other) => other.provider === provider && other.model !== model);
    }
  }
  return [...found.values()].sort((one, other) => (endOf(one) < endOf(other) ? -1 : 1));
}

/** One that is advised against and has no day yet comes last. */
const endOf = ({ retirement }: Ending): string => retirement.shutdownAt ?? '9999';
