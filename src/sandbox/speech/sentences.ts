/** Splits a text into sentences, so that audio can be sent before all of it is made, and rewrites it in characters that the engine reads. */

/** Long enough to outweigh starting the engine, short enough that the first piece comes soon. */
const pieceCharactersMin = 12;
const pieceCharactersMax = 240;
const signWeight = 6;

const sentenceEnd = /[.!?…]+["'”’)\]]*(?=\s)|[。！？]+["'”’」』）]*|\n+/gu;
/** A period after these does not end a sentence. */
const abbreviation = /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|Sr|Jr|St|vs|No|(?:\p{L}\.)*\p{L})\.$/u;

/** The sentences without the white space between them; none is empty. */
export function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const match of text.matchAll(sentenceEnd)) {
    const end = match.index + match[0].length;
    if (match[0] === '.' && abbreviation.test(text.slice(Math.max(start, end - 8), end))) continue;
    sentences.push(text.slice(start, end).trim());
    start = end;
  }
  sentences.push(text.slice(start).trim());
  return sentences.filter((sentence) => sentence !== '');
}

/** Pieces to be spoken one after the other; at least one. */
export function splitForSpeech(text: string): string[] {
  const pieces: string[] = [];
  let gathered = '';
  for (const sentence of splitSentences(text).flatMap(cutLong)) {
    if (gathered !== '' && gathered.length + sentence.length >= pieceCharactersMax) {
      pieces.push(gathered);
      gathered = '';
    }
    gathered = gathered === '' ? sentence : `${gathered} ${sentence}`;
    if (gathered.length < pieceCharactersMin) continue;
    pieces.push(gathered);
    gathered = '';
  }
  if (gathered !== '' || pieces.length === 0) pieces.push(gathered);
  return pieces;
}

function cutLong(sentence: string): string[] {
  const pieces: string[] = [];
  let rest = sentence;
  for (;;) {
    const head = rest.slice(0, speakableLength(rest));
    if (head.length === rest.length) break;
    const pause = Math.max(head.lastIndexOf(', '), head.lastIndexOf('; '), head.lastIndexOf(': '));
    const space = head.lastIndexOf(' ');
    const at = pause > pieceCharactersMin ? pause + 1 : space > pieceCharactersMin ? space : head.length;
    pieces.push(rest.slice(0, at).trim());
    rest = rest.slice(at).trim();
  }
  pieces.push(rest);
  return pieces.filter((piece) => piece !== '');
}

/** How much of a text makes one piece: a digit or a sign is spoken as a whole word. */
function speakableLength(text: string): number {
  let weight = 0;
  for (let at = 0; at < text.length; at++) {
    weight += /[\d$%&@#*+=/\\^~<>|]/.test(text.charAt(at)) ? signWeight : 1;
    if (weight > pieceCharactersMax) return at;
  }
  return text.length;
}

const spokenSigns: readonly (readonly [RegExp, string])[] = [
  [/[‘’‚′]/g, "'"],
  [/[“”„«»″]/g, '"'],
  [/[–—―]/g, ', '],
  [/…/g, '...'],
  [/[。｡]/g, '. '],
  [/[、，]/g, ', '],
  [/！/g, '! '],
  [/？/g, '? '],
  [/€/g, ' euros '],
  [/£/g, ' pounds '],
  [/ß/g, 'ss'],
  [/[æÆ]/g, 'ae'],
  [/[øØ]/g, 'o'],
];

/** The engine reads ASCII: accents are removed, and scripts that it cannot read become a pause. */
export function toSpeakable(text: string): string {
  let spoken = text;
  for (const [sign, words] of spokenSigns) spoken = spoken.replace(sign, words);
  return spoken
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim();
}
