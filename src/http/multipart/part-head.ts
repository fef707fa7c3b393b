/**
 * Reads the head of one part: its name, and whether it is a field or a file. What servers read differently is refused,
 * because a body that is passed on must mean to the provider what it meant here.
 */

import type { FormLimits } from './limits.ts';
import { extendedParameter, readParameters } from './parameters.ts';
import { malformed } from './refusals.ts';

export interface PartHead {
  readonly name: string;
  readonly isFile: boolean;
  /** A name for display and for the provider, never a path; empty if none was given. */
  readonly filename: string;
  readonly mediaType: string;
}

const filenameLengthMax = 255;
const headerLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*?)[ \t]*$/;
/** Quotes that some servers remove, escapes that some decode, and blanks that some trim. */
const readDifferently = /['"%]|^\s|\s$/;
const unfitForLine = /[\x00-\x08\x0a-\x1f\x7f]/;
/** A byte order mark would otherwise vanish from a name or a value. */
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

export function readPartHead(bytes: Uint8Array, lineEnd: string, limits: FormLimits): PartHead {
  const headers = readHeaders(lenient.decode(bytes), lineEnd);
  const name = readName(headers.get('content-disposition'), limits);
  const transfer = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary';
  if (!['binary', '8bit', '7bit'].includes(transfer)) {
    throw malformed(`The part ${name.text} is encoded; send its bytes as they are.`, name.text);
  }
  const media = readMediaType(headers.get('content-type'), name.text);
  const isFile = name.filename !== undefined || !isTextual(media.type);
  if (!isFile && !['', 'utf-8', 'utf8', 'us-ascii'].includes(media.charset)) {
    throw malformed(`The field ${name.text} is not UTF-8.`, name.text);
  }
  const mediaType = media.type === '' ? 'application/octet-stream' : media.type;
  return { name: name.text, isFile, filename: plainFilename(name.filename ?? ''), mediaType };
}

function readHeaders(text: string, lineEnd: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of text === '' ? [] : text.split(lineEnd)) {
    const [, written, value] = headerLine.exec(line) ?? [];
    if (written === undefined || value === undefined || unfitForLine.test(line)) {
      throw malformed("A part's head holds a line that is no header.");
    }
    const name = written.toLowerCase();
    if (headers.has(name)) throw malformed(`A part's head holds ${name.slice(0, 100)} twice.`);
    headers.set(name, value);
  }
  return headers;
}

interface PartName {
  readonly text: string;
  readonly filename: string | undefined;
}

function readName(disposition: string | undefined, limits: FormLimits): PartName {
  if (disposition === undefined) throw malformed('A part has no Content-Disposition.');
  const read = readParameters(disposition);
  if (read === undefined || read.type !== 'form-data') {
    throw malformed("A part's Content-Disposition is not one of form data.");
  }
  const named = read.parameters.get('name');
  if (named === undefined || named.value === '') throw malformed('A part has no name.');
  const text = named.value;
  if (Buffer.byteLength(text) > limits.fieldNameBytesMax) {
    throw malformed(`A part's name is longer than ${limits.fieldNameBytesMax} bytes.`);
  }
  const extended = [...read.parameters.keys()].some((key) => key.startsWith('name*'));
  if (named.escaped || text.includes('\ufffd') || extended || readDifferently.test(text)) {
    throw malformed("A part's name is not plain UTF-8.");
  }
  return { text, filename: extendedParameter(read.parameters, 'filename') };
}

interface MediaType {
  readonly type: string;
  readonly charset: string;
}

function readMediaType(header: string | undefined, param: string): MediaType {
  if (header === undefined || header === '') return { type: '', charset: '' };
  const read = readParameters(header);
  if (read === undefined || !/^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+*-]+$/.test(read.type)) {
    throw malformed(`The part ${param} has a Content-Type that is none.`, param);
  }
  if (read.type.startsWith('multipart/')) {
    throw malformed(`The part ${param} is a form in itself; send its parts one by one.`, param);
  }
  return { type: read.type, charset: read.parameters.get('charset')?.value.toLowerCase() ?? '' };
}

/** Without a file name, only a type that no field would have makes it a file. */
function isTextual(type: string): boolean {
  return type === '' || type.startsWith('text/') || type === 'application/json';
}

/** The last segment of the sent path, without characters that could break a header or a terminal. */
function plainFilename(given: string): string {
  const last = given.replace(/%22/g, '"').split(/[/\\]/).at(-1) ?? '';
  const shown = last.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '').trim();
  if (shown === '.' || shown === '..') return '';
  return shown.length <= filenameLengthMax ? shown : [...shown].slice(-filenameLengthMax).join('');
}
