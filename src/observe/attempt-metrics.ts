/** Metrics of attempts: how they ended and how quickly tokens came, by provider and model, and how long those that served took, by provider. */

import { type EndedAttempt, outcomeOf, outputMsOf } from '../relay/attempts/ended-attempt.ts';
import {
  emptyHistogram,
  type Histogram,
  histogram,
  record,
  secondsBounds,
  tokensPerSecondBounds,
} from './histogram.ts';
import { type Family, label } from './routing-metrics.ts';

/** Model names may come from callers: beyond this many a provider's attempts are counted with `model="others"`. */
const seriesMax = 2_000;

interface ProviderTimings {
  readonly labels: string;
  readonly firstToken: Histogram;
  readonly total: Histogram;
}

interface ModelCounts {
  readonly labels: string;
  readonly verdicts: Map<EndedAttempt['verdict'], number>;
  /** Made with the first streamed reply: many models never stream, and a histogram is many series. */
  tokensPerSecond: Histogram | undefined;
}

interface ProviderCounts {
  readonly timings: ProviderTimings;
  readonly models: Map<string, ModelCounts>;
}

export class AttemptCounts {
  readonly #providers = new Map<string, ProviderCounts>();
  readonly #byLabels = new Map<string, ModelCounts>();

  count(ended: EndedAttempt): void {
    const { verdict, firstTokenMs, totalMs } = ended;
    const provider = this.#providerOf(ended.provider);
    const model = this.#modelOf(provider, ended.model);
    model.verdicts.set(verdict, (model.verdicts.get(verdict) ?? 0) + 1);
    if (verdict !== '') return;
    if (firstTokenMs !== undefined) record(provider.timings.firstToken, firstTokenMs / 1000);
    if (totalMs !== undefined) record(provider.timings.total, totalMs / 1000);
    const tokensPerSecond = tokensPerSecondOf(ended);
    if (tokensPerSecond === undefined) return;
    model.tokensPerSecond ??= emptyHistogram(tokensPerSecondBounds);
    record(model.tokensPerSecond, tokensPerSecond);
  }

  #providerOf(name: string): ProviderCounts {
    const known = this.#providers.get(name);
    if (known !== undefined) return known;
    const timings = {
      labels: `provider="${label(name)}"`,
      firstToken: emptyHistogram(secondsBounds),
      total: emptyHistogram(secondsBounds),
    };
    const made: ProviderCounts = { timings, models: new Map() };
    this.#providers.set(name, made);
    return made;
  }

  #modelOf({ timings, models }: ProviderCounts, name: string): ModelCounts {
    const isFull = this.#byLabels.size >= seriesMax;
    const known = models.get(name) ?? (isFull ? models.get('others') : undefined);
    if (known !== undefined) return known;
    const shown = isFull ? 'others' : name;
    const labels = `${timings.labels},model="${label(shown)}"`;
    // A label is shortened, so that two names may have one: they are one series.
    const same = this.#byLabels.get(labels);
    if (same !== undefined) return same;
    const made: ModelCounts = { labels, verdicts: new Map(), tokensPerSecond: undefined };
    models.set(shown, made);
    this.#byLabels.set(labels, made);
    return made;
  }

  family(): Family {
    const rows = new Map<string, number>();
    for (const { labels, verdicts } of this.#byLabels.values()) {
      for (const [verdict, count] of verdicts) {
        const how = `outcome="${outcomeOf({ verdict })}",verdict="${verdict === '' ? 'served' : verdict}"`;
        rows.set(`${labels},${how}`, count);
      }
    }
    return { name: 'weir_attempts_total', kind: 'counter', help: 'Attempts by outcome and verdict.', rows };
  }

  histograms(): readonly string[] {
    const timings = [...this.#providers.values()].map((provider) => provider.timings);
    return [
      ...histogram(
        'weir_attempt_first_token_seconds',
        'Time from the start of an attempt to the first token of its streamed reply.',
        timings,
        ({ firstToken }) => firstToken,
      ),
      ...histogram(
        'weir_attempt_seconds',
        'Time from the start of an attempt that served to its end.',
        timings,
        ({ total }) => total,
      ),
      ...histogram(
        'weir_attempt_output_tokens_per_second',
        'Output tokens after the first one of a streamed reply, divided by the time since.',
        [...this.#byLabels.values()],
        ({ tokensPerSecond }) => tokensPerSecond,
      ),
    ];
  }
}

/** Undefined where the provider did not report tokens, or the time says nothing about them. */
function tokensPerSecondOf(ended: EndedAttempt): number | undefined {
  const outputMs = outputMsOf(ended);
  const { outputTokens = 0 } = ended;
  return outputMs === undefined || outputTokens < 2 ? undefined : ((outputTokens - 1) * 1000) / outputMs;
}
