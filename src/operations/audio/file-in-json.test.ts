import { expect, test } from 'bun:test';
import { fileInJson } from './file-in-json.ts';

test('a file of any length in pieces of any length is one base64 text within the JSON, of the length that was said', async () => {
  for (const length of [0, 1, 2, 3, 4, 100, 1_000]) {
    for (const piece of [1, 2, 3, 7, 1_000]) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 7) % 256);
      const lent = new Uint8Array(piece);
      const file = fileInJson('{"a":"<here>","b":1}', '<here>', {
        field: 'file',
        filename: 'a.wav',
        mediaType: 'audio/wav',
        bytes: length,
        async *open() {
          for (let at = 0; at < length; at += piece) {
            // One that is lent is overwritten by the next.
            const part = bytes.subarray(at, at + piece);
            lent.set(part);
            yield lent.subarray(0, part.length);
          }
        },
      });
      const sent: Uint8Array[] = [];
      for await (const part of file.open()) sent.push(Uint8Array.from(part));
      const text = Buffer.concat(sent).toString();
      expect(JSON.parse(text)).toEqual({ a: Buffer.from(bytes).toString('base64'), b: 1 });
      expect([file.bytes, file.mediaType]).toEqual([text.length, 'application/json']);
    }
  }
});
