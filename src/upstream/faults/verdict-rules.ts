/** What follows from each verdict, in one table: who is asked next, who is left alone, what counts against whom, and what it may cost. */

export interface VerdictRule {
  /**
   * `key`: the provider's next key, then the next target. `other`: one more of the provider's keys, then the next target.
   * `once`: one more target, not a series of them. `same`: the same target once more, with another body.
   */
  readonly next: 'nobody' | 'key' | 'other' | 'target' | 'once' | 'same';
  /** Who is left alone for as long as it asked, or for a moment that grows; a key, for the model that it was used for. */
  readonly cools: 'nobody' | 'key' | 'target';
  /** Whose breaker counts it as a failure; a key's opens at once. `probe`: a key's, once a neutral call confirms it. */
  readonly counts: 'nobody' | 'key' | 'probe' | 'target';
  readonly charge: 'never' | 'possible';
  readonly meaning: string;
}

export const verdictRules = {
  'request-fault': {
    next: 'nobody',
    cools: 'nobody',
    counts: 'nobody',
    charge: 'never',
    meaning: 'The request itself is wrong; every provider would say so.',
  },
  'parameter-refused': {
    next: 'same',
    cools: 'nobody',
    counts: 'nobody',
    charge: 'never',
    meaning: 'The model does not take a part of the request that can be left out or said otherwise.',
  },
  content: {
    next: 'nobody',
    cools: 'nobody',
    counts: 'nobody',
    charge: 'never',
    meaning: 'The provider will not answer this content. Nobody else is asked to.',
  },
  'key-dead': {
    next: 'key',
    cools: 'nobody',
    counts: 'key',
    charge: 'never',
    meaning: 'The account has nothing left, or no credential can be made of the key.',
  },
  'key-refused': {
    next: 'key',
    cools: 'nobody',
    counts: 'probe',
    charge: 'never',
    meaning: 'The provider says that it does not accept the key.',
  },
  forbidden: {
    next: 'other',
    cools: 'nobody',
    counts: 'nobody',
    charge: 'never',
    meaning: 'The key may not do this: a file, a cache, a model, a region. It may do other things.',
  },
  'key-cooling': {
    next: 'key',
    cools: 'key',
    counts: 'nobody',
    charge: 'never',
    meaning: 'The key has used up what it may for now with this model.',
  },
  'target-cooling': {
    next: 'target',
    cools: 'target',
    counts: 'nobody',
    charge: 'never',
    meaning: 'The model is overloaded there: not now, perhaps soon.',
  },
  'target-down': {
    next: 'target',
    cools: 'nobody',
    counts: 'target',
    charge: 'never',
    meaning: 'It could not be reached, so it did not see the request.',
  },
  uncertain: {
    next: 'once',
    cools: 'nobody',
    counts: 'target',
    charge: 'possible',
    meaning: 'It may have begun to work, and to bill.',
  },
  unable: {
    next: 'target',
    cools: 'nobody',
    counts: 'nobody',
    charge: 'never',
    meaning: 'It cannot do what the request says; another one may.',
  },
  limit: {
    next: 'nobody',
    cools: 'nobody',
    counts: 'nobody',
    charge: 'never',
    meaning: "The client left, or a limit of Weir's own was reached.",
  },
} as const satisfies Readonly<Record<string, VerdictRule>>;

export type VerdictKind = keyof typeof verdictRules;

export function ruleOf(kind: VerdictKind): VerdictRule {
  return verdictRules[kind];
}
