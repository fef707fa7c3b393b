/**
 * Ids that Weir writes where a provider gave none, or none of the client's format. One mark makes them recognizable in
 * every format: no provider has stored anything under them, so they are never a reference to what a provider keeps.
 */

const mark = 'weir_';
/** An id of one format may stand after the prefix of another. */
const marked = /^(?:[a-z]{1,12}[_-]){0,3}weir_[\w-]{1,64}$/;
/** As they were before they had a mark: a UUID of version 7 as 32 digits after the prefix. */
const unmarked = /^[a-z]{2,12}_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/;

/** `unique` is letters, digits, `_` and `-`. */
export function ownId(prefix: string, unique: string): string {
  return prefix + mark + unique;
}

export function isOwnId(id: unknown): boolean {
  return typeof id === 'string' && marked.test(id);
}

/** Providers may write ids of this shape too: it says nothing of an object without content of its own. */
export function mayBeOlderOwnId(id: unknown): boolean {
  return typeof id === 'string' && unmarked.test(id);
}
