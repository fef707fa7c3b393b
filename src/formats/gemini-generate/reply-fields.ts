/** The fields of a reply beside its parts: model, time, tier, and those that only this format has. */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { Extras } from '../../conversation/parts.ts';
import type { ReadContext } from '../codec.ts';
import { readFields } from '../fields/carried-fields.ts';
import type { FieldTable } from '../fields/field-table.ts';
import { replyTable } from './fields.ts';
import { textOf } from './read/parts.ts';
import { isBlocked } from './tap.ts';
import { formatName } from './wire.ts';

interface ReplyHead {
  readonly id: string;
  readonly model: string;
  readonly createdAtMs: number;
}

export function readHead(tree: Tree, context: ReadContext): ReplyHead {
  const createdAtMs = typeof tree.createTime === 'string' ? Date.parse(tree.createTime) : Number.NaN;
  return {
    id: textOf(tree.responseId) ?? context.newId('gen-'),
    model: textOf(tree.modelVersion) ?? context.origin.model,
    createdAtMs: Number.isNaN(createdAtMs) ? context.nowMs : createdAtMs,
  };
}

export function isReply(tree: unknown): tree is Record<string, unknown> {
  return isObject(tree) && (Array.isArray(tree.candidates) || isBlocked(tree) || isObject(tree.usageMetadata));
}

const readTop = readFields(replyTable);
const readCandidateFields = readFields(replyTable.candidates as FieldTable);

const readUsageFields: ReadonlySet<string> = new Set([
  'promptTokenCount',
  'cachedContentTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'toolUsePromptTokenCount',
  'totalTokenCount',
  'promptTokensDetails',
  'cacheTokensDetails',
  'candidatesTokensDetails',
  'toolUsePromptTokensDetails',
  'serviceTier',
]);

/** Fields of a candidate that are kept for this format; the last report of each holds. */
export function keepCandidateFields(candidate: Tree, kept: Map<string, unknown>, prefix = ''): void {
  for (const name in candidate) {
    if (!readCandidateFields.has(name) && candidate[name] !== null) kept.set(prefix + name, candidate[name]);
  }
}

/** Fields of the reply itself that are kept for this format; those of the usage by their path. */
export function keepReplyFields(tree: Tree, kept: Map<string, unknown>): void {
  for (const name in tree) {
    if (!readTop.has(name) && tree[name] !== null) kept.set(name, tree[name]);
  }
  const usage = tree.usageMetadata;
  if (!isObject(usage)) return;
  for (const name in usage) {
    if (!readUsageFields.has(name) && usage[name] !== null) kept.set(`usageMetadata.${name}`, usage[name]);
  }
}

export function readTierOf(usage: unknown): string | undefined {
  const tier = isObject(usage) ? textOf(usage.serviceTier)?.toLowerCase() : undefined;
  return tier === 'standard' ? 'default' : tier;
}

/** The reply's own fields, those of its usage and those of each candidate, as they were kept. */
export class KeptFields {
  readonly reply: Record<string, unknown> = {};
  readonly usage: Record<string, unknown> = {};
  readonly #candidates = new Map<number, Record<string, unknown>>();

  constructor(extras?: Extras) {
    if (extras?.format !== formatName) return;
    for (const [path, value] of Object.entries(extras.fields)) this.add(path, value);
  }

  add(path: string, value: unknown): void {
    const [, index, name] = /^candidates\[(\d+)\]\.(.+)$/.exec(path) ?? [];
    if (index !== undefined && name !== undefined) this.candidate(Number(index))[name] = value;
    else if (path.startsWith('usageMetadata.')) this.usage[path.slice('usageMetadata.'.length)] = value;
    else this.reply[path] = value;
  }

  candidate(index: number): Record<string, unknown> {
    const fields = this.#candidates.get(index) ?? {};
    this.#candidates.set(index, fields);
    return fields;
  }
}
