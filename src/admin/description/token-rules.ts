/** The rules by which limits are checked, as far as a description depends on them: not on the time. */

import { endpointNames } from '../../snippets/endpoints.ts';
import type { TokenRules } from '../contracts/usage-contract.ts';

export const describedRules: TokenRules = { endpoints: endpointNames, nowMs: () => 0 };
