/**
 * Multipart bodies for providers: built from fields and files, or the client's own with only the model's name changed.
 * Their length is known before they are sent, they are never in memory as a whole, and a second attempt opens them again.
 */

import { randomBytes } from 'node:crypto';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { StreamedBody } from './transport.ts';

export interface FormBody extends StreamedBody {
  /** The value of the request's `content-type`. */
  readonly contentType: string;
}

interface FormField {
  readonly name: string;
  readonly value: string;
}

/** An uploaded file as it came, or any bytes that can be opened again. */
export interface FormFile {
  readonly name: string;
  readonly filename: string;
  readonly mediaType: string;
  readonly bytes: number;
  open(piece?: 'lent'): AsyncIterable<Uint8Array>;
}

/** A form as the client sent it, kept byte for byte, with the places of its parts. */
interface ReceivedForm {
  readonly contentType: string;
  readonly boundary: string;
  readonly bytes: number;
  readonly firstDelimiterAt: number;
  readonly parts: readonly ReceivedPart[];
  open(start: number, end: number, piece?: 'lent'): AsyncIterable<Uint8Array>;
}

interface ReceivedPart {
  readonly name: string;
  readonly isFile: boolean;
  readonly contentStart: number;
  readonly contentEnd: number;
}

/** Without a file name many servers treat a file as a field. */
const filenameOfNone = 'file';

export function buildForm(entries: readonly (FormField | FormFile)[]): FormBody {
  const boundary = `weir-${randomBytes(16).toString('hex')}`;
  const pieces: StreamedBody[] = [];
  for (const entry of entries) {
    pieces.push(...('value' in entry ? fieldPieces(boundary, entry) : filePieces(boundary, entry)));
  }
  pieces.push(textPiece(`--${boundary}--\r\n`));
  return { contentType: `multipart/form-data; boundary=${boundary}`, ...joined(pieces) };
}

/**
 * The client's bytes as they came, with another value in the field `model`; where there is no such field it is put in front.
 * Two of them are refused: the provider might use the one that was not checked.
 */
export function forwardForm(form: ReceivedForm, { model }: { readonly model: string }): FormBody {
  const [named, second] = form.parts.filter(({ name }) => name === 'model');
  if (second !== undefined || named?.isFile === true) {
    throw new GatewayError('field_invalid', 'The field model must appear once, as text.', { param: 'model' });
  }
  if (model.includes(form.boundary)) throw new TypeError('No model is named after the boundary of a form.');
  const added = named === undefined ? fieldPieces(form.boundary, { name: 'model', value: model }) : [textPiece(model)];
  const before = named?.contentStart ?? form.firstDelimiterAt;
  const after = named?.contentEnd ?? form.firstDelimiterAt;
  const pieces = [rangePiece(form, 0, before), ...added, rangePiece(form, after, form.bytes)];
  return { contentType: form.contentType, ...joined(pieces) };
}

function fieldPieces(boundary: string, { name, value }: FormField): StreamedBody[] {
  return [textPiece(`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`)];
}

function filePieces(boundary: string, file: FormFile): StreamedBody[] {
  const disposition = `form-data; name="${quoted(file.name)}"; filename="${quoted(file.filename || filenameOfNone)}"`;
  const type = /^[\x21-\x7e]+\/[\x20-\x7e]+$/.test(file.mediaType) ? file.mediaType : 'application/octet-stream';
  const head = `--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${type}\r\n\r\n`;
  return [textPiece(head), file, textPiece('\r\n')];
}

/** As browsers write it: nothing in a name can end the quotes or the line. */
function quoted(text: string): string {
  return text.replace(/["\r\n]/g, (character) => encodeURIComponent(character)).replace(/[\x00-\x1f\x7f]/g, '');
}

function rangePiece(form: ReceivedForm, start: number, end: number): StreamedBody {
  return { bytes: end - start, open: (piece) => form.open(start, end, piece) };
}

const textPiece = (text: string): StreamedBody => bytesPiece(Buffer.from(text));

function bytesPiece(content: Uint8Array): StreamedBody {
  return {
    bytes: content.length,
    async *open() {
      if (content.length > 0) yield content;
    },
  };
}

function joined(pieces: readonly StreamedBody[]): StreamedBody {
  return {
    bytes: pieces.reduce((sum, { bytes }) => sum + bytes, 0),
    async *open(piece) {
      for (const part of pieces) yield* part.open(piece);
    },
  };
}
