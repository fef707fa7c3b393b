/** Reads header values of the form `type; name=value; name="quoted value"`, and the extended values of RFC 5987 and RFC 2231. */

interface ParameterizedValue {
  /** In lower case. */
  readonly type: string;
  /** By name in lower case; an extended name keeps its marks (`filename*`, `filename*0`). */
  readonly parameters: ReadonlyMap<string, Parameter>;
}

interface Parameter {
  readonly value: string;
  /** Whether it held a backslash. Servers disagree about what that means. */
  readonly escaped: boolean;
}

const separator = /[ \t]*;[ \t]*/y;
const parameterName = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+)[ \t]*=[ \t]*/y;
const quotedValue = /"((?:[^"\\]|\\[\s\S])*)"/y;
const plainValue = /[^";\s]+/y;
const typeName = /^[ \t]*([^;\s]+)/;

/** Undefined if the text breaks the grammar or names a parameter twice: parsers differ in which of two they use. */
export function readParameters(text: string): ParameterizedValue | undefined {
  const typed = typeName.exec(text);
  if (typed?.[1] === undefined) return undefined;
  const parameters = new Map<string, Parameter>();
  const end = text.trimEnd().length;
  let at = typed[0].length;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found ?? undefined;
  };
  while (at < end) {
    if (take(separator) === undefined) return undefined;
    // Some senders end the list with a semicolon.
    if (at >= end) break;
    const name = take(parameterName)?.[1]?.toLowerCase();
    const quoted = take(quotedValue)?.[1];
    const raw = quoted ?? take(plainValue)?.[0];
    if (name === undefined || raw === undefined || parameters.has(name)) return undefined;
    // Only these two are escapes; any other backslash belongs to a path that an old browser sent.
    const value = quoted === undefined ? raw : raw.replace(/\\(["\\])/g, '$1');
    parameters.set(name, { value, escaped: raw.includes('\\') });
  }
  return { type: typed[1].toLowerCase(), parameters };
}

/**
 * A parameter that may come plain, extended (`name*`) or in pieces (`name*0`, `name*1*`); the extended form is
 * preferred.
 */
export function extendedParameter(parameters: ReadonlyMap<string, Parameter>, name: string): string | undefined {
  const extended = parameters.get(`${name}*`)?.value;
  const decoded = extended === undefined ? undefined : decodeExtended(extended);
  return decoded ?? joinedPieces(parameters, name) ?? parameters.get(name)?.value;
}

const extendedValue = /^([^']*)'[^']*'(.*)$/s;

/** `UTF-8'en'na%C3%AFve.png` */
function decodeExtended(text: string): string | undefined {
  const [, charset, encoded] = extendedValue.exec(text) ?? [];
  return charset === undefined || encoded === undefined ? undefined : decodeBytes(percentBytes(encoded), charset);
}

function joinedPieces(parameters: ReadonlyMap<string, Parameter>, name: string): string | undefined {
  let charset = '';
  const pieces: Buffer[] = [];
  for (let index = 0; ; index++) {
    const encoded = parameters.get(`${name}*${index}*`)?.value;
    const plain = parameters.get(`${name}*${index}`)?.value;
    if (encoded === undefined && plain === undefined) break;
    if (encoded === undefined) {
      pieces.push(Buffer.from(plain ?? ''));
      continue;
    }
    const [, named, rest] = index === 0 ? (extendedValue.exec(encoded) ?? []) : [undefined, '', encoded];
    if (rest === undefined) return undefined;
    if (index === 0) charset = named ?? '';
    pieces.push(percentBytes(rest));
  }
  return pieces.length === 0 ? undefined : decodeBytes(Buffer.concat(pieces), charset);
}

function percentBytes(text: string): Buffer {
  const latin = Buffer.from(text).toString('latin1');
  const plain = latin.replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(plain, 'latin1');
}

function decodeBytes(bytes: Buffer, charset: string): string | undefined {
  const wanted = charset.toLowerCase();
  if (wanted === 'iso-8859-1') return bytes.toString('latin1');
  return wanted === 'utf-8' || wanted === 'us-ascii' || wanted === '' ? bytes.toString('utf8') : undefined;
}
