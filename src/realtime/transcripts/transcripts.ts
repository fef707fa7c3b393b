/** Charges for transcripts of the input: another model makes them, at its own price where it has one. */

import { type Usage, unknownUsage } from '../../conversation/usage.ts';
import { costOf, unitCostOf } from '../../ledger/cost.ts';
import { addUsage, addUse } from '../../operations/splittings.ts';
import type { Price } from '../../prices/price.ts';
import { jointVersion } from '../../prices/price-source.ts';
import { operationsByName } from '../../providers/model-names.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { LiveParts } from '../live-parts.ts';
import type { ExtraCharge } from '../turn.ts';

/** Tokens or seconds, as the provider counts or as Weir estimates. */
interface TranscriptCounts {
  readonly usage: Usage | undefined;
  readonly seconds: number | undefined;
}

export class Transcripts {
  readonly #parts: LiveParts;
  #owed: ExtraCharge | undefined;
  #known: { readonly target: Target; readonly models: readonly string[] } | undefined;

  constructor(parts: LiveParts) {
    this.#parts = parts;
  }

  /** What no row was charged with yet. */
  get owed(): ExtraCharge | undefined {
    return this.#owed;
  }

  take(): ExtraCharge | undefined {
    const owed = this.#owed;
    this.#owed = undefined;
    return owed;
  }

  add(target: Target, model: string | undefined, counts: TranscriptCounts, estimated: boolean): void {
    const price = this.#priceOf(target, model);
    const { usage = unknownUsage, seconds } = counts;
    const before = this.#owed;
    const costNano = costNanoOf(price, counts);
    this.#owed = {
      usage: before === undefined ? usage : addUsage(before.usage, usage),
      costNano: costNano + (before?.costNano ?? 0n),
      estimated: estimated || before?.estimated === true,
      priceVersion: jointVersion(before?.priceVersion, price?.version ?? ''),
      // Without a price the usage is recorded in its own units.
      ...(price === undefined && { units: addUse(before?.units ?? {}, { requests: 1, seconds }) }),
    };
  }

  /** What a transcript with these counts would cost. */
  costNano(target: Target | undefined, model: string | undefined, counts: TranscriptCounts): bigint {
    return target === undefined ? 0n : costNanoOf(this.#priceOf(target, model), counts);
  }

  /** The models of the provider that transcribe by their names: one of them does where it is not known which. */
  modelsOf(target: Target): readonly string[] {
    if (this.#known?.target !== target) this.#known = { target, models: this.#transcribersOf(target) };
    return this.#known.models;
  }

  #transcribersOf({ provider }: Target): readonly string[] {
    const own = this.#parts.catalogue
      .served()
      .flatMap(({ targets }) => targets.filter((one) => one.provider === provider));
    return [...new Set(own.map(({ model }) => model))].filter(
      (model) => (provider.notes.get(model)?.operations ?? operationsByName(model))?.includes('transcribe') === true,
    );
  }

  #priceOf(target: Target, model: string | undefined): Price | undefined {
    const { catalogue, priceOf } = this.#parts;
    const own = model === undefined ? undefined : catalogue.resolve(`${target.provider.name}/${model}`)?.[0];
    return (own && priceOf(own)) ?? priceOf(target);
  }
}

function costNanoOf(price: Price | undefined, { usage = unknownUsage, seconds }: TranscriptCounts): bigint {
  return price === undefined ? 0n : costOf(price, usage) + unitCostOf(price, { seconds });
}
