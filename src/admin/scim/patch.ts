/**
 * Applies a PATCH of SCIM (RFC 7644 section 3.5.2) to a resource as JSON, in the shapes that Okta and Entra ID send it:
 * with and without a path, with filters in paths, and with paths as keys of the value. Pure.
 */

import {
  attributeShape,
  type Filter,
  isObject,
  keyIn,
  matches,
  type Resource,
  readFilter,
  withoutCoreSchema,
} from './filter.ts';
import { invalidPath, invalidValue, ScimError } from './scim-error.ts';

type Draft = Record<string, unknown>;
type Op = 'add' | 'replace' | 'remove';

const operationsMax = 1_000;

/** The resource afterwards; the one before is not changed. */
export function patched(resource: Resource, body: unknown): Resource {
  const key = isObject(body) ? keyIn(body, 'Operations') : undefined;
  const operations: unknown = key === undefined || !isObject(body) ? undefined : body[key];
  if (!Array.isArray(operations) || operations.length === 0) {
    throw new ScimError(400, 'Operations must be a list of operations.', 'invalidSyntax');
  }
  if (operations.length > operationsMax) throw invalidValue(`At most ${operationsMax} operations are allowed.`);
  const draft = structuredClone(resource) as Draft;
  for (const operation of operations as readonly unknown[]) applyOperation(draft, operation);
  return draft;
}

function applyOperation(draft: Draft, operation: unknown): void {
  const { op, path, value } = isObject(operation) ? operation : {};
  const name = typeof op === 'string' ? op.toLowerCase() : '';
  if (name !== 'add' && name !== 'replace' && name !== 'remove') {
    throw new ScimError(400, 'op must be add, replace or remove.', 'invalidSyntax');
  }
  if (typeof path === 'string' && path !== '') {
    applyAt(draft, name, path, value);
    return;
  }
  if (name === 'remove') throw new ScimError(400, 'A remove needs a path.', 'invalidSyntax');
  if (!isObject(value)) throw invalidValue('An operation without a path needs an object as its value.');
  for (const [key, each] of Object.entries(value)) {
    // The object of an extension, whose keys are its attributes.
    if (/^urn:/i.test(key) && isObject(each)) {
      for (const [inner, innerValue] of Object.entries(each)) applyAt(draft, name, `${key}:${inner}`, innerValue);
    } else applyAt(draft, name, key, each);
  }
}

interface Path {
  /** The URN of an extension. */
  readonly schema: string | undefined;
  readonly name: string;
  readonly filter: Filter | undefined;
  readonly sub: string | undefined;
}

function readPath(text: string): Path {
  const plain = withoutCoreSchema(text.trim());
  const open = plain.indexOf('[');
  const close = plain.lastIndexOf(']');
  const head = open === -1 ? plain : plain.slice(0, open);
  const tail = open === -1 ? '' : plain.slice(close + 1);
  const isShaped = attributeShape.test(head) && (tail === '' || /^\.[A-Za-z][\w$-]*$/.test(tail));
  if (!isShaped || (open !== -1 && close < open)) throw invalidPath(`The path ${text.slice(0, 100)} is not valid.`);
  const schemaEnd = /^urn:/i.test(head) ? head.lastIndexOf(':') : -1;
  // The version in the URN of a schema has a dot as well.
  const [name = '', sub] = head.slice(schemaEnd + 1).split('.', 2);
  return {
    schema: schemaEnd === -1 ? undefined : head.slice(0, schemaEnd),
    name,
    filter: open === -1 ? undefined : readFilter(plain.slice(open + 1, close)),
    sub: tail === '' ? sub : tail.slice(1),
  };
}

function applyAt(draft: Draft, op: Op, text: string, value: unknown): void {
  const path = readPath(text);
  const holder = path.schema === undefined ? draft : extension(draft, path.schema, op);
  if (holder === undefined) return;
  const key = keyIn(holder, path.name) ?? path.name;
  if (path.filter !== undefined) applyFiltered(holder, key, op, path, value);
  else if (path.sub !== undefined) applySub(holder, key, op, path.sub, value);
  else if (op === 'remove') removeValue(holder, key, value);
  else setValue(holder, key, op, value);
}

