/**
 * The terms of tokens and of the levels above them, in one table: how what several levels say of a term comes to one. A
 * request has at most what each of its levels allows, the tokens that its token was created by included.
 */

import { compileNetworks } from './address.ts';
import type { Level, ModerationTerms, Terms, TokenTerms } from './caller.ts';
import { compileGlobs, type TextMatcher } from './glob.ts';

type TermName = keyof Terms;
type ValueOf<Term extends TermName> = NonNullable<Terms[Term]>;

/** Every level that has the term must allow what a request asks for. */
interface Allowing<Value> {
  readonly combines: 'all allow';
  readonly allows: (value: Value) => TextMatcher;
}

/** Each level counts on its own: nothing comes to one, a request must fit into all. */
interface Counting {
  readonly combines: 'each counts';
}

/** One value comes of those of all levels, which are in order from the organization to the token. */
interface Merging<Value> {
  readonly combines: 'any demands' | 'all grant' | 'least' | 'nearest' | 'added' | 'sum';
  readonly merge: (held: readonly Held<Value>[]) => Value | undefined;
}

/** A level, and what it says of one term. */
interface Held<Value> {
  readonly level: Level;
  readonly value: Value | undefined;
}

type Row<Value> = Allowing<Value> | Counting | Merging<Value>;

const said = <Value>(held: readonly Held<Value>[]): readonly Value[] => held.flatMap(({ value }) => value ?? []);
const ofTokens = <Value>(held: readonly Held<Value>[]) => held.filter(({ level }) => level.kind === 'token');

const eachCounts: Counting = { combines: 'each counts' };
const allAllow = <Value>(allows: (value: Value) => TextMatcher): Allowing<Value> => ({ combines: 'all allow', allows });
const anyDemands: Merging<boolean> = {
  combines: 'any demands',
  merge: (held) => held.some(({ value }) => value === true) || undefined,
};
const least: Merging<number> = { combines: 'least', merge: (held) => smallest(said(held)) };

const smallest = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : Math.min(...values);

/** A right: a token has it where all tokens that it was created by have it too. */
const allGrant: Merging<boolean> = {
  combines: 'all grant',
  merge: (held) => ofTokens(held).every(({ value }) => value === true) || undefined,
};
const leastGranted: Merging<number> = {
  combines: 'all grant',
  merge: (held) => (ofTokens(held).some(({ value }) => value === undefined) ? undefined : smallest(said(held))),
};

/** Those of all levels. A token that was created by another one has the labels of that one and adds none. */
const added: Merging<readonly string[]> = {
  combines: 'added',
  merge(held) {
    const [, ...created] = ofTokens(held);
    const labels = new Set(held.flatMap((each) => (created.includes(each) ? [] : (each.value ?? []))));
    return labels.size === 0 ? undefined : [...labels];
  },
};

/** The first level that demands moderation says which model, so that nothing below it chooses another. */
const summed: Merging<ModerationTerms> = {
  combines: 'sum',
  merge(held) {
    const [first, ...others] = said(held);
    if (first === undefined || others.length === 0) return first;
    const all = [first, ...others];
    return {
      ...first,
      before: all.some(({ before }) => before === true),
      after: all.some(({ after }) => after === true),
    };
  },
};

const isNamed = (names: readonly string[]): TextMatcher => {
  const all = new Set(names);
  return (name) => all.has(name);
};

/** A term without a row does not compile. */
export const termTable = {
  models: allAllow(compileGlobs),
  endpoints: allAllow(isNamed),
  addresses: allAllow(compileNetworks),
  tools: allAllow(compileGlobs),
  rpm: eachCounts,
  tpm: eachCounts,
  concurrency: eachCounts,
  budgets: eachCounts,
  budgetsMade: eachCounts,
  endUsers: { combines: 'nearest', merge: (held) => said(held).at(-1) },
  labels: added,
  disabled: anyDemands,
  expiresAtMs: least,
  strict: anyDemands,
  moderation: summed,
  maySteer: allGrant,
  mayExplain: allGrant,
  subTokensMax: leastGranted,
} as const satisfies { readonly [Term in TermName]-?: Row<ValueOf<Term>> };

type Table = typeof termTable;
type NamesOf<Kind> = { [Term in TermName]: Table[Term] extends Kind ? Term : never }[TermName];
type AllowingTerm = NamesOf<{ readonly combines: 'all allow' }>;
type MergedTerm = NamesOf<{ readonly merge: unknown }>;

/** What the levels come to of one term. */
export function merged<Term extends MergedTerm>(levels: readonly Level[], term: Term): Terms[Term] {
  const { merge }: { readonly merge: (held: readonly Held<never>[]) => unknown } = termTable[term];
  return merge(levels.map((level) => ({ level, value: level.terms[term] as never }))) as Terms[Term];
}

const mergedNames = Object.entries(termTable).flatMap(([term, row]) => ('merge' in row ? [term as MergedTerm] : []));

/** A token's own terms, with what its levels make of each of which one value comes. */
export function combinedTerms(own: TokenTerms, levels: readonly Level[]): TokenTerms {
  const values = mergedNames.map((term) => [term, merged(levels, term)] as const);
  return Object.fromEntries(
    Object.entries({ ...own, ...Object.fromEntries(values) }).filter(([, value]) => value !== undefined),
  ) as unknown as TokenTerms;
}

/** Whether a level allows it; undefined where it says nothing. */
function allowedBy<Term extends AllowingTerm>({ terms }: Level, term: Term): TextMatcher | undefined {
  const value: readonly string[] | undefined = terms[term];
  return value && termTable[term].allows(value);
}

/** Whether all levels allow it; undefined where none says anything. */
export function allowedByAll(levels: readonly Level[], term: AllowingTerm): TextMatcher | undefined {
  const matchers = levels.flatMap((level) => allowedBy(level, term) ?? []);
  const [only] = matchers;
  return matchers.length < 2 ? only : (text) => matchers.every((allows) => allows(text));
}

/** The first level that does not allow it, for a message. */
export function levelRefusing(levels: readonly Level[], term: AllowingTerm, asked: string): Level | undefined {
  return levels.find((level) => allowedBy(level, term)?.(asked) === false);
}

/** `if-priced`: only where its price is known, because a budget in money counts for the caller. */
type ToolPermission = 'yes' | 'no' | 'if-priced';

/** Whether a caller may use a tool that the provider runs and bills. Each level decides by its own budgets and its own list. */
export function mayUseTool({ levels }: { readonly levels: readonly Level[] }, tool: string): ToolPermission {
  if (levelRefusing(levels, 'tools', tool) !== undefined) return 'no';
  const isBounded = levels.some(
    ({ terms: { tools, budgets = [] } }) => tools === undefined && budgets.some(({ unit }) => unit === 'usd'),
  );
  return isBounded ? 'if-priced' : 'yes';
}
