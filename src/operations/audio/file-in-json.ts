/** A JSON body that holds an uploaded file as base64, as a file of its own: it is encoded as the connection takes it. */

import type { FormFile } from '../wire.ts';

/** Base64 writes three bytes as four characters. */
const group = 3;

/** `mark` is once in the text of the body, where the file belongs. */
export function fileInJson(json: string, mark: string, file: FormFile): FormFile {
  const at = json.indexOf(mark);
  const head = Buffer.from(json.slice(0, at));
  const tail = Buffer.from(json.slice(at + mark.length));
  return {
    field: file.field,
    filename: undefined,
    mediaType: 'application/json',
    bytes: head.length + Math.ceil(file.bytes / group) * 4 + tail.length,
    async *open() {
      yield head;
      let rest = Buffer.alloc(0);
      for await (const piece of file.open('lent')) {
        const bytes = Buffer.concat([rest, piece]);
        const whole = bytes.length - (bytes.length % group);
        rest = bytes.subarray(whole);
        if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole));
      }
      if (rest.length > 0) yield Buffer.from(rest.toString('base64'));
      yield tail;
    },
  };
}
