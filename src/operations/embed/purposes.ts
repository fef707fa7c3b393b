/** What vectors are for, by neutral names, and each wire's name for it. */

export const purposes = ['search_query', 'search_document', 'classification', 'clustering', 'similarity'] as const;

export type Purpose = (typeof purposes)[number];

/** A wire's name for each purpose that it supports. */
export type PurposeWords = Readonly<Partial<Record<Purpose, string>>>;

export function wordFor(words: PurposeWords, purpose: string | undefined): string | undefined {
  return purpose !== undefined && Object.hasOwn(words, purpose) ? words[purpose as Purpose] : undefined;
}

/** The purpose that a caller of the list-shaped wires means, in any of their dialects. */
const spokenWords: ReadonlyMap<string, Purpose> = new Map([
  ['query', 'search_query'],
  ['search_query', 'search_query'],
  ['retrieval.query', 'search_query'],
  ['document', 'search_document'],
  ['passage', 'search_document'],
  ['search_document', 'search_document'],
  ['retrieval.passage', 'search_document'],
  ['classification', 'classification'],
  ['clustering', 'clustering'],
  ['separation', 'clustering'],
  ['similarity', 'similarity'],
  ['text-matching', 'similarity'],
] as const);

export function purposeMeant(word: unknown): Purpose | undefined {
  return typeof word === 'string' ? spokenWords.get(word.toLowerCase()) : undefined;
}
