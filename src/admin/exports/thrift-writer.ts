/** Apache Thrift's compact protocol, as far as Parquet's metadata needs it. https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md (read 2026-11-17). */

const fieldTypes = { integer: 6, short: 5, text: 8, list: 9, struct: 12 } as const;

/** A field's value by its kind; a struct is its fields by number, ascending. */
export type ThriftValue =
  | { readonly short: number }
  | { readonly integer: number }
  | { readonly text: string }
  | { readonly struct: ThriftStruct }
  | { readonly list: readonly ThriftValue[] };
export type ThriftStruct = readonly (readonly [field: number, value: ThriftValue])[];

export function thriftBytes(struct: ThriftStruct): Uint8Array {
  const out: number[] = [];
  writeStruct(out, struct);
  return Uint8Array.from(out);
}

function writeStruct(out: number[], struct: ThriftStruct): void {
  let before = 0;
  for (const [field, value] of struct) {
    out.push(((field - before) << 4) | typeOf(value));
    before = field;
    writeValue(out, value);
  }
  out.push(0);
}

function typeOf(value: ThriftValue): number {
  if ('short' in value) return fieldTypes.short;
  if ('integer' in value) return fieldTypes.integer;
  if ('text' in value) return fieldTypes.text;
  return 'list' in value ? fieldTypes.list : fieldTypes.struct;
}

function writeValue(out: number[], value: ThriftValue): void {
  if ('short' in value) writeVarint(out, zigzag(value.short));
  else if ('integer' in value) writeVarint(out, zigzag(value.integer));
  else if ('struct' in value) writeStruct(out, value.struct);
  else if ('text' in value) {
    const bytes = new TextEncoder().encode(value.text);
    writeVarint(out, BigInt(bytes.length));
    out.push(...bytes);
  } else writeList(out, value.list);
}

/** All of one kind; Parquet has no empty ones without a kind. */
function writeList(out: number[], list: readonly ThriftValue[]): void {
  const [first] = list;
  const type = first === undefined ? fieldTypes.struct : typeOf(first);
  if (list.length < 15) out.push((list.length << 4) | type);
  else {
    out.push(0xf0 | type);
    writeVarint(out, BigInt(list.length));
  }
  for (const value of list) writeValue(out, value);
}

const zigzag = (value: number): bigint => (BigInt(value) << 1n) ^ (BigInt(value) >> 63n);

function writeVarint(out: number[], value: bigint): void {
  let rest = value;
  while (rest > 0x7fn) {
    out.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  out.push(Number(rest));
}
