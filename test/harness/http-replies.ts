/** Reads the replies of an HTTP/1.1 server from its bytes, strictly: whatever is not exactly a reply is an error. */

export interface ParsedReply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** In Latin-1. */
  readonly body: string;
  /** Each chunk of a chunked body. */
  readonly chunks: readonly string[];
}

interface ParsedReplies {
  readonly replies: readonly ParsedReply[];
  /** What is no complete reply yet. */
  readonly rest: string;
}

const line = /^[!#$%&'*+\-.^_`|~0-9a-z]+: [^\0-\x08\n-\x1f\x7f]*$/;

/** The methods of the requests, where a reply to HEAD is among them; `isEnded` if the server has closed. */
export function parseReplies(bytes: Buffer, methods: readonly string[] = [], isEnded = false): ParsedReplies {
  const replies: ParsedReply[] = [];
  let finals = 0;
  let at = 0;
  for (;;) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    if (headEnd < 0) break;
    const [first = '', ...lines] = bytes.toString('latin1', at, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) [ -~]+$/.exec(first)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new Error(`no status line: ${JSON.stringify(first.slice(0, 200))}`);
    const headers = readLines(lines);
    const isBodiless = status < 200 || status === 204 || status === 304 || methods[finals] === 'HEAD';
    const body = readBody(bytes, headEnd + 4, headers, isBodiless, isEnded);
    if (body === undefined) break;
    replies.push({ status, headers, body: body.pieces.join(''), chunks: body.isChunked ? body.pieces : [] });
    if (status >= 200) finals += 1;
    at = body.end;
  }
  return { replies, rest: bytes.toString('latin1', at) };
}

function readLines(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const each of lines) {
    if (!line.test(each)) throw new Error(`no header: ${JSON.stringify(each)}`);
    const colon = each.indexOf(': ');
    const name = each.slice(0, colon);
    const before = headers.get(name);
    headers.set(name, before === undefined ? each.slice(colon + 2) : `${before}, ${each.slice(colon + 2)}`);
  }
  if (headers.has('content-length') && headers.has('transfer-encoding')) throw new Error('the reply has two lengths');
  return headers;
}

interface ParsedBody {
  readonly pieces: readonly string[];
  readonly isChunked: boolean;
  readonly end: number;
}

/** Undefined while some of it is missing. */
function readBody(
  bytes: Buffer,
  start: number,
  headers: ReadonlyMap<string, string>,
  isBodiless: boolean,
  isEnded: boolean,
): ParsedBody | undefined {
  if (isBodiless) return { pieces: [], isChunked: false, end: start };
  if (headers.has('transfer-encoding')) return readChunks(bytes, start);
  const announced = headers.get('content-length');
  if (announced === undefined && !isEnded) return undefined;
  if (announced !== undefined && !/^\d+$/.test(announced)) throw new Error(`no length: ${announced}`);
  const end = announced === undefined ? bytes.length : start + Number(announced);
  if (end > bytes.length) return undefined;
  return { pieces: [bytes.toString('latin1', start, end)], isChunked: false, end };
}

function readChunks(bytes: Buffer, start: number): ParsedBody | undefined {
  const pieces: string[] = [];
  for (let at = start; ; ) {
    const sizeEnd = bytes.indexOf('\r\n', at);
    if (sizeEnd < 0) return undefined;
    const text = bytes.toString('latin1', at, sizeEnd);
    if (!/^[0-9a-f]{1,8}$/.test(text)) throw new Error(`no size of a chunk: ${JSON.stringify(text.slice(0, 200))}`);
    const size = Number.parseInt(text, 16);
    const dataEnd = sizeEnd + 2 + size;
    if (dataEnd + 2 > bytes.length) return undefined;
    if (bytes.toString('latin1', dataEnd, dataEnd + 2) !== '\r\n') throw new Error('a chunk is longer than its size');
    at = dataEnd + 2;
    if (size === 0) return { pieces, isChunked: true, end: at };
    pieces.push(bytes.toString('latin1', sizeEnd + 2, dataEnd));
  }
}
