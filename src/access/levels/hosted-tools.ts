/** Which tools that a provider runs a caller may use: stand-in until the term exists. */

import type { Caller } from '../caller.ts';

export type ToolRule = 'yes' | 'no' | 'if-priced';

export function mayUseTool({ levels }: Pick<Caller, 'levels'>, _name: string): ToolRule {
  return levels.some(({ terms }) => terms.budgets?.some(({ unit }) => unit === 'usd') === true) ? 'if-priced' : 'yes';
}

export function hasToolTerms({ levels }: Pick<Caller, 'levels'>): boolean {
  return levels.some(({ terms }) => terms.budgets?.some(({ unit }) => unit === 'usd') === true);
}
