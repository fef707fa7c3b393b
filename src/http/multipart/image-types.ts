/** Detects an image's type by its first bytes, for uploads without one. */

/** The length of the longest signature below. */
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
