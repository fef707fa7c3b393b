/**
 * How a request was carried, and its losses, as one short text in its usage row; almost all requests
 * share the same few texts.
 */

import type { Loss } from '../conversation/parts.ts';

const lanes = ['forward', 'patch', 'translate'] as const;
type Lane = (typeof lanes)[number];

interface LaneRecord {
  readonly lane: Lane;
  /** The format or wire of the client, and that of the provider. */
  readonly from: string;
  readonly to: string;
  /** The names of the fields that the provider did not get. */
  readonly losses: readonly string[];
  /** The names of those of its reply that the client did not get. */
  readonly replyLosses: readonly string[];
}

/** Losses are named by what callers wrote: the limits keep a row small. */
const lossesMax = 20;
const lossLengthMax = 80;

/** Formats and wires are few, so every record without losses is written once. */
const written: Readonly<Record<Lane, Map<string, Map<string, string>>>> = {
  forward: new Map(),
  patch: new Map(),
  translate: new Map(),
};

const noLosses: readonly Loss[] = [];

/** Called for every request: three look-ups and no allocation where nothing was lost. */
export function writeLaneRecord(
  lane: Lane,
  from: string,
  to: string,
  losses: readonly Loss[],
  replyLosses = noLosses,
): string {
  const known = written[lane];
  const text = known.get(from)?.get(to) ?? writeFirst(known, lane, from, to);
  if (replyLosses.length > 0) return `${text} [${lossNames(losses)},${lossNames(replyLosses)}]`;
  return losses.length === 0 ? text : `${text} ${lossNames(losses)}`;
}

function writeFirst(known: Map<string, Map<string, string>>, lane: Lane, from: string, to: string): string {
  const text = `${lane} ${from} ${to}`;
  const ofFormat = known.get(from) ?? new Map<string, string>();
  known.set(from, ofFormat.set(to, text));
  return text;
}

function lossNames(losses: readonly Loss[]): string {
  const names = new Set<string>();
  for (const { what } of losses) {
    if (names.size === lossesMax) break;
    names.add(what.slice(0, lossLengthMax).replaceAll('\0', '').toWellFormed());
  }
  return JSON.stringify([...names]);
}

/** Undefined for a text that this version does not understand. */
export function readLaneRecord(text: string): LaneRecord | undefined {
  const match = /^(\S+) (\S+) (\S+)(?: (\[.*\]))?$/s.exec(text);
  const lane = lanes.find((known) => known === match?.[1]);
  if (match === null || lane === undefined) return undefined;
  return { lane, from: match[2] ?? '', to: match[3] ?? '', ...readLosses(match[4]) };
}

/** One list is of the request, two are of the request and of its reply. */
function readLosses(text: string | undefined): Pick<LaneRecord, 'losses' | 'replyLosses'> {
  if (text === undefined) return { losses: [], replyLosses: [] };
  try {
    const names = JSON.parse(text) as unknown[];
    const [losses, replyLosses] = names;
    if (!Array.isArray(losses)) return { losses: names.map(String), replyLosses: [] };
    return { losses: losses.map(String), replyLosses: Array.isArray(replyLosses) ? replyLosses.map(String) : [] };
  } catch {
    return { losses: [], replyLosses: [] };
  }
}
