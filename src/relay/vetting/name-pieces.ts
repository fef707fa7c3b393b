/** Every text below a value that could be the name of a model: whole texts, their pieces, and keys of objects. */

/** Longer texts are not taken apart: none of these is a name, and a list of names is shorter. */
const textLengthMax = 4_000;
const nameLengthMax = 200;
/** Beyond so many pieces the body is refused: a caller who hides a name among more gains nothing. */
export const namePiecesMax = 50_000;

/** What separates names in lists and in texts that are JSON themselves. */
const separators = /[\s,;|"'`{}[\]()<>=]+/;

/** Calls `see` with each; false once there were too many. */
export function eachName(value: unknown, see: (name: string) => void): boolean {
  let left = namePiecesMax;
  const text = (given: string): void => {
    const whole = given.trim();
    if (whole.length <= nameLengthMax) take(whole);
    if (whole.length > textLengthMax || !separators.test(whole)) return;
    for (const piece of whole.split(separators)) if (piece.length <= nameLengthMax) take(piece);
  };
  const take = (name: string): void => {
    if (name.length < 2 || left <= 0) return;
    left--;
    see(name);
  };
  const walk = (each: unknown): void => {
    if (left <= 0) return;
    if (typeof each === 'string') text(each);
    else if (Array.isArray(each)) for (const one of each) walk(one);
    else if (typeof each === 'object' && each !== null) {
      for (const [key, one] of Object.entries(each)) {
        text(key);
        walk(one);
      }
    }
  };
  walk(value);
  return left > 0;
}
