/** Type checks and accessors that every reader of parsed JSON needs. */

export type Tree = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A token count as a provider reports it; anything implausible is treated as not reported. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** While it is being built. */
export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** An absent field stays absent, as `exactOptionalPropertyTypes` asks. */
export function defined<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]?: Value });
}

/** An object or a text that is not empty; empty and absent mean the same. */
export function isFilled(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  return isObject(value) && Object.keys(value).length > 0;
}
