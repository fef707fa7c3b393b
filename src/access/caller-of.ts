/** Prepares a token's record for the hot path: patterns, names and networks are compiled once, when it is loaded. */

import { compileNetworks } from './address.ts';
import type { Caller, TokenRecord } from './caller.ts';
import { compileGlobs } from './glob.ts';

const always = (): boolean => true;

export function callerOf(record: TokenRecord): Caller {
  const { terms } = record;
  const endpoints = terms.endpoints === undefined ? undefined : new Set(terms.endpoints);
  return {
    tokenId: record.id,
    tokenName: terms.name,
    terms,
    strict: terms.strict === true,
    mayUseModel: terms.models === undefined ? always : compileGlobs(terms.models),
    mayUseEndpoint: endpoints === undefined ? always : (endpoint) => endpoints.has(endpoint),
    mayCallFrom: terms.addresses === undefined ? always : compileNetworks(terms.addresses),
  };
}
