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
}

/** `GET /console/api/price-tables`: in the order in which they are asked. */
export interface PriceTablesView {
  readonly tables: readonly PriceTableView[];
  /** The newest is so old that some prices are wrong. */
  readonly old: boolean;
  /** Why the last fetch failed. */
  readonly fault?: string;
}
