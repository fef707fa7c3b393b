/** The attempts of the last hour, sorted by provider, key and model. */

import type { AttemptWindow } from '../../store/health/attempt-health-store.ts';
import { AttemptFigures } from './health-figures.ts';

export const minuteMs = 60_000;
export const minutesShown = 60;

interface Counts {
  readonly attempts: number;
  readonly failed: number;
}

/** What is known of one provider's attempts. */
class ProviderFigures {
  readonly all = new AttemptFigures();
  readonly keys = new Map<string, AttemptFigures>();
  readonly models = new Map<string, AttemptFigures>();
  /** Models with attempts in the window. */
  readonly calledModels = new Set<string>();
  readonly minutes = new Map<number, Counts>();

  figuresOf(keyId: string, model: string): readonly AttemptFigures[] {
    return [this.all, figuresIn(this.keys, keyId), figuresIn(this.models, model)];
  }
}

function figuresIn(figures: Map<string, AttemptFigures>, name: string): AttemptFigures {
  const known = figures.get(name) ?? new AttemptFigures();
  figures.set(name, known);
  return known;
}

export class WindowFigures {
  readonly fromMs: number;
  readonly #providers = new Map<string, ProviderFigures>();

  constructor({ sums, minutes, ends }: AttemptWindow, fromMs: number) {
    this.fromMs = fromMs;
    for (const sum of sums) {
      const provider = this.provider(sum.provider);
      for (const figures of provider.figuresOf(sum.keyId, sum.model)) figures.addSum(sum);
      provider.calledModels.add(sum.model);
    }
    for (const end of ends) {
      for (const figures of this.provider(end.provider).figuresOf(end.keyId, end.model)) figures.addEnd(end);
    }
    for (const { provider, startMs, ...counts } of minutes) this.provider(provider).minutes.set(startMs, counts);
  }

  provider(name: string): ProviderFigures {
    const known = this.#providers.get(name) ?? new ProviderFigures();
    this.#providers.set(name, known);
    return known;
  }
}
