/** Metrics of attempts: how they ended, by provider and model, and how long those that served took, by provider. */

import { type EndedAttempt, outcomeOf } from '../relay/attempts/ended-attempt.ts';
import { emptyHistogram, type Histogram, record } from './histogram.ts';
import { type Family, label } from './routing-metrics.ts';

/** Model names may come from callers: beyond this many a provider's attempts are counted with `model="others"`. */
const seriesMax = 2_000;

interface ProviderTimings {
  readonly labels: string;
  readonly firstToken: Histogram;
  readonly total: Histogram;
}

interface ProviderCounts {
  readonly timings: ProviderTimings;
  readonly models: Map<string, Map<EndedAttempt['verdict'], number>>;
}

export class AttemptCounts {
  readonly #providers = new Map<string, ProviderCounts>();
  #models = 0;

  count(ended: EndedAttempt): void {
    const { verdict, firstTokenMs, totalMs } = ended;
    const { timings, models } = this.#providerOf(ended.provider);
    const verdicts = this.#verdictsOf(models, ended.model);
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    if (verdict !== '') return;
    if (firstTokenMs !== undefined) record(timings.firstToken, firstTokenMs / 1000);
    if (totalMs !== undefined) record(timings.total, totalMs / 1000);
  }

  #providerOf(name: string): ProviderCounts {
    const known = this.#providers.get(name);
    if (known !== undefined) return known;
    const timings = { labels: `provider="${label(name)}"`, firstToken: emptyHistogram(), total: emptyHistogram() };
    const made: ProviderCounts = { timings, models: new Map() };
    this.#providers.set(name, made);
    return made;
  }

  #verdictsOf(models: ProviderCounts['models'], model: string): Map<EndedAttempt['verdict'], number> {
    const known = models.get(model) ?? (this.#models >= seriesMax ? models.get('others') : undefined);
    if (known !== undefined) return known;
    const made = new Map<EndedAttempt['verdict'], number>();
    models.set(this.#models >= seriesMax ? 'others' : model, made);
    this.#models++;
    return made;
  }

  timings(): readonly ProviderTimings[] {
    return [...this.#providers.values()].map(({ timings }) => timings);
  }

  family(): Family {
    const rows = new Map<string, number>();
    for (const { timings, models } of this.#providers.values()) {
      for (const [model, verdicts] of models) {
        for (const [verdict, count] of verdicts) {
          const how = `outcome="${outcomeOf({ verdict })}",verdict="${verdict === '' ? 'served' : verdict}"`;
          rows.set(`${timings.labels},model="${label(model)}",${how}`, count);
        }
      }
    }
    return { name: 'weir_attempts_total', kind: 'counter', help: 'Attempts by outcome and verdict.', rows };
  }
}
