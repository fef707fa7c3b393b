/** Texts of callers and providers, made so that both engines take them. */

/** Names come from callers: a row stays small, and PostgreSQL takes no NUL. */
const nameLengthMax = 256;

/** Names that need no change, as seen before: the same few come with every request. */
const plainNames = new Set<string>();
const plainNamesMax = 1_000;

export function storableName(name: string): string {
  if (plainNames.has(name)) return name;
  const storable = storableText(name.length > nameLengthMax ? name.slice(0, nameLengthMax) : name);
  if (storable === name && plainNames.size < plainNamesMax) plainNames.add(name);
  return storable;
}

/** PostgreSQL takes no NUL; unlike a name, a URL or a message is not cut. */
export function storableText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\u{fffd}').toWellFormed() : text.toWellFormed();
}
