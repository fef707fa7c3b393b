/** Values as Python writes them. */

const indent = '    ';

/** One argument a line, each by its name. */
export function pythonArguments(body: Readonly<Record<string, unknown>>): string {
  return Object.entries(body)
    .map(([name, value]) => `${indent}${name}=${pythonOf(value, indent)},`)
    .join('\n');
}

export function pythonOf(value: unknown, margin: string): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = margin + indent;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const entries = Array.isArray(value)
    ? value.map((entry) => pythonOf(entry, inner))
    : Object.entries(value).map(([name, entry]) => `${JSON.stringify(name)}: ${pythonOf(entry, inner)}`);
  if (entries.length === 0) return open + close;
  return `${open}\n${entries.map((entry) => `${inner}${entry},`).join('\n')}\n${margin}${close}`;
}
