/** How many images a request asks for under names other than `n`: servers that read one of them must not make more than were paid for. */

import { isObject } from '../../conversation/json-tree.ts';
import { type BodyFields, invalid } from './body-fields.ts';

/** Without underscores and in lower case. */
const countNames: ReadonlySet<string> = new Set([
  ...['n', 'numimages', 'numberofimages', 'nimages', 'imagecount', 'maximages', 'numimagesperprompt', 'numoutputs'],
  ...['numsamples', 'samplecount', 'batchsize', 'bestof', 'candidatecount', 'numreturnsequences'],
]);
/** Objects of options in which servers look for such a name. */
const homes: ReadonlySet<string> = new Set([
  ...['options', 'parameters', 'params', 'extrabody', 'generationconfig', 'config', 'input'],
  'sequentialimagegenerationoptions',
]);
const countCeiling = 1_000;

export function checkCount(fields: BodyFields, count: number): void {
  let most = 0;
  const see = (name: string, value: unknown, path: string): void => {
    if (value === undefined || value === null) return;
    const folded = foldedName(name);
    if (countNames.has(folded)) most = Math.max(most, countOf(value, path, fields.kind));
    else if (homes.has(folded) && isObject(value)) {
      for (const inner of Object.keys(value)) see(inner, value[inner], `${path}.${inner}`);
    }
  };
  for (const name of fields.names) see(name, fields.raw(name), name);
  if (most > count) throw invalid('n', `must say how many images are made; another field says ${most}`);
  const several = fields.raw('sequential_image_generation');
  if (several !== undefined && several !== 'disabled' && most === 0) {
    throw invalid('sequential_image_generation', 'needs `max_images` in its options, and `n` of at least as many');
  }
}

/** What decides the price of an image, as the format spells it. */
const pricedOptions: ReadonlyMap<string, string> = new Map(
  ['model', 'quality', 'size', 'width', 'height', 'partial_images'].map((name) => [foldedName(name), name]),
);

/** Some servers read a name in any case: an option that is spelled otherwise would be served and not be paid for. */
export function checkSpelling(fields: BodyFields): void {
  for (const name of fields.names) {
    const known = pricedOptions.get(foldedName(name));
    if (known !== undefined && known !== name) throw invalid(name, `must be spelled \`${known}\``);
  }
}

function foldedName(name: string): string {
  return (
    name
      .toUpperCase()
      .toLowerCase()
      // Characters without a width, and letters that some decoders take for others.
      .replaceAll(/[\u200b-\u200f\u2060\ufeff]/g, '')
      .replace(/\[\d*\]$/, '')
      .replaceAll(/[_-]/g, '')
  );
}

function countOf(value: unknown, path: string, kind: BodyFields['kind']): number {
  if (kind === 'form' && value === '') return 0;
  const number = kind === 'form' && typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= countCeiling) return number;
  throw invalid(path, `must be a whole number from 0 to ${countCeiling}`);
}
