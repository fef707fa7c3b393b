/** The contract of the ledger: what the relay may ask of it. Amounts of money are integer nano-USD. */

import type { BudgetUnit } from '../access/organization.ts';
import type { Usage } from '../conversation/usage.ts';
import type { Consumption } from '../operations/consumption.ts';
import type { Price } from '../prices/price.ts';

/** A budget that an attempt counts against: one row per scope and window. */
export interface BudgetScope {
  /** `token:<id>` for the budget in a token's terms, `<kind>:<id>#<budgetId>` for all others. */
  readonly scope: string;
  readonly unit: BudgetUnit;
  /** In its unit: nano-USD, requests or tokens. */
  readonly limit: bigint;
  /** Start of the budget's window in milliseconds, 0 for a total budget. */
  readonly windowStartMs: number;
}

/** Written and durable before the provider sees a byte: reservation and dispatch mark in one commit. */
export interface AttemptOpening {
  readonly attemptId: string;
  readonly requestId: string;
  readonly tokenId: string;
  /**
   * In the order in which they are checked: the first that has no room refuses. Requests of one caller share the array, so that
   * what the store derives from it is derived once.
   */
  readonly scopes: readonly BudgetScope[];
  /** The upper bound that is held against every scope that counts money. A scope that counts requests holds 1. */
  readonly reserveNano: bigint;
  /** The upper bound that is held against every scope that counts tokens; 0 where none does. */
  readonly reserveTokens: number;
  /** What a sweeper charges when the outcome is never learned and no checkpoint was written. */
  readonly estimateNano: bigint;
  readonly provider: string;
  readonly model: string;
  /** Which of the provider's keys it is made with. */
  readonly keyId?: string;
  readonly atMs: number;
}

export type OpeningVerdict = { readonly admitted: true } | { readonly admitted: false; readonly scope: string };

/** The end of one attempt. `costNano` 0 is a release. */
export interface AttemptClosing {
  readonly attemptId: string;
  readonly costNano: bigint;
  /**
   * Tokens of input and output that scopes of tokens are charged. Absent where they are unknown: then the reserved ones are charged
   * where the attempt served or cost something, else none.
   */
  readonly tokens?: number | undefined;
  /** The cost was not reported by the provider but estimated. */
  readonly estimated: boolean;
  readonly atMs: number;
  /**
   * What became of it where it failed: the kind of its verdict, or `unused` where nothing was sent after all. Empty where it
   * served. Scopes of requests are charged 1 where it served or used anything.
   */
  readonly verdict?: string | undefined;
  /** The request's usage row, written in the same commit when this was its last attempt. */
  readonly row?: UsageRow | undefined;
  /** Only where the closing waits for a database: one that lost the opening meanwhile gets both. */
  readonly opening?: AttemptOpening | undefined;
}

/** One attempt of a request's trail. */
export interface AttemptRow {
  readonly attemptId: string;
  /** Whose request it belongs to, known before the request has a row. */
  readonly tokenId: string;
  readonly provider: string;
  readonly model: string;
  /** Absent where it was made before keys were written down. */
  readonly keyId: string | undefined;
  /** As its closing said, or `lost` where its process died. Absent while it is open, and where it ended before verdicts were written down. */
  readonly verdict: string | undefined;
  readonly atMs: number;
  /** Absent while it is open, as its cost is. */
  readonly settledAtMs: number | undefined;
  readonly costNano: bigint | undefined;
  readonly estimated: boolean;
  /** The database had lost its opening, and it was written again with its closing: no limit was checked then. Absent for all others. */
  readonly recovered?: true;
}

/** One row a request, about 300 bytes, no content. */
export interface UsageRow {
  readonly requestId: string;
  readonly atMs: number;
  readonly tokenId: string;
  readonly endpoint: string;
  /** The model as the caller named it. */
  readonly model: string;
  readonly provider: string;
  readonly upstreamModel: string;
  readonly stream: boolean;
  readonly attempts: number;
  readonly status: number;
  /** The error's code, or `''`. A client that left is `client_left`. */
  readonly code: string;
  readonly usage: Usage;
  readonly costNano: bigint;
  readonly estimated: boolean;
  readonly priceVersion: string;
  /** The name of the price in the table of charged prices; absent where none was known. */
  readonly priceName?: string | undefined;
  /** What was used beside tokens; absent where nothing was. */
  readonly units?: Consumption | undefined;
  /** The lane, formats and losses, as `writeLaneRecord` writes them; absent where nothing was sent. */
  readonly way?: string | undefined;
  /** Milliseconds until the first event was sent on; absent where there was none. */
  readonly firstEventMs?: number | undefined;
  readonly totalMs: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** How many refused requests the row counts; absent: it is one request. */
  readonly requests?: number | undefined;
  /** The end user whom the request named; absent where it named none. */
  readonly endUser?: string | undefined;
  /** The tags that the request has; absent where it has none. */
  readonly tags?: readonly string[] | undefined;
  /** The key of the attempt that ended the request; absent where no provider was called. */
  readonly keyId?: string | undefined;
}

/** Why an attempt failed, or why a request was refused. It moves no money, so it may be written a moment later. */
export interface RequestError {
  readonly requestId: string;
  /** Its number within the request; 0 is the error that the client was sent. */
  readonly attempt: number;
  readonly atMs: number;
  /** Empty where no provider was called, as the key is. */
  readonly provider: string;
  readonly keyId: string;
  /** The provider's HTTP status, where it sent one. */
  readonly status?: number | undefined;
  readonly code: string;
  /** What the provider said, without secrets and at most 1 KB; where it said nothing, what happened. */
  readonly message: string;
}

export interface Ledger {
  /** The verdict where the opening could be made durable without waiting; undefined where `open` must be asked. */
  openNow(opening: AttemptOpening): OpeningVerdict | undefined;
  /** True where the closing could be made durable without waiting; false where `close` must be asked. */
  closeNow(closing: AttemptClosing): boolean;
  open(opening: AttemptOpening): Promise<OpeningVerdict>;
  /**
   * Idempotent: repeating it changes nothing. What a sweeper charged for an attempt that was not dead is corrected, once. Resolves
   * when durable, or when the database is away: then it is kept and written as soon as it can be.
   */
  close(closing: AttemptClosing): Promise<void>;
  /** What an open stream has cost so far; written in batches, so that a crash loses at most a second of it. */
  checkpoint(attemptId: string, costNano: bigint): void;
  /** The name by which the price of a row is found again; the price is written down when it is first named. */
  nameOf(price: Price): string;
  /** A request that was refused before any attempt, so that it appears in the usage list too. */
  record(row: UsageRow): void;
  /** Why an attempt failed or a request was refused. */
  recordError(error: RequestError): void;
}
