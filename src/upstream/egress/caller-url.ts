/** Checks an address that a token holder wrote, before anything is looked up or connected to. */

/** Longer ones are no addresses but payloads. */
const urlLengthMax = 8_192;

/** Why an address is not fetched, in words for whoever wrote it. */
export class UrlRefusal extends Error {
  override readonly name = 'UrlRefusal';
}

/** `base` is where a redirect came from. */
export function readCallerUrl(text: string, portsAllowed: readonly number[] | undefined, base?: URL): URL {
  if (text.length > urlLengthMax) throw new UrlRefusal(`is longer than ${urlLengthMax} characters`);
  // Parsers drop or change these silently, so that two of them can see two hosts in one text.
  if (/[\x00-\x20\x7f\\]/.test(text)) throw new UrlRefusal('holds characters that no address may hold');
  const url = URL.parse(text, base?.href);
  if (url === null) throw new UrlRefusal('is not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new UrlRefusal('is neither http nor https');
  if (url.username !== '' || url.password !== '') throw new UrlRefusal('holds a user name or password');
  if (isDisguised(text, url)) throw new UrlRefusal('spells its host in an unusual way');
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  if (portsAllowed !== undefined && !portsAllowed.includes(port)) throw new UrlRefusal(`uses port ${port}`);
  return url;
}

/**
 * An IPv4 address as one number, in octal, in hexadecimal, short, with escapes or in other scripts' digits: the URL's parser
 * reads them all, and nobody writes so who has nothing to hide.
 */
function isDisguised(text: string, url: URL): boolean {
  if (!/^[0-9.]+$/.test(url.hostname)) return false;
  const authority = /^[a-z]*:?\/\/([^/?#]*)/i.exec(text)?.[1];
  if (authority === undefined) return false;
  return authority.replace(/:[0-9]*$/, '') !== url.hostname;
}
