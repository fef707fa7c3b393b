/** The scheme that someone left out in front of a URL. */

/** Own machines and networks rarely have a certificate. */
const isNear =
  /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[|[\w-]+(?=[:/]|$)|[\w.-]+\.(?:local|lan|internal)(?=[:/]|$))/i;

/** The text with the scheme that is most likely meant; undefined where it has one, or is empty. */
export function withScheme(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.includes('://')) return undefined;
  const bare = trimmed.replace(/^\/+/, '');
  return `${isNear.test(bare) ? 'http' : 'https'}://${bare}`;
}
