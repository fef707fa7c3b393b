/** Prepares a token's record for the hot path: patterns, names and networks are compiled once, when it is loaded. */

import type { Caller, TokenRecord } from '../caller.ts';
import { combinedTerms } from '../terms.ts';
import { levelFacts, tokenLevel } from './levels.ts';
import { type LevelsAbove, nothingAbove } from './load-levels.ts';

export function callerOf(record: TokenRecord, { levels, creators }: LevelsAbove = nothingAbove): Caller {
  const all = [...levels, ...creators.map(tokenLevel), tokenLevel(record)];
  const terms = combinedTerms(record.terms, all);
  return {
    tokenId: record.id,
    tokenName: terms.name,
    terms,
    unitId: record.unitId,
    ...levelFacts(all),
    expiresAtMs: terms.expiresAtMs,
    strict: terms.strict === true,
  };
}
