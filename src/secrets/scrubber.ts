/**
 * Removes secrets from foreign texts: every piece of eight characters and more of a secret, in plain, hexadecimal,
 * base64 or URL encoding, in capitals or not, also with whitespace, quotation marks or JSON escapes between. Linear in the text.
 */

export type Scrubber = (text: string) => string;

/** Shorter pieces reveal nothing, and would hide ordinary words. */
const pieceLength = 8;
/** Secrets shorter than a piece are searched as a whole. */
const secretLengthMin = 4;
/** Longer texts are cut; a piece of a secret at the cut is found like any other. */
const textLengthMax = 16_384;
/** The visible ends of a key that a provider masks in the middle. */
const endLengthMin = 4;
const shown = '[key]';

/** What looks like a credential, configured or not. */
const likelyKey = /\b(?:sk|pk|key|xai|gsk|AIza|ya29\.)[-_A-Za-z0-9]{16,}/g;
const likelyToken = /\beyJ[-_A-Za-z0-9]{8,}\.[-_A-Za-z0-9]{8,}(?:\.[-_A-Za-z0-9]*)?/g;
/** Control characters would forge log lines. */
const control = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
const mask = /\*{2,}|\.{3,}|…|•{2,}|x{4,}/i;

export function createScrubber(secrets: readonly string[]): Scrubber {
  const known = [...new Set(secrets)].filter((secret) => secret.length >= secretLengthMin);
  const short = known.filter((secret) => secret.length < pieceLength);
  // Key files hold more ordinary words than secrets; their secret parts are given as well.
  const long = known.filter((secret) => secret.length >= pieceLength && !/^\{|-----/.test(secret));
  const shorts = short.map((secret) => new RegExp(RegExp.escape(secret), 'gi'));
  const pieces = piecesOf(long);
  const bareOf = pieces.size === 0 ? (text: string): string => text : (text: string) => withoutPieces(text, pieces);
  return (given) => {
    const text = given.length > textLengthMax ? `${given.slice(0, textLengthMax)}…` : given;
    const bare = shorts.reduce((rest, secret) => rest.replace(secret, shown), bareOf(text));
    const unmasked = long.length > 0 && mask.test(bare) ? withoutMasked(bare, long) : bare;
    return unmasked.replace(likelyToken, shown).replace(likelyKey, shown).replace(control, ' ');
  };
}

/** Whether a piece is of an encoded secret, whose adjacent characters may hold a part of it too. */
type PieceKind = 'plain' | 'encoded';

/** By their text, where it says the same in capitals in small letters; base64 does not. */
interface Pieces {
  readonly size: number;
  kindAt(text: string, folded: string, at: number): PieceKind | undefined;
}

/** Small letters, each in the place of its capital. */
const foldedOf = (text: string): string => text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());

function piecesOf(secrets: readonly string[]): Pieces {
  const folded = new Map<string, PieceKind>();
  const exact = new Map<string, PieceKind>();
  const add = (text: string, kind: PieceKind, pieces: Map<string, PieceKind>): void => {
    for (let at = 0; at + pieceLength <= text.length; at++) {
      const piece = text.slice(at, at + pieceLength);
      if (pieces.get(piece) !== 'plain') pieces.set(piece, kind);
    }
  };
  for (const secret of secrets) {
    add(foldedOf(condensed(secret).text), 'plain', folded);
    const bytes = Buffer.from(secret);
    add(bytes.toString('hex'), 'encoded', folded);
    for (let offset = 0; offset < 3; offset++) {
      // Whole groups only: they do not depend on the text before or after the secret.
      const whole = bytes.subarray(offset, offset + Math.floor((bytes.length - offset) / 3) * 3);
      add(whole.toString('base64'), 'encoded', exact);
      add(whole.toString('base64url'), 'encoded', exact);
    }
  }
  return {
    size: folded.size + exact.size,
    kindAt(text, small, at) {
      const plain = folded.get(small.slice(at, at + pieceLength));
      return plain ?? exact.get(text.slice(at, at + pieceLength));
    },
  };
}

interface Condensed {
  readonly text: string;
  /** Where each of its characters begins in the original, and where the last one ends. */
  readonly places: Uint32Array;
}

/** A text without the characters that may separate the pieces of a secret, its escapes and URL encoding decoded. */
function condensed(original: string): Condensed {
  const places = new Uint32Array(original.length + 1);
  let text = '';
  let at = 0;
  while (at < original.length) {
    const { character, length } = readOne(original, at);
    if (character !== '') {
      places[text.length] = at;
      text += character;
    }
    at += length;
  }
  places[text.length] = original.length;
  return { text, places };
}

