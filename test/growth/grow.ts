/** Inputs that double, made of a sample: every list, object and text in it is a place that can be made long. */

export type Tree = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

interface Place {
  /** The path with `[]` for each index. */
  readonly name: string;
  readonly path: Path;
  readonly value: unknown;
}

/** One of each name, wherever it occurs first. */
export function placesIn(samples: readonly unknown[]): (Place & { readonly sample: unknown })[] {
  const places = new Map<string, Place & { readonly sample: unknown }>();
  for (const sample of samples)
    for (const place of walk(sample, [], '')) if (!places.has(place.name)) places.set(place.name, { ...place, sample });
  return [...places.values()];
}

function* walk(value: unknown, path: Path, name: string): Generator<Place> {
  if (typeof value === 'string') yield { name: `${name} text`, path, value };
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (value.length > 0) yield { name: `${name}[]`, path, value };
    for (const [index, inner] of value.entries()) yield* walk(inner, [...path, index], `${name}[]${kindOf(inner)}`);
    return;
  }
  yield { name: `${name} object`, path, value };
  // Names of the author's choice are one place.
  const isFree = freeNames.test(name);
  for (const [key, inner] of Object.entries(value)) yield* walk(inner, [...path, key], `${name}.${isFree ? '*' : key}`);
}

const freeNames = /\.(?:properties|\*|args|input|arguments|extra_content|metadata|content|x_\w+)$/;

/** Elements of different types are different places. */
function kindOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  const { role, type, functionCall, functionResponse } = value as Tree;
  const mark = [role, type, functionCall && 'call', functionResponse && 'response'].filter(
    (word) => word !== undefined,
  );
  return mark.length === 0 ? '' : `(${mark.join(' ')})`;
}

const variants = ['same', 'numbered'] as const;
export type Variant = (typeof variants)[number];

export function variantsOf({ value }: Place): readonly Variant[] {
  return Array.isArray(value) ? variants : ['same'];
}

/** The sample with `count` of what is at the place. */
export function grown(sample: unknown, { path, value }: Place, count: number, variant: Variant): unknown {
  return replaced(sample, path, longer(value, count, variant));
}

const charactersPerCount = 64;

function longer(value: unknown, count: number, variant: Variant): unknown {
  if (Array.isArray(value)) {
    return Array.from({ length: count }, (_, index) => {
      const each = value[index % value.length];
      return variant === 'same' ? structuredClone(each) : numbered(each, index);
    });
  }
  if (typeof value === 'string') {
    if (value.startsWith('{')) return JSON.stringify({ a: Array.from({ length: count }, () => '1.50') });
    const unit = value === '' ? ' ' : value;
    return unit.repeat(Math.ceil((count * charactersPerCount) / unit.length));
  }
  const members = Object.entries(value as Tree);
  const [, member = 1] = members.at(-1) ?? [];
  return Object.fromEntries([...members, ...Array.from({ length: count }, (_, index) => [`x${index}`, member])]);
}

/** With names and ids of its own. */
function numbered(value: unknown, index: number): unknown {
  if (Array.isArray(value)) return value.map((inner) => numbered(inner, index));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      typeof inner === 'string' && /(?:id|name)$/i.test(key) ? `${inner}_${index}` : numbered(inner, index),
    ]),
  );
}

function replaced(tree: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  const inner = replaced((tree as Record<string | number, unknown>)[step], rest, value);
  return Array.isArray(tree) ? tree.with(step as number, inner) : { ...(tree as object), [step]: inner };
}

/** How many values a tree holds, long texts by their length. */
export function valuesIn(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / charactersPerCount;
  if (ArrayBuffer.isView(value)) return value.byteLength / charactersPerCount;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + valuesIn(inner), 1);
}
