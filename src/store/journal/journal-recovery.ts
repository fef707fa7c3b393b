/** Reads what a process left in its journal: every intact record, and how many are damaged. Pure, over the file's bytes. */

import { entryVersion, unnamedVersion } from './entries.ts';
import {
  fileHeaderBytes,
  generationChecksum,
  halfHeaderBytes,
  halfSizeAt,
  magic,
  openBracket,
  recordChecksum,
  recordHeadBytes,
  versionIn,
} from './journal-records.ts';

export interface RecoveredGeneration {
  readonly generation: number;
  /** Of the entries. */
  readonly version: number;
  /** Each an entry as JSON text, in the order in which they were made. */
  readonly texts: readonly string[];
}

export interface JournalDamage {
  /** For the operator: `is shorter than it was`. */
  readonly what: string;
  /** How many records are lost; absent where they cannot be counted. */
  readonly lost: number | undefined;
}

interface Recovered {
  /** Only what the tables do not have yet, oldest first. */
  readonly generations: readonly RecoveredGeneration[];
  readonly damage: JournalDamage | undefined;
}

/** How many generations are tried where a half's own is unreadable. */
const generationsTried = 1_000;

/** In a file that is still written to, records may lie behind a place that was read before they came: they belong to a later moment. */
type JournalUse = 'left' | 'in use';

/** `bytes` is absent where there is no file. */
export function recoverJournal(bytes: Buffer | undefined, doneGeneration: number, use: JournalUse = 'left'): Recovered {
  if (bytes === undefined) return unreadable('is missing');
  const said = bytes.length < fileHeaderBytes ? 0 : bytes.readUInt32LE(halfSizeAt);
  const isWhole = bytes.length === fileHeaderBytes + 2 * said;
  if (!isWhole && !bytes.subarray(0, magic.length).equals(Buffer.from(magic))) {
    return recoverFirstFormat(bytes, doneGeneration);
  }
  // A damaged version leaves the usual case.
  const version = versionIn(bytes) ?? entryVersion;
  if (version > entryVersion) return unreadable(`was written by a newer Weir (entries of version ${version})`);
  const halves = [0, 1].map((index) => {
    const start = fileHeaderBytes + index * said;
    return readHalf(bytes.subarray(start, start + said), { doneGeneration, version, use });
  });
  const generations = halves.flatMap((half) => half.generations).sort((a, b) => a.generation - b.generation);
  const lost = isWhole ? sumOf(halves.map((half) => half.lost)) : undefined;
  if (lost === 0) return { generations, damage: undefined };
  return { generations, damage: { what: isWhole ? 'has damaged records' : 'has not the size that it had', lost } };
}

const unreadable = (what: string): Recovered => ({ generations: [], damage: { what, lost: undefined } });

/** Undefined where one of them is unknown. */
const sumOf = (counts: readonly (number | undefined)[]): number | undefined =>
  counts.reduce((sum, count) => (sum === undefined || count === undefined ? undefined : sum + count), 0);

interface Half {
  readonly generations: readonly RecoveredGeneration[];
  readonly lost: number | undefined;
}

const emptyHalf: Half = { generations: [], lost: 0 };

interface Reading {
  readonly doneGeneration: number;
  readonly version: number;
  readonly use: JournalUse;
}

function readHalf(half: Buffer, { doneGeneration, version, use }: Reading): Half {
  if (half.length < halfHeaderBytes + recordHeadBytes) return emptyHalf;
  const generation = generationOf(half, doneGeneration);
  if (generation === undefined) {
    // A process that dies while it begins an empty half leaves half a header, and nothing is lost by it.
    return half.readUInt32LE(halfHeaderBytes) === 0 ? emptyHalf : { generations: [], lost: undefined };
  }
  if (generation <= doneGeneration) return emptyHalf;
  const { texts, lost } = readChain(half, generation, use);
  return { generations: texts.length === 0 ? [] : [{ generation, version, texts }], lost };
}

