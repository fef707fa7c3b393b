/** A body of an operation as it came: JSON, or a form with files. */

import type { JsonBody } from '../../http/json/json-body.ts';
import type { Form } from '../../http/multipart/form.ts';
import type { FormField, WireBody } from '../../operations/wire.ts';
import { modelNamed } from '../admission/model-named.ts';
import { type BoundedText, boundedText } from '../contents/bounded-text.ts';

export type OperationBody =
  | { readonly kind: 'json'; readonly json: JsonBody }
  | { readonly kind: 'form'; readonly form: Form };

export function wireBodyOf(body: OperationBody): WireBody {
  return body.kind === 'json' ? { kind: 'json', tree: body.json.tree } : { kind: 'form', fields: fieldsOf(body.form) };
}

function fieldsOf({ fields, files }: Form): FormField[] {
  const texts = Array.from(fields, ([name, values]) => values.map((value) => ({ name, value })));
  const uploads = files.map((file) => ({
    name: file.field,
    value: {
      field: file.field,
      filename: file.filename === '' ? undefined : file.filename,
      mediaType: file.mediaType,
      bytes: file.bytes,
      open: (piece?: 'lent') => file.open(piece),
    },
  }));
  return [...texts.flat(), ...uploads];
}

/** The model that it names, valid or not. */
export function modelInBody(body: OperationBody): string | undefined {
  return body.kind === 'json' ? modelNamed(body.json.tree) : modelNamed({ model: body.form.fields.get('model')?.[0] });
}

/** Without its files, whose size says nothing about tokens. */
export function textBytesOf(body: OperationBody): number {
  if (body.kind === 'json') return body.json.bytes.length;
  let bytes = 0;
  for (const values of body.form.fields.values()) for (const value of values) bytes += Buffer.byteLength(value);
  return bytes;
}

export function allBytesOf(body: OperationBody): number {
  if (body.kind === 'json') return body.json.bytes.length;
  return body.form.files.reduce((sum, file) => sum + file.bytes, textBytesOf(body));
}

/** The caller's request as bounded text: JSON as it came; of a form its fields, and of its files only name, type and size. */
export function textIn(body: OperationBody, bytesMax: number): BoundedText {
  if (body.kind === 'json') return boundedText(body.json.bytes, bytesMax);
  const fields = Array.from(body.form.fields, ([name, values]) => values.map((value) => `${name}: ${value}`));
  const files = body.form.files.map(
    ({ field, filename, mediaType, bytes }) =>
      `${field}: (${filename || 'a file'}, ${mediaType}, ${bytes} bytes; not kept)`,
  );
  return boundedText(new TextEncoder().encode([...fields.flat(), ...files].join('\n')), bytesMax);
}

/** Identifies a request where the same idempotency key comes twice: of a form all its fields and the bytes of its files. */
export async function fingerprintOf(body: OperationBody): Promise<Uint8Array<ArrayBuffer>> {
  if (body.kind === 'json') return body.json.bytes;
  const files: unknown[] = [];
  for (const file of body.form.files) {
    const hasher = new Bun.CryptoHasher('sha256');
    for await (const piece of file.open('lent')) hasher.update(piece);
    files.push([file.field, file.filename, hasher.digest('hex')]);
  }
  return new TextEncoder().encode(JSON.stringify([[...body.form.fields], files]));
}
