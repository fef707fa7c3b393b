/**
 * Anthropic Messages API: stop reasons, cache marks, service tiers and ids.
 * https://platform.claude.com/docs/en/api/messages (read 2026-11-15).
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { LossList } from '../../conversation/loss-list.ts';
import type { CacheMark } from '../../conversation/parts.ts';
import type { Finish, FinishReason } from '../../conversation/text-reply.ts';

export const formatName = 'anthropic-messages';

export const replyIdPrefix = 'msg_';
export const callIdPrefix = 'toolu_';

const reasons: ReadonlyMap<unknown, FinishReason> = new Map<unknown, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop-sequence'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool-calls'],
  ['pause_turn', 'pause'],
  ['refusal', 'refusal'],
]);

const words: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
  'malformed-call': 'end_turn',
  other: 'end_turn',
};

export function readFinish(word: unknown, sequence: unknown): Finish {
  if (typeof word !== 'string') return { reason: 'other' };
  const reason = reasons.get(word) ?? 'other';
  return { reason, raw: word, ...(typeof sequence === 'string' && { stopSequence: sequence }) };
}

/** What the parts of a reply imply about how it ended, beside its finish. */
interface Ending {
  readonly calls: boolean;
  readonly refused: boolean;
}

interface WireFinish {
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
}

export function writeFinish(finish: Finish, ending: Ending, losses: LossList): WireFinish {
  return { stop_reason: finishWord(finish, ending, losses), stop_sequence: finish.stopSequence ?? null };
}

function finishWord({ reason, raw }: Finish, ending: Ending, losses: LossList): string {
  // Other formats end a turn of calls or a refusal plainly; this one's clients read the stop reason alone.
  if (reason === 'stop' && ending.calls) return 'tool_use';
  if (reason === 'stop' && ending.refused) return 'refusal';
  if (raw !== undefined && reasons.get(raw) === reason) return raw;
  // A word that looks like this format's own is passed on: clients tolerate an unknown word, and an invented one is
  // wrong.
  if (reason === 'other' && raw !== undefined && /^[a-z][a-z0-9_]{0,60}$/.test(raw)) return raw;
  if (reason === 'other' || reason === 'malformed-call') {
    losses.add(`finish reason ${raw ?? reason}`, 'is not supported by the format; `end_turn` is written');
  }
  return words[reason];
}

export function readCacheMark(value: unknown): { readonly cacheMark?: CacheMark } {
  if (!isObject(value)) return {};
  return { cacheMark: typeof value.ttl === 'string' ? { lifetime: value.ttl } : {} };
}

export function writeCacheMark(mark: CacheMark | undefined): { readonly cache_control?: object } {
  if (mark === undefined) return {};
  const ttl = mark.lifetime;
  return { cache_control: ttl === undefined ? { type: 'ephemeral' } : { type: 'ephemeral', ttl } };
}

/** The tier that served a reply: the format's `standard` is the default of other formats. */
export function readServedTier(word: unknown): string | undefined {
  if (typeof word !== 'string') return undefined;
  return word === 'standard' ? 'default' : word;
}

const servedTiers: ReadonlySet<string> = new Set(['standard', 'priority', 'batch']);

/** Strict clients reject a tier that is not of the list; `auto` is a request's choice and names none. */
export function writeServedTier(tier: string | undefined, losses: LossList): string | undefined {
  const word = tier === 'default' ? 'standard' : tier;
  if (word === undefined || servedTiers.has(word)) return word;
  if (word !== 'auto') losses.add(`service tier ${word}`, 'is not one of the format');
  return undefined;
}

/** An id of another format gets this one's prefix, since some clients expect it. */
export function replyId(id: string, newId: (prefix: string) => string): string {
  if (id === '') return newId(replyIdPrefix);
  return id.startsWith(replyIdPrefix) ? id : replyIdPrefix + id;
}

/** Fields that are unknown here; null and undefined mean the same as absence. */
export function unknownFields(tree: Tree, known: { has(name: string): boolean }): Record<string, unknown> | undefined {
  let fields: Record<string, unknown> | undefined;
  for (const name in tree) {
    const value = tree[name];
    if (known.has(name) || value === null || value === undefined || name === '__proto__') continue;
    fields ??= {};
    fields[name] = value;
  }
  return fields;
}
