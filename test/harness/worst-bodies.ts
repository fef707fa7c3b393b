/** Bodies that cost a parser most: each close to the largest that is allowed, all valid JSON. */

const bodyBytes = 32 * 1024 * 1024;

function repeated(unit: string, before: string, after: string): Buffer {
  const times = Math.floor((bodyBytes - before.length - after.length) / unit.length);
  return Buffer.from(`${before}${unit.repeat(times).slice(0, unit.endsWith(',') ? -1 : undefined)}${after}`);
}

const listed = (unit: string): Buffer =>
  repeated(unit, '{"model":"gpt-4.1","messages":[{"role":"user","content":"hi"}],"metadata":[', ']}');
const said = (unit: string): Buffer =>
  repeated(unit, '{"model":"gpt-4.1","messages":[{"role":"user","content":"', '"}]}');

function distinctKeys(): Buffer {
  const keys: string[] = [];
  for (let bytes = 100, count = 0; bytes < bodyBytes; count++) {
    const key = `"${count.toString(36)}":1`;
    keys.push(key);
    bytes += key.length + 1;
  }
  keys.pop();
  return Buffer.from(`{"model":"gpt-4.1","messages":[{"role":"user","content":"hi"}],"metadata":{${keys.join(',')}}}`);
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