function generationOf(half: Buffer, doneGeneration: number): number | undefined {
  const written = half.readDoubleLE(0);
  if (Number.isSafeInteger(written) && half.readUInt32LE(8) === generationChecksum(written)) return written;
  for (let tried = doneGeneration + 1; tried <= doneGeneration + generationsTried; tried += 1) {
    if (isRecord(half, halfHeaderBytes, tried)) return tried;
  }
  return undefined;
}

function readChain(half: Buffer, generation: number, use: JournalUse): { texts: string[]; lost: number | undefined } {
  const texts: string[] = [];
  let lost: number | undefined = 0;
  for (let at = halfHeaderBytes; at + recordHeadBytes <= half.length; ) {
    const end = at + recordHeadBytes + half.readUInt32LE(at);
    if (isRecord(half, at, generation)) {
      texts.push(half.toString('utf8', at + recordHeadBytes, end));
      at = end;
      continue;
    }
    if (use === 'in use') break;
    const next = nextRecord(half, at, generation);
    // Where its length leads to the next record, or to the end of all, exactly one is damaged.
    const isOne = end > at + recordHeadBytes && (end === next || (next === undefined && isEnd(half, end)));
    if (isOne) lost = lost === undefined ? undefined : lost + 1;
    else if (next !== undefined || !isEnd(half, at)) lost = undefined;
    if (next === undefined) break;
    at = next;
  }
  return { texts, lost };
}

const isEnd = (half: Buffer, at: number): boolean =>
  at + recordHeadBytes <= half.length ? half.readUInt32LE(at) === 0 : at <= half.length;

function isRecord(half: Buffer, at: number, generation: number): boolean {
  if (half[at + recordHeadBytes] !== openBracket) return false;
  const end = at + recordHeadBytes + half.readUInt32LE(at);
  if (end > half.length) return false;
  return recordChecksum(half.subarray(at + recordHeadBytes, end), generation) === half.readUInt32LE(at + 4);
}

function nextRecord(half: Buffer, after: number, generation: number): number | undefined {
  // Every record's text begins with a bracket, so the search steps from bracket to bracket.
  let bracket = half.indexOf(openBracket, after + 1 + recordHeadBytes);
  while (bracket !== -1) {
    if (isRecord(half, bracket - recordHeadBytes, generation)) return bracket - recordHeadBytes;
    bracket = half.indexOf(openBracket, bracket + 1);
  }
  return undefined;
}

const firstFormatBytes = 16_777_216;
const firstHeaderBytes = 8;
const firstHeadBytes = 4;

/** The format before checksums: what an older Weir left is done once more after an upgrade. */
function recoverFirstFormat(bytes: Buffer, doneGeneration: number): Recovered {
  if (bytes.length !== firstFormatBytes) return unreadable('cannot be read');
  const halves = [0, bytes.length / 2].map((start) => bytes.subarray(start, start + bytes.length / 2));
  if (!halves.every((half) => Number.isSafeInteger(half.readDoubleLE(0)))) return unreadable('cannot be read');
  const generations = halves
    .map((half) => ({ generation: half.readDoubleLE(0), version: unnamedVersion, texts: readFirstFormat(half) }))
    .filter(({ generation, texts }) => generation > doneGeneration && texts.length > 0)
    .sort((a, b) => a.generation - b.generation);
  return { generations, damage: undefined };
}

function readFirstFormat(half: Buffer): string[] {
  const texts: string[] = [];
  for (let at = firstHeaderBytes; at + firstHeadBytes <= half.length; ) {
    const length = half.readUInt32LE(at);
    const end = at + firstHeadBytes + length;
    const text = length === 0 || end > half.length ? '' : half.toString('utf8', at + firstHeadBytes, end);
    if (!isCall(text)) break;
    texts.push(text);
    at = end;
  }
  return texts;
}

function isCall(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}
