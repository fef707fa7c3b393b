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
  'no-vision': 'The model does not accept images.',
  'no-audio': 'The model does not accept audio.',
  'no-files': 'The model does not accept documents.',
  'no-tools': 'The model does not call tools.',
  'no-structured': 'The model does not support JSON output or JSON schemas.',
  'model-gone': 'The provider does not have this model, has removed it, or does not offer it to this account.',
  region: "The provider does not serve the gateway's country or address.",
  server: 'The provider failed; it may have begun to work.',
  plain: 'No particular error was recognized; the status decides.',
} as const;

export type FaultMeaning = keyof typeof meanings;

export interface FaultRow {
  readonly meaning: FaultMeaning;
  /** Codes and types as a provider writes them for programs; case, dots and underscores do not count. */
  readonly words?: string;
  /** The same, for a group of words with a common part. */
  readonly word?: RegExp;
  /** Openings of messages. Anchored, since further on a message may quote what the caller wrote. */
  readonly says?: readonly RegExp[];
  readonly statuses?: readonly number[];
}
