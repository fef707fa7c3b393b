/** Bodies that cost a parser most: each close to the largest that is allowed, all valid JSON. */

const bodyBytes = 32 * 1024 * 1024;

function repeated(unit: string, before: string, after: string): Buffer {
  const times = Math.floor((bodyBytes - before.length - after.length) / unit.length);
  const units = Buffer.alloc(times * unit.length - (unit.endsWith(',') ? 1 : 0), unit);
  return Buffer.concat([Buffer.from(before), units, Buffer.from(after)]);
}

const listed = (unit: string): Buffer =>
  repeated(unit, '{"model":"gpt-4.1","messages":[{"role":"user","content":"hi"}],"metadata":[', ']}');
const said = (unit: string): Buffer =>
  repeated(unit, '{"model":"gpt-4.1","messages":[{"role":"user","content":"', '"}]}');

/** Each key is five digits to the base 36, written in place: four million texts would cost the test more than Weir. */
function distinctKeys(): Buffer {
  const unit = '"00000":1,';
  const body = repeated(unit, '{"model":"gpt-4.1","messages":[{"role":"user","content":"hi"}],"metadata":{', '}}');
  const digits = Buffer.from('0123456789abcdefghijklmnopqrstuvwxyz');
  const first = body.indexOf(unit) + 1;
  for (let count = 0, at = first; body[at] === digits[0]; count++, at += unit.length) {
    for (let place = 4, rest = count; rest > 0; place--, rest = Math.floor(rest / 36))
      body[at + place] = digits[rest % 36] ?? 0;
  }
  return body;
}

export interface WorstBody {
  readonly name: string;
  /** How a token that may send it is answered. */
  readonly status: 200 | 413;
  make(): Buffer;
}

export const worstBodies: readonly WorstBody[] = [
  { name: 'distinct keys', status: 413, make: distinctKeys },
  { name: '[],[],…', status: 413, make: () => listed('[],') },
  { name: '{},{},…', status: 413, make: () => listed('{},') },
  { name: '"","",…', status: 413, make: () => listed('"",') },
  { name: 'escapes', status: 200, make: () => said('\\"') },
];
