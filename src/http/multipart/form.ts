/** A received form: its fields, its files, and its raw bytes, until it is disposed. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { ScannedForm, ScannedPart } from './form-scanner.ts';
import { imageTypeOf, markBytes } from './image-types.ts';
import type { KeptBytes } from './kept-bytes.ts';
import { malformed } from './refusals.ts';

interface UploadedFile {
  /** The part's name, as it was written (`image[]`). */
  readonly field: string;
  /** For display and for the provider, never a path; empty if none was given. */
  readonly filename: string;
  /** As the part declares it; for an image without a declared type, as its bytes show. */
  readonly mediaType: string;
  readonly bytes: number;
  /** The content from its start, any number of times, until the form is disposed; a `lent` piece until the next one. */
  open(piece?: 'lent'): AsyncIterable<Uint8Array<ArrayBuffer>>;
  /** The content in memory. Rejects if it is larger than `bytesMax`. */
  whole(bytesMax: number): Promise<Uint8Array<ArrayBuffer>>;
}

interface RawPart {
  readonly name: string;
  readonly isFile: boolean;
  readonly contentStart: number;
  readonly contentEnd: number;
}

/** The body itself, byte for byte, with the positions of its parts. */
interface RawForm {
  readonly contentType: string;
  readonly boundary: string;
  readonly bytes: number;
  readonly firstDelimiterAt: number;
  readonly parts: readonly RawPart[];
  open(start: number, end: number, piece?: 'lent'): AsyncIterable<Uint8Array<ArrayBuffer>>;
}

export interface Form {
  /** Every value of every name, in the order they came. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly files: readonly UploadedFile[];
  /**
   * Absent if the body has line endings, or an image without an image type, that not every server accepts: then the
   * form is rebuilt for the provider.
   */
  readonly raw: RawForm | undefined;
  /** Frees the bytes, in memory and on disk. Must be called; may be called again. */
  dispose(): Promise<void>;
}

interface FormBytes {
  readonly kept: KeptBytes;
  readonly contentType: string;
  readonly boundary: string;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export async function assembleForm(scanned: ScannedForm, given: FormBytes): Promise<Form> {
  const { kept } = given;
  const fields = new Map<string, string[]>();
  const files: UploadedFile[] = [];
  let hasDetectedType = false;
  for (const part of scanned.parts) {
    if (part.isFile) {
      const mediaType = await shownType(part, kept);
      hasDetectedType ||= mediaType !== part.mediaType;
      files.push(uploadedFile({ ...part, mediaType }, kept));
      continue;
    }
    const value = readField(part, await kept.whole(part.contentStart, part.contentEnd));
    const values = fields.get(part.name);
    if (values === undefined) fields.set(part.name, [value]);
    else values.push(value);
  }
  return {
    fields,
    files,
    raw: scanned.lineEnd === '\r\n' && !hasDetectedType ? rawForm(scanned, given) : undefined,
    dispose: () => kept.dispose(),
  };
}

function readField(part: ScannedPart, bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch (cause) {
    throw malformed(`The field ${part.name} is not UTF-8.`, part.name, cause);
  }
}

/** Libraries send unnamed bytes without a specific type. */
async function shownType({ mediaType, contentStart, contentEnd }: ScannedPart, kept: KeptBytes): Promise<string> {
  if (mediaType !== 'application/octet-stream') return mediaType;
  const beginning = await kept.whole(contentStart, Math.min(contentEnd, contentStart + markBytes));
  return imageTypeOf(beginning) ?? mediaType;
}

function uploadedFile(
  { name, filename, mediaType, contentStart, contentEnd }: ScannedPart,
  kept: KeptBytes,
): UploadedFile {
  const bytes = contentEnd - contentStart;
  return {
    field: name,
    filename,
    mediaType,
    bytes,
    open: (piece) => kept.range(contentStart, contentEnd, piece),
    async whole(bytesMax) {
      if (bytes <= bytesMax) return kept.whole(contentStart, contentEnd);
      throw new GatewayError('body_too_large', `The file ${name} is larger than ${bytesMax} bytes.`, { param: name });
    },
  };
}

function rawForm({ parts, firstDelimiterAt }: ScannedForm, { kept, contentType, boundary }: FormBytes): RawForm {
  return {
    contentType,
    boundary,
    bytes: kept.bytes,
    firstDelimiterAt,
    parts,
    open: (start, end, piece) => kept.range(start, end, piece),
  };
}
