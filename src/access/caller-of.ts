/** Prepares a token's record for the hot path: patterns, names and networks are compiled once, when it is loaded. */

import { compileNetworks } from './address.ts';
import type { Caller, TokenRecord } from './caller.ts';
import { levelFacts, tokenLevel } from './levels/levels.ts';
import { type LevelsAbove, nothingAbove } from './levels/load-levels.ts';

const always = (): boolean => true;

export function callerOf(record: TokenRecord, { levels, creators }: LevelsAbove = nothingAbove): Caller {
  const { terms } = record;
  const expiries = [...creators, record].flatMap(({ terms: { expiresAtMs } }) => expiresAtMs ?? []);
  return {
    tokenId: record.id,
    tokenName: terms.name,
    terms,
    unitId: record.unitId,
    ...levelFacts([...levels, ...creators.map(tokenLevel), tokenLevel(record)]),
    expiresAtMs: expiries.length === 0 ? undefined : Math.min(...expiries),
    strict: terms.strict === true,
    mayCallFrom: terms.addresses === undefined ? always : compileNetworks(terms.addresses),
  };
}
