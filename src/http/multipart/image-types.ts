/** What kind of image a file is by its first bytes, for uploads that do not say it. */

/** As many as the longest mark below needs. */
export const markBytes = 12;

const marks: readonly (readonly [mediaType: string, mark: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['image/gif', /^GIF8[79]a/],
];

export function imageTypeOf(beginning: Uint8Array): string | undefined {
  const text = String.fromCharCode(...beginning.subarray(0, markBytes));
  return marks.find(([, mark]) => mark.test(text))?.[0];
}