const between = /[\s"'`]/;
const fourDigits = /^[0-9a-f]{4}$/i;
const twoDigits = /^[0-9a-f]{2}$/i;

function readOne(text: string, at: number): { readonly character: string; readonly length: number } {
  const character = text.charAt(at);
  if (character === '\\') {
    const next = text.charAt(at + 1);
    const digits = text.slice(at + 2, at + 6);
    if (next === 'u' && fourDigits.test(digits)) {
      return { character: withoutBetween(String.fromCharCode(Number.parseInt(digits, 16))), length: 6 };
    }
    return 'nrtbf'.includes(next) && next !== '' ? { character: '', length: 2 } : { character: '', length: 1 };
  }
  if (character === '%') {
    const digits = text.slice(at + 1, at + 3);
    if (twoDigits.test(digits)) {
      return { character: withoutBetween(String.fromCharCode(Number.parseInt(digits, 16))), length: 3 };
    }
  }
  return { character: withoutBetween(character), length: 1 };
}

function withoutBetween(character: string): string {
  return between.test(character) ? '' : character;
}

function withoutPieces(original: string, pieces: Pieces): string {
  const { text, places } = condensed(original);
  const folded = foldedOf(text);
  let result = '';
  let keptFrom = 0;
  for (let at = 0; at + pieceLength <= text.length; at++) {
    if (pieces.kindAt(text, folded, at) === undefined) continue;
    const { to, isEncoded } = stretch(at, text.length, (each) => pieces.kindAt(text, folded, each));
    let begin = places[at] ?? 0;
    const last = places[to - 1] ?? 0;
    let end = last + readOne(original, last).length;
    if (isEncoded) {
      // The characters around it hold a part of the secret's first or last byte.
      while (begin > keptFrom && isBase64(original.charCodeAt(begin - 1))) begin--;
      while (end < original.length && isBase64(original.charCodeAt(end))) end++;
    }
    result += original.slice(keptFrom, begin) + shown;
    keptFrom = end;
    at = to - 1;
    while (at + 1 < text.length && (places[at + 1] ?? end) < end) at++;
  }
  return result + original.slice(keptFrom);
}

/** The end of consecutive pieces. */
function stretch(
  start: number,
  length: number,
  kindAt: (at: number) => PieceKind | undefined,
): { readonly to: number; readonly isEncoded: boolean } {
  let to = start + pieceLength;
  let isEncoded = false;
  for (let at = start; at < to && at + pieceLength <= length; at++) {
    const kind = kindAt(at);
    if (kind === undefined) continue;
    to = at + pieceLength;
    isEncoded ||= kind === 'encoded';
  }
  return { to, isEncoded };
}

function isBase64(code: number): boolean {
  const letter = code | 0x20;
  return (
    (code >= 0x30 && code <= 0x39) || (letter >= 0x61 && letter <= 0x7a) || '+/=_-'.includes(String.fromCharCode(code))
  );
}

/** Providers mask the middle of a key and show its ends, which are too short to be found as pieces. */
function withoutMasked(text: string, secrets: readonly string[]): string {
  return text.replace(/\S+/g, (word) => {
    const found = mask.exec(word);
    if (found === null) return word;
    const before = word.slice(0, found.index);
    const after = word.slice(found.index + found[0].length);
    const isOurs = secrets.some(
      (secret) => before.endsWith(secret.slice(0, endLengthMin)) || after.includes(secret.slice(-endLengthMin)),
    );
    return isOurs || hasHead(before, secrets) ? shown : word;
  });
}

/** A visible beginning that is longer than the minimum, which `endsWith` does not detect. */
function hasHead(before: string, secrets: readonly string[]): boolean {
  for (let length = endLengthMin + 1; length < pieceLength; length++)
    if (secrets.some((secret) => before.endsWith(secret.slice(0, length)))) return true;
  return false;
}

/** Scrubs every text in a JSON tree; keys stay as they are. */
export function scrubTree(tree: unknown, scrub: Scrubber): unknown {
  if (typeof tree === 'string') return scrub(tree);
  if (Array.isArray(tree)) return tree.map((each) => scrubTree(each, scrub));
  if (typeof tree !== 'object' || tree === null) return tree;
  return Object.fromEntries(Object.entries(tree).map(([name, value]) => [name, scrubTree(value, scrub)]));
}
