/** What is known of an attempt when it ends: its result, the reported usage, and earlier exchanges of the request. */

import type { Loss } from '../../conversation/parts.ts';
import type { WrittenText } from '../../conversation/texts/written-text.ts';
import type { Usage } from '../../conversation/usage.ts';
import type { Consumption } from '../../operations/consumption.ts';
import { addUsage, addUse } from '../../operations/splittings.ts';
import { jointVersion } from '../../prices/price-source.ts';

export interface AttemptOutcome {
  readonly status: number;
  /** The error's code, `client_left`, or `''`. */
  readonly code: string;
  readonly usage: Usage;
  /** Is `usage` that of the whole reply? Absent: only where nothing went wrong. */
  readonly usageIsFinal?: boolean;
  /** Everything that an operation reported; `usage` is not read then. Absent for conversations. */
  readonly units?: Consumption | undefined;
  /** What the reply's size says of units that it does not report, for prices that need them. */
  readonly derived?: Consumption | undefined;
  /** What the model wrote, for an estimate where usage is unknown. */
  readonly written: WrittenText;
  readonly firstEventMs: number | undefined;
  readonly bytesOut: number;
  /** What of the reply the client did not get. */
  readonly losses?: readonly Loss[] | undefined;
  /** Did anything of the reply reach us? Without it and without usage a call costs nothing. */
  readonly served: boolean;
}

/** Earlier exchanges of one request: what they used and cost together. */
export interface EarlierUse {
  readonly usage: Usage;
  /** Beside tokens. */
  readonly units: Consumption;
  readonly costNano: bigint;
  readonly estimated: boolean;
  /** Of the prices that they were charged by; empty where one of them had none. */
  readonly priceVersion: string;
}

/** Among the attempts of its request: how many it has made, this one included, and what the earlier ones used. */
export interface Place {
  readonly ordinal: number;
  readonly before: EarlierUse | undefined;
}

/** An exchange that is charged now, and included in the row that the last one writes. */
export interface ClosedPart {
  /** With what earlier exchanges used. */
  readonly sum: EarlierUse;
  readonly done: Promise<void> | undefined;
}

/** The earlier exchanges and one more. */
export function withExchange(before: EarlierUse | undefined, one: EarlierUse): EarlierUse {
  if (before === undefined) return { ...one, units: addUse({}, one.units) };
  return {
    usage: addUsage(before.usage, one.usage),
    units: addUse(before.units, one.units),
    costNano: before.costNano + one.costNano,
    estimated: before.estimated || one.estimated,
    priceVersion: jointVersion(before.priceVersion, one.priceVersion),
  };
}
