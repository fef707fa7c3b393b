/** Reads single fields of a frame without parsing it: most frames are audio, and the rest of them is not needed. */

/** Every known sender writes the type among the first fields; otherwise the frame is parsed. */
const headLength = 256;
const typeField = /"type"\s*:\s*"([^"\\]{1,100})"/;

/** The frame's own type; undefined where only a parser can tell. */
export function typeAtHead(text: string): string | undefined {
  const head = text.length > headLength ? text.slice(0, headLength) : text;
  const match = typeField.exec(head);
  if (match === null) return undefined;
  // Behind another brace it may be the type of a nested object.
  return head.lastIndexOf('{', match.index) === head.indexOf('{') ? match[1] : undefined;
}

/** Where a text field's value lies, taking its first mention for the field; undefined where there is none. */
export function textField(text: string, name: string): { readonly start: number; readonly end: number } | undefined {
  const mark = `"${name}"`;
  const at = text.indexOf(mark);
  if (at === -1) return undefined;
  const open = text.indexOf('"', at + mark.length);
  if (open === -1 || text.slice(at + mark.length, open).trim() !== ':') return undefined;
  const end = text.indexOf('"', open + 1);
  return end === -1 ? undefined : { start: open + 1, end };
}

/** How many bytes such a field of base64 holds. */
export function base64Bytes(text: string, name: string): number {
  const field = textField(text, name);
  return field === undefined ? 0 : Math.floor(((field.end - field.start) * 3) / 4);
}
