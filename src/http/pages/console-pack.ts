/** The built console as one run of bytes: what the executable embeds, what a start from source keeps, and what both serve. */

export type Encoding = 'identity' | 'gzip' | 'br';

export interface PackedFile {
  /** Where it is served; the name holds a hash of its content, so it never changes. */
  readonly path: string;
  readonly type: string;
  readonly etag: string;
  readonly bodies: Readonly<Partial<Record<Encoding, Uint8Array<ArrayBuffer>>>>;
}

/** What the shell page names: paths of files in the pack. */
export interface Entries {
  /** Runs before the first paint. */
  readonly firstPaint: string;
  readonly script: string;
  /** Loaded by the script at once; named so that the browser need not wait to find out. */
  readonly preloads: readonly string[];
  readonly style: string;
  /** Tokens and fonts, which the home page has too. */
  readonly foundation: string;
  /** The font that is certainly needed. */
  readonly mainFont: string;
}

export interface ConsolePack {
  readonly entries: Entries;
  readonly files: readonly PackedFile[];
}

interface Index {
  readonly entries: Entries;
  readonly files: readonly {
    readonly path: string;
    readonly type: string;
    readonly etag: string;
    readonly lengths: Partial<Record<Encoding, number>>;
  }[];
}

/** Says which kind of file this is and which reading of it; a pack of another kind is built anew. */
const magic = 'weir-console-1\n';
const lengthBytes = 4;

export function writePack(pack: ConsolePack): Uint8Array<ArrayBuffer> {
  const index: Index = {
    entries: pack.entries,
    files: pack.files.map(({ path, type, etag, bodies }) => ({
      path,
      type,
      etag,
      lengths: Object.fromEntries(Object.entries(bodies).map(([encoding, body]) => [encoding, body.length])),
    })),
  };
  const head = new TextEncoder().encode(JSON.stringify(index));
  const length = new Uint8Array(lengthBytes);
  new DataView(length.buffer).setUint32(0, head.length);
  const bodies = pack.files.flatMap((file) => Object.values(file.bodies));
  const parts = [new TextEncoder().encode(magic), length, head, ...bodies];
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** Nothing where the bytes are not a whole pack: a file that was cut short is no fault, only no pack. */
export function readPack(bytes: Uint8Array<ArrayBuffer>): ConsolePack | undefined {
  const start = magic.length + lengthBytes;
  if (bytes.length < start || new TextDecoder().decode(bytes.subarray(0, magic.length)) !== magic) return undefined;
  const headLength = new DataView(bytes.buffer, bytes.byteOffset + magic.length).getUint32(0);
  let offset = start + headLength;
  try {
    const index = JSON.parse(new TextDecoder().decode(bytes.subarray(start, offset))) as Index;
    const files = index.files.map(({ path, type, etag, lengths }): PackedFile => {
      const bodies = Object.fromEntries(
        Object.entries(lengths).map(([encoding, length]) => {
          const body = bytes.subarray(offset, offset + length);
          offset += length;
          return [encoding, body];
        }),
      );
      return { path, type, etag, bodies };
    });
    return offset === bytes.length ? { entries: index.entries, files } : undefined;
  } catch {
    return undefined;
  }
}
