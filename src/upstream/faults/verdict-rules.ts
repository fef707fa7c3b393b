/** What follows from each verdict, in one table: who is asked next, who is left alone, what counts against whom, and what it may cost. */

interface VerdictRule {
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
    meaning: 'The request itself is invalid; every provider would refuse it.',
  },
  'parameter-refused': {
    next: 'same',
    cools: 'nobody',
    counts: 'nobody',
    charge: 'never',
    meaning: 'The model refuses a parameter that can be omitted or converted.',
  },
  content: {
    next: 'nobody',
    cools: 'nobody',
    counts: 'nobody',
    charge: 'never',
    meaning: 'The provider refuses this content. There is no fallback.',
  },
  'key-dead': {
    next: 'key',
    cools: 'nobody',
    counts: 'key',
    charge: 'never',
    meaning: 'The account has no credit left, or the key yields no credential.',
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
    meaning: 'The key is not permitted to do this (a file, a cache, a model, a region). It may do other things.',
  },
  'key-cooling': {
    next: 'key',
    cools: 'key',
    counts: 'nobody',
    charge: 'never',
    meaning: 'The key is rate-limited for this model.',
  },
  'target-cooling': {
    next: 'target',
    cools: 'target',
    counts: 'nobody',
    charge: 'never',
    meaning: 'The model is overloaded at this provider.',
  },
  'target-down': {
    next: 'target',
    cools: 'nobody',
    counts: 'target',
    charge: 'never',
    meaning: 'The provider could not be reached, so it did not receive the request.',
  },
  uncertain: {
    next: 'once',
    cools: 'nobody',
    counts: 'target',
    charge: 'possible',
    meaning: 'The provider may have started to process the request, and to bill it.',
  },
  unable: {
    next: 'target',
    cools: 'nobody',
    counts: 'nobody',
    charge: 'never',
    meaning: 'The target does not support the request; another one may.',
  },
  limit: {
    next: 'nobody',
    cools: 'nobody',
    counts: 'nobody',
    charge: 'never',
    meaning: 'The client disconnected, or a limit of Weir was reached.',
  },
} as const satisfies Readonly<Record<string, VerdictRule>>;

export type VerdictKind = keyof typeof verdictRules;

export function ruleOf(kind: VerdictKind): VerdictRule {
  return verdictRules[kind];
}
