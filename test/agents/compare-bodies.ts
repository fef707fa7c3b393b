/** What two bodies that should be equal differ in: the path of each field that the second lacks, has more or has another value in. */

export interface BodyDifferences {
  /** `tools[3]`, `provider.order`: the outermost value that is gone. */
  readonly lost: readonly string[];
  /** Added or changed. */
  readonly other: readonly string[];
}

export function compareBodies(whole: unknown, limited: unknown): BodyDifferences {
  const found = { lost: [] as string[], other: [] as string[] };
  compare(whole, limited, '', found);
  return found;
}

interface Found {
  readonly lost: string[];
  readonly other: string[];
}

type Members = Readonly<Record<string, unknown>>;

function compare(whole: unknown, limited: unknown, path: string, found: Found): void {
  if (Array.isArray(whole) && Array.isArray(limited)) compareLists(whole, limited, path, found);
  else if (isMembers(whole) && isMembers(limited)) compareMembers(whole, limited, path, found);
  else if (JSON.stringify(whole) !== JSON.stringify(limited)) found.other.push(path);
}

function compareMembers(whole: Members, limited: Members, path: string, found: Found): void {
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  for (const [name, value] of Object.entries(whole)) {
    if (name in limited) compare(value, limited[name], at(name), found);
    else found.lost.push(at(name));
  }
  for (const name of Object.keys(limited)) if (!(name in whole)) found.other.push(at(name));
}

/** Of a shorter list, entries that are equal are taken for each other, so that one that is gone does not move the rest. */
function compareLists(whole: readonly unknown[], limited: readonly unknown[], path: string, found: Found): void {
  let next = 0;
  for (const [index, value] of whole.entries()) {
    const at = `${path}[${index}]`;
    const isGone = whole.length - index > limited.length - next && !isSame(value, limited[next]);
    if (isGone) found.lost.push(at);
    else compare(value, limited[next++], at, found);
  }
  for (; next < limited.length; next++) found.other.push(`${path}[${next}]`);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
