/** Kept bodies as people read them: JSON with its lines, everything else as it is. */

export function readable(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{') && !trimmed.startsWith('[')) return text;
  try {
    return JSON.stringify(JSON.parse(trimmed), undefined, 2);
  } catch {
    // Cut in the middle, or events one after the other.
    return text;
  }
}
