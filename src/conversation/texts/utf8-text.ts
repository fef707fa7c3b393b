/** The text of bytes, without a Buffer over the same memory: to make one costs more than to read a short text. */

/** The runtime's own decoder, which takes any bytes. Invalid ones become U+FFFD, and a byte order mark stays. */
const { utf8Slice } = Buffer.prototype as unknown as {
  utf8Slice(this: Uint8Array, start: number, end: number): string;
};

export const utf8Text = (bytes: Uint8Array, start = 0, end = bytes.length): string => utf8Slice.call(bytes, start, end);

/** The first half of a character: a text is not cut behind it. */
export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
