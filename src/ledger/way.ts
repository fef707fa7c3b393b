/** The way of a request as one short text in its usage row, the same text for almost all requests: how it was carried, and what of it was lost. */

import type { Loss } from '../conversation/parts.ts';

const wayLanes = ['forward', 'patch', 'translate'] as const;
type WayLane = (typeof wayLanes)[number];

interface Way {
  readonly lane: WayLane;
  /** The format or wire of the client, and the one that the provider was spoken to in. */
  readonly from: string;
  readonly to: string;
  /** The names of what the provider did not learn. */
  readonly losses: readonly string[];
}

/** Losses are named by what callers wrote: a row stays small whatever they wrote. */
const lossesMax = 20;
const lossLengthMax = 80;

/** Formats and wires are few, so every way without losses is written once. */
const written: Readonly<Record<WayLane, Map<string, Map<string, string>>>> = {
  forward: new Map(),
  patch: new Map(),
  translate: new Map(),
};

/** On the path of every request: three look-ups and no allocation where nothing was lost. */
export function writeWay(lane: WayLane, from: string, to: string, losses: readonly Loss[]): string {
  const ways = written[lane];
  const text = ways.get(from)?.get(to) ?? writeFirst(ways, lane, from, to);
  return losses.length === 0 ? text : `${text} ${lossNames(losses)}`;
}

function writeFirst(ways: Map<string, Map<string, string>>, lane: WayLane, from: string, to: string): string {
  const text = `${lane} ${from} ${to}`;
  const known = ways.get(from) ?? new Map<string, string>();
  ways.set(from, known.set(to, text));
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

/** Undefined for a text that this Weir does not understand. */
export function readWay(text: string): Way | undefined {
  const match = /^(\S+) (\S+) (\S+)(?: (\[.*\]))?$/s.exec(text);
  const lane = wayLanes.find((known) => known === match?.[1]);
  if (match === null || lane === undefined) return undefined;
  return { lane, from: match[2] ?? '', to: match[3] ?? '', losses: readLosses(match[4]) };
}

function readLosses(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  try {
    return (JSON.parse(text) as unknown[]).map(String);
  } catch {
    return [];
  }
}
