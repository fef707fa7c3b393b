/**
 * The headers that identify the content-generation format's own libraries: they read models and errors in its shapes
 * only.
 */

interface HeaderReader {
  has(name: string): boolean;
}

export function showsOwnLibrary(headers: HeaderReader): boolean {
  return headers.has('x-goog-api-client') || headers.has('x-goog-api-key');
}
