/** The models of a token as its field holds them: lines, each a name or a pattern. */

interface ListedModel {
  readonly id: string;
  readonly alias: boolean;
}

export const entriesOf = (text: string): readonly string[] =>
  [...new Set(text.split(/[\n,]/).map((entry) => entry.trim()))].filter((entry) => entry !== '');

export const withEntries = (text: string, added: string): string =>
  [...new Set([...entriesOf(text), ...entriesOf(added)])].join('\n');

export const withoutEntry = (text: string, removed: string): string =>
  entriesOf(text)
    .filter((entry) => entry !== removed)
    .join('\n');

export interface ModelOffer {
  readonly name: string;
  readonly kind: 'typed' | 'alias' | 'model';
}

/** More than anybody reads; a few letters narrow them. */
const offersMax = 50;

/** Aliases first; what was typed comes before them where it is no model's name, as for a pattern. */
export function offersFor(
  typed: string,
  models: readonly ListedModel[],
  chosen: readonly string[],
): readonly ModelOffer[] {
  const wanted = typed.trim();
  const words = wanted
    .toLowerCase()
    .split(/[\s*]+/)
    .filter(Boolean);
  const found = models
    .filter(({ id }) => !chosen.includes(id) && words.every((word) => id.toLowerCase().includes(word)))
    .toSorted((one, other) => Number(other.alias) - Number(one.alias));
  const offers = found
    .slice(0, offersMax)
    .map(({ id, alias }): ModelOffer => ({ name: id, kind: alias ? 'alias' : 'model' }));
  const isNew = wanted !== '' && !chosen.includes(wanted) && !models.some(({ id }) => id === wanted);
  if (!isNew) return offers;
  const own: ModelOffer = { name: wanted, kind: 'typed' };
  // A pattern is meant as it is written; part of a name is rather the beginning of a search.
  return wanted.includes('*') || offers.length === 0 ? [own, ...offers] : [...offers, own];
}
