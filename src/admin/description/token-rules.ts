/** What descriptions of limits share: the rules by which they are checked, but for the time, and meanings. */

import { endpointNames } from '../../snippets/endpoints.ts';
import type { TokenRules } from '../contracts/usage-contract.ts';

export const describedRules: TokenRules = { endpoints: endpointNames, nowMs: () => 0 };

/** Of the term `tools`, for tokens and levels. */
export const toolsMeaning =
  'Tools that providers run and bill, by names or patterns such as `web_*`; empty for none. Null: all, or with a budget in money those whose price is known.';