function extension(draft: Draft, schema: string, op: Op): Draft | undefined {
  const key = keyIn(draft, schema) ?? schema;
  const found = draft[key];
  if (isObject(found)) return found as Draft;
  if (op === 'remove') return undefined;
  const made: Draft = {};
  draft[key] = made;
  return made;
}

function setValue(holder: Draft, key: string, op: 'add' | 'replace', value: unknown): void {
  const before = holder[key];
  if (value === null || value === undefined) {
    if (op === 'replace') delete holder[key];
  } else if (op === 'add' && Array.isArray(before))
    holder[key] = joined(before, Array.isArray(value) ? value : [value]);
  else if (isObject(before) && isObject(value)) holder[key] = { ...before, ...value };
  else holder[key] = value;
}

/** Entries of lists are the same if they have the same value. */
const identity = (entry: unknown): unknown => (isObject(entry) && 'value' in entry ? entry['value'] : entry);

function joined(before: readonly unknown[], more: readonly unknown[]): unknown[] {
  const known = new Set(before.map(identity));
  return [...before, ...more.filter((entry) => !known.has(identity(entry)))];
}

/** Entra ID names the entries to remove by a value beside the path. */
function removeValue(holder: Draft, key: string, value: unknown): void {
  const before = holder[key];
  if (!Array.isArray(before) || value === undefined || value === null) {
    delete holder[key];
    return;
  }
  const gone = new Set((Array.isArray(value) ? (value as readonly unknown[]) : [value]).map(identity));
  holder[key] = before.filter((entry) => !gone.has(identity(entry)));
}

function applySub(holder: Draft, key: string, op: Op, sub: string, value: unknown): void {
  const before = holder[key];
  const targets = Array.isArray(before) ? before.filter(isObject) : isObject(before) ? [before] : [];
  if (targets.length === 0 && op !== 'remove') {
    holder[key] = { [sub]: value };
    return;
  }
  for (const target of targets) change(target as Draft, op, sub, value);
}

function change(target: Draft, op: Op, sub: string, value: unknown): void {
  const key = keyIn(target, sub) ?? sub;
  if (op === 'remove') delete target[key];
  else setValue(target, key, op, value);
}

function applyFiltered(holder: Draft, key: string, op: Op, { filter, sub }: Path, value: unknown): void {
  const before = holder[key];
  const list: readonly unknown[] = Array.isArray(before) ? before : [];
  const isHit = (entry: unknown): boolean => isObject(entry) && filter !== undefined && matches(filter, entry);
  if (op === 'remove') {
    if (sub === undefined) holder[key] = list.filter((entry) => !isHit(entry));
    else for (const entry of list.filter(isHit)) change(entry as Draft, op, sub, value);
    return;
  }
  const hits = list.filter(isHit);
  if (hits.length === 0) {
    // Directories set the address of a type that the resource does not have yet.
    const made = { ...conditionsOf(filter), ...(sub === undefined ? objectOf(value) : { [sub]: value }) };
    holder[key] = [...list, made];
  } else if (sub === undefined) {
    for (const entry of hits) Object.assign(entry as Draft, objectOf(value));
  } else for (const entry of hits) change(entry as Draft, op, sub, value);
}

const objectOf = (value: unknown): Resource => (isObject(value) ? value : { value });

/** `type eq "work"` says that the type of a new entry is work. */
function conditionsOf(filter: Filter | undefined): Draft {
  if (filter?.kind === 'and') return Object.assign({}, ...filter.all.map(conditionsOf)) as Draft;
  const isPlain = filter?.kind === 'compare' && filter.by === 'eq' && /^[A-Za-z]\w*$/.test(filter.path);
  return isPlain ? { [filter.path]: filter.value } : {};
}
