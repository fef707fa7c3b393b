/**
 * What follows from each verdict, in one table: the next attempt, what cools down, whose breaker counts it, whether it
 * may cost, and whether it is the provider's failure.
 */

interface VerdictRule {
  /**
   * `key`: the provider's next key, then the next target. `other`: one more of the provider's keys, then the next target.
   * `once`: one more target, not a series of them. `same`: the same target once more, with another body.
   */
  readonly next: 'none' | 'key' | 'other' | 'target' | 'once' | 'same';
  /**
   * What cools down, for `retry-after` or a growing backoff; a key cools down only for the model that it was used for.
   */
  readonly cools: 'none' | 'key' | 'target';
  /**
   * Whose breaker counts it as a failure; a key's opens at once. `probe`: a key's, once a neutral call confirms it.
   * `absence`: no breaker; the target is tried after all others, for longer each time.
   */
  readonly counts: 'none' | 'key' | 'probe' | 'target' | 'absence';
  readonly charge: 'never' | 'possible';
  /**
   * Does the provider's health count it as a failed attempt? Only what the provider, its account or the connection to it
   * caused: neither a client that disconnected nor a 4xx that the request itself deserved.
   */
  readonly fails: boolean;
  readonly meaning: string;
}

export const verdictRules = {
  'request-fault': {
    next: 'none',
    cools: 'none',
    counts: 'none',
    charge: 'never',
    fails: false,
    meaning: 'The request itself is invalid; every provider would refuse it.',
  },
  'parameter-refused': {
    next: 'same',
    cools: 'none',
    counts: 'none',
    charge: 'never',
    fails: false,
    meaning: 'The model refuses a parameter that can be omitted or converted.',
  },
  content: {
    next: 'none',
    cools: 'none',
    counts: 'none',
    charge: 'never',
    fails: false,
    meaning: 'The provider refuses this content. There is no fallback.',
  },
  'key-dead': {
    next: 'key',
    cools: 'none',
    counts: 'key',
    charge: 'never',
    fails: true,
    meaning: 'The account has no credit left, or the key yields no credential.',
  },
  'key-refused': {
    next: 'key',
    cools: 'none',
    counts: 'probe',
    charge: 'never',
    fails: true,
    meaning: 'The provider says that it does not accept the key.',
  },
  forbidden: {
    next: 'other',
    cools: 'none',
    counts: 'none',
    charge: 'never',
    fails: true,
    meaning: 'The key is not permitted to do this (a file, a cache, a model, a region). It may do other things.',
  },
  'cannot-serve': {
    next: 'other',
    cools: 'none',
    counts: 'absence',
    charge: 'never',
    fails: true,
    meaning: 'The target does not have this model, this path or this method (any longer). Another one may.',
  },
  'too-large': {
    next: 'target',
    cools: 'none',
    counts: 'none',
    charge: 'never',
    fails: false,
    meaning: 'The body is larger than the target accepts; another one may accept more.',
  },
  'key-cooling': {
    next: 'key',
    cools: 'key',
    counts: 'none',
    charge: 'never',
    fails: true,
    meaning: 'The key is rate-limited for this model.',
  },
  'target-cooling': {
    next: 'target',
    cools: 'target',
    counts: 'none',
    charge: 'never',
    fails: true,
    meaning: 'The model is overloaded at this provider.',
  },
  'target-down': {
    next: 'target',
    cools: 'none',
    counts: 'target',
    charge: 'never',
    fails: true,
    meaning: 'The provider could not be reached, so it did not receive the request.',
  },
  uncertain: {
    next: 'once',
    cools: 'none',
    counts: 'target',
    charge: 'possible',
    fails: true,
    meaning: 'The provider may have started to process the request, and to bill it.',
  },
  unable: {
    next: 'target',
    cools: 'none',
    counts: 'none',
    charge: 'never',
    fails: false,
    meaning: 'The target does not support the request; another one may.',
  },
  limit: {
    next: 'none',
    cools: 'none',
    counts: 'none',
    charge: 'never',
    fails: false,
    meaning: 'The client disconnected, or a limit of Weir was reached.',
  },
} as const satisfies Readonly<Record<string, VerdictRule>>;

export type VerdictKind = keyof typeof verdictRules;

export function ruleOf(kind: VerdictKind): VerdictRule {
  return verdictRules[kind];
}
