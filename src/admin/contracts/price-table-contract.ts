/**
 * Price tables as the console shows them: how old they are, and what waits for a confirmation. Shapes
 * only: pages import them.
 */

export interface HeldPriceView {
  readonly host: string;
  readonly model: string;
  readonly rates: readonly {
    readonly rate: string;
    /** USD for each `unit`; absent where there was or is none. */
    readonly before?: string;
    readonly after?: string;
    readonly unit: string;
  }[];
}

/** A model that cannot be read, or a key of one that is read without it. */
export interface LeftOutView {
  readonly what: 'model' | 'key';
  /** Line and key, as in `line 12, gpt-5/input_cost_per_token`. */
  readonly place: string;
  readonly says: string;
}

export interface PriceTableView {
  readonly source: string;
  readonly version: string;
  /** The date of its data, or else (`dated` is false) the date on which it was fetched. */
  readonly day: string;
  readonly ageDays: number;
  readonly dated: boolean;
  /** Where it came from; absent for the one that is bundled with this version. */
  readonly origin?: string;
  /** Models that it has a price for. */
  readonly models?: number;
  readonly held: readonly HeldPriceView[];
  /** Of a downloaded table, what is not understood; `named` are the first of it. */
  readonly leftOut?: {
    readonly models: number;
    readonly keys: number;
    /** Models that keep their previous price because of it. */
    readonly kept: number;
    readonly named: readonly LeftOutView[];
  };
}

/** `GET /console/api/price-tables`: in the order in which they are asked. */
export interface PriceTablesView {
  readonly tables: readonly PriceTableView[];
  /** The newest is so old that some prices are wrong. */
  readonly old: boolean;
  /** Why the last fetch failed. */
  readonly fault?: string;
}
