/** A second reader of requests, as strict as RFC 9112 allows and written without the server's: what a pipeline contains. */

interface FoundRequest {
  readonly method: string;
  readonly target: string;
  readonly body: string;
}

/**
 * What follows the last complete request: nothing; bytes that may still become one; bytes that never will, after which
 * a server must close; or nothing that counts, because the last request closes the connection.
 */
type Ending = 'nothing' | 'incomplete' | 'malformed' | 'closing';

export interface Found {
  readonly requests: readonly FoundRequest[];
  readonly ending: Ending;
  /** The method and target of a request whose head is right and whose body is not, or not whole. */
  readonly begun: Pick<FoundRequest, 'method' | 'target'> | undefined;
}

/** Larger ones are refused too. */
const headBytesMax = 16_384;
/** RFC 3986: unreserved, sub-delims without the comma, and what encodes, encloses an address or precedes a port. */
const hostCharacters = `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+;=%[]:`;
const firstLine = /^([!#$%&'*+\-.^_`|~\w]+) ([!-~\x80-\xff]+) HTTP\/1\.([01])$/;
const headerLine = /^([!#$%&'*+\-.^_`|~\w]+):[ \t]*((?:[^\0-\x08\n-\x1f\x7f]*[^\0- \x7f])?)[ \t]*$/;

interface Head {
  readonly method: string;
  readonly target: string;
  readonly length: number | 'chunked';
  readonly closes: boolean;
}

export function findRequests(text: string): Found {
  const requests: FoundRequest[] = [];
  let at = 0;
  for (;;) {
    while (text.startsWith('\r\n', at)) at += 2;
    const end = (ending: Ending, begun?: Found['begun']): Found => ({ requests, ending, begun });
    if (at === text.length) return end('nothing');
    const headEnd = text.indexOf('\r\n\r\n', at);
    if ((headEnd < 0 ? text.length - 4 : headEnd) - at > headBytesMax) return end('malformed');
    if (headEnd < 0) return end('incomplete');
    const head = readHead(text.slice(at, headEnd));
    if (head === undefined) return end('malformed');
    const { method, target } = head;
    const body = head.length === 'chunked' ? readChunks(text, headEnd + 4) : readLength(text, headEnd + 4, head.length);
    if (typeof body === 'string') return end(body, { method, target });
    requests.push({ method, target, body: body.text });
    if (head.closes) return end('closing');
    at = body.end;
  }
}

function readHead(text: string): Head | undefined {
  const [first = '', ...lines] = text.split('\r\n');
  const [, method = '', given = '', minor] = firstLine.exec(first) ?? [];
  const target = readTarget(given);
  if (target === undefined) return undefined;
  const headers: [name: string, value: string][] = [];
  for (const line of lines) {
    const [, name, value = ''] = headerLine.exec(line) ?? [];
    if (name === undefined) return undefined;
    headers.push([name.toLowerCase(), value]);
  }
  const all = (wanted: string) => headers.filter(([name]) => name === wanted).map(([, value]) => value);
  const hosts = all('host');
  if (hosts.some((host) => [...host].some((character) => !hostCharacters.includes(character)))) return undefined;
  if (hosts.length > 1 || (hosts.length === 0 && minor === '1') || hosts[0]?.includes(',') === true) return undefined;
  const length = readFraming(all('content-length'), all('transfer-encoding'), minor === '0');
  if (length === undefined) return undefined;
  const options = all('connection').flatMap((value) => value.split(',').map((each) => each.trim().toLowerCase()));
  const closes = minor === '0' ? !options.includes('keep-alive') : options.includes('close');
  return { method, target, length, closes };
}

function readTarget(given: string): string | undefined {
  const path = /^https?:\/\//i.test(given) ? given.replace(/^https?:\/\/[^/?]*/i, '').replace(/^(?!\/)/, '/') : given;
  if (!path.startsWith('/') && path !== '*') return undefined;
  return Buffer.from(path, 'latin1').toString();
}

function readFraming(
  lengths: readonly string[],
  encodings: readonly string[],
  isOld: boolean,
): Head['length'] | undefined {
  if (encodings.length > 0) {
    const isChunked = encodings.length === 1 && encodings[0]?.toLowerCase() === 'chunked';
    return isChunked && lengths.length === 0 && !isOld ? 'chunked' : undefined;
  }
  if (lengths.length === 0) return 0;
  return lengths.length === 1 && /^\d{1,15}$/.test(lengths[0] ?? '') ? Number(lengths[0]) : undefined;
}

type Body = { readonly text: string; readonly end: number } | 'incomplete' | 'malformed';

function readLength(text: string, start: number, length: number): Body {
  const end = start + length;
  return end > text.length ? 'incomplete' : { text: text.slice(start, end), end };
}

function readChunks(text: string, start: number): Body {
  let body = '';
  for (let at = start; ; ) {
    const [line, digits] = /^([\da-f]{1,12})\r\n/i.exec(text.slice(at, at + 14)) ?? [];
    // An extension is never accepted, but may be refused as late as at the end of the body.
    if (line === undefined || digits === undefined)
      return /^[^\da-f]/i.test(text.slice(at)) ? 'malformed' : 'incomplete';
    const size = Number.parseInt(digits, 16);
    at += line.length;
    const end = text.slice(at + size, at + size + 2);
    // The same is true of a trailer.
    if (end.length < 2 || (size === 0 && end !== '\r\n')) return 'incomplete';
    if (end !== '\r\n') return 'malformed';
    body += text.slice(at, at + size);
    at += size + 2;
    if (size === 0) return { text: body, end: at };
  }
}
