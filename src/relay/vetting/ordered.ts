/** What a body orders beside the model that it asks for. */

import type { Target } from '../../routing/catalogue.ts';

/** A model that may run beside the one that is asked, or instead of it. */
export interface FurtherModel {
  /** The field that names it. */
  readonly param: string;
  /** Where its price and its sizes are looked up. */
  readonly target: Target;
  /** How often it may run. */
  readonly times: number;
  /** Of one run where a tool runs it; absent where it obeys the limits of the request. */
  readonly limit?: { readonly outputTokensMax: number | undefined };
}

/** A tool that the provider runs and bills by the call. */
export interface CountedTool {
  readonly name: string;
  readonly nano: bigint;
  readonly times: number;
}
