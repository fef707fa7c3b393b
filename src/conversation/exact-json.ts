/** Parses JSON so that printing it again gives the same numbers: a model's arguments may hold more digits than a number can. */

interface RawJson {
  rawJSON(text: string): unknown;
}

/** Digits beyond what a number holds, or a spelling that printing would change. */
const delicateNumber = /\d{16}|\d\.\d*0(?!\d)|\d[eE]|-0/;

/** Whether parsing must keep how a number is spelled, which takes longer. */
export function isDelicate(text: string): boolean {
  return delicateNumber.test(text);
}

/** Throws a SyntaxError where the text is not JSON. Numbers that would change stay as they are spelled when printed. */
export function parseExact(text: string): unknown {
  return isDelicate(text) ? JSON.parse(text, keepSpelling) : JSON.parse(text);
}

function keepSpelling(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
  return (JSON as unknown as RawJson).rawJSON(source);
}
