/**
 * A text with memory of its own. A part of a longer text keeps all of it in memory: of a header, the whole head with its
 * credential. What is kept for longer than a request is copied first.
 */

export function ownText(part: string): string {
  return Buffer.from(part).toString();
}
