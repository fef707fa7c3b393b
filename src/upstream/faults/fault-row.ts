/** What a provider's error can mean, and the shape of a row that recognizes one. */

/** A sentence for each meaning; documentation is written from it. */
export const meanings = {
  quota:
    'The account has no credits left, or its daily, weekly or monthly allowance is spent: a short wait does not help.',
  rate: 'Too many requests or tokens at once; the same request works again after a short wait.',
  overloaded: 'The provider works but has no capacity for this model right now.',
  key: 'The provider does not accept the key.',
  access:
    'The key is accepted but may not do this: use a file, a cache, a model or a feature, or call from this network. A request can bring that about.',
  content: 'The provider will not work on this content; another provider may judge differently.',
  'too-long': 'The request is larger than this model, or this account, may take at once.',
  'no-vision': 'The model does not take pictures.',
  'no-audio': 'The model does not take sound.',
  'no-files': 'The model does not take documents.',
  'no-tools': 'The model does not call tools.',
  'no-structured': 'The model does not write by a schema or in JSON on demand.',
  'model-gone': 'The provider does not have this model, not any more, or not for this account.',
  region: "The provider does not serve the gateway's country or address.",
  server: 'The provider failed; it may have begun to work.',
  plain: 'Nothing in particular was recognised: the status speaks for itself.',
} as const;

export type FaultMeaning = keyof typeof meanings;

export interface FaultRow {
  readonly meaning: FaultMeaning;
  /** Codes and types as a provider writes them for programs; case, dots and underscores do not count. */
  readonly words?: string;
  /** The same, where a family of words shares a part. */
  readonly word?: RegExp;
  /** Openings of messages. Anchored, since further on a message may quote what the caller wrote. */
  readonly says?: readonly RegExp[];
  readonly statuses?: readonly number[];
}
