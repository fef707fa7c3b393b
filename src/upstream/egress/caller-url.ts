/** Checks a URL that a caller sent, before its host is resolved or connected to. */

/** Anything longer is a payload rather than a URL. */
const urlLengthMax = 8_192;

/** Why a URL is not fetched, in words for the caller. */
export class UrlRefusal extends Error {
  override readonly name = 'UrlRefusal';
}

/** `base` is where a redirect came from. */
export function readCallerUrl(text: string, portsAllowed: readonly number[] | undefined, base?: URL): URL {
  if (text.length > urlLengthMax) throw new UrlRefusal(`is longer than ${urlLengthMax} characters`);
  // URL parsers drop or change these silently, so two parsers can read different hosts from one text.
  if (/[\x00-\x20\x7f\\]/.test(text)) throw new UrlRefusal('holds characters that no URL may hold');
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
 * An IPv4 address as one number, in octal, in hexadecimal, short, with escapes or in other scripts' digits: the URL
 * parser accepts them all, and their only use is to hide the host.
 */
function isDisguised(text: string, url: URL): boolean {
  if (!/^[0-9.]+$/.test(url.hostname)) return false;
  const authority = /^[a-z]*:?\/\/([^/?#]*)/i.exec(text)?.[1];
  if (authority === undefined) return false;
  return authority.replace(/:[0-9]*$/, '') !== url.hostname;
}
