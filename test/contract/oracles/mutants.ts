/** Values that differ from a valid one in one place: an oracle that accepts them is not strict. */

export interface Mutant {
  /** Where it differs, such as `content.0.text`. */
  readonly path: string;
  readonly change: 'unknown field' | 'other type';
  readonly value: unknown;
}

/** A field more in every object, and a value of another type in every place, but for the places that `open` names. */
export function mutantsOf(value: unknown, open: RegExp): Mutant[] {
  const mutants: Mutant[] = [];
  const walk = (part: unknown, path: readonly (string | number)[]): void => {
    const name = path.join('.');
    if (open.test(name)) return;
    if (Array.isArray(part)) for (const [index, one] of part.entries()) walk(one, [...path, index]);
    else if (typeof part === 'object' && part !== null) {
      const more = { ...part, unknown_field: 1 };
      mutants.push({ path: name, change: 'unknown field', value: replaced(value, path, more) });
      for (const [field, one] of Object.entries(part)) walk(one, [...path, field]);
    }
    if (path.length > 0)
      mutants.push({ path: name, change: 'other type', value: replaced(value, path, otherType(part)) });
  };
  walk(value, []);
  return mutants;
}

/** No field takes a list of lists beside a plain value, or a flag beside a list or an object. */
function otherType(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? true : [[{}]];
}

function replaced(value: unknown, [step, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (step === undefined) return by;
  if (Array.isArray(value)) return value.map((one, index) => (index === step ? replaced(one, rest, by) : one));
  const tree = value as Readonly<Record<string, unknown>>;
  return { ...tree, [step]: replaced(tree[step], rest, by) };
}
