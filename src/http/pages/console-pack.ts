/** The built console as one file: embedded in the executable, cached by a start from source, and served by both. */

export type Encoding = 'identity' | 'gzip' | 'br';

export interface PackedFile {
  /** The path at which it is served; it holds a hash of the content, so the file never changes. */
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
  /** Loaded by the script at once; listed so that the browser can preload them. */
  readonly preloads: readonly string[];
  readonly style: string;
  /** Design tokens and fonts, which the home page uses too. */
  readonly foundation: string;
  /** The font that every page needs. */
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

/** The file's type and version; a pack of another version is rebuilt. */
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

/** Undefined if the bytes are not a whole pack: a truncated file is no error, only no pack. */
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
