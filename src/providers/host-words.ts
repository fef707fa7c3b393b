/**
 * What a host of another vendor's models takes of the words in a header, and of the fields that go with them. A word or field
 * that it does not know makes it refuse the whole request, so only those that it takes are sent.
 */

import { isObject, type Tree } from '../conversation/json-tree.ts';
import type { Loss } from '../conversation/parts.ts';

export interface HostWords {
  /** The header that lists the words, with commas between. */
  readonly header: string;
  readonly taken: readonly string[];
  /** Words that have another name at this host. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Top-level fields, and fields of tools, that the host takes only beside one of these words. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  readonly toolFields?: Readonly<Record<string, readonly string[]>>;
  /** The field that asks for a cache mark on the last block, which the host takes on the block itself only. */
  readonly markField?: string;
}

type Headers = Readonly<Record<string, string>>;

export interface HostFitting {
  readonly headers: Headers | undefined;
  /** Top-level fields to set or, where `undefined`, to leave out. */
  readonly edits: ReadonlyMap<string, unknown>;
  readonly losses: readonly Loss[];
}

const refused = 'is not taken by the provider';

/** Undefined where everything can be sent as it is. */
export function fitToHost(rule: HostWords, tree: Tree, headers: Headers | undefined): HostFitting | undefined {
  const given = headers?.[rule.header];
  const words = given === undefined ? noWords : sortedWords(rule, given);
  const edits = new Map<string, unknown>();
  const losses: Loss[] = words.dropped.map((word) => ({ what: `${rule.header} ${word}`, why: refused }));
  for (const [field, needed] of Object.entries(rule.fields ?? {})) {
    if (tree[field] === undefined || needed.some((word) => words.kept.has(word))) continue;
    edits.set(field, undefined);
    losses.push({ what: field, why: refused });
  }
  fitTools(rule, tree, words.kept, edits, losses);
  moveMark(rule.markField, tree, edits);
  const sent = [...words.kept].join(',');
  const isSame = given === undefined || sent === given;
  if (isSame && edits.size === 0) return undefined;
  return { headers: isSame ? headers : withHeader(headers ?? {}, rule.header, sent), edits, losses };
}

interface Words {
  readonly kept: ReadonlySet<string>;
  readonly dropped: readonly string[];
}

const noWords: Words = { kept: new Set(), dropped: [] };

/** A client sends the same words with every request. */
const remembered = new WeakMap<HostWords, Map<string, Words>>();
const rememberedMax = 100;

function sortedWords(rule: HostWords, given: string): Words {
  let known = remembered.get(rule);
  if (known === undefined) {
    known = new Map();
    remembered.set(rule, known);
  }
  const before = known.get(given);
  if (before !== undefined) return before;
  const kept = new Set<string>();
  const dropped: string[] = [];
  for (const piece of given.split(',')) {
    const word = piece.trim();
    if (word === '') continue;
    const name = rule.renamed?.[word] ?? word;
    if (rule.taken.includes(name)) kept.add(name);
    else dropped.push(word);
  }
  // Headers come from callers.
  if (known.size >= rememberedMax) known.clear();
  const words = { kept, dropped };
  known.set(given, words);
  return words;
}

function withHeader(headers: Headers, name: string, value: string): Headers {
  const { [name]: _, ...rest } = headers;
  return value === '' ? rest : { ...rest, [name]: value };
}

function fitTools(
  { toolFields = {} }: HostWords,
  { tools }: Tree,
  kept: ReadonlySet<string>,
  edits: Map<string, unknown>,
  losses: Loss[],
): void {
  if (!Array.isArray(tools)) return;
  const refusedFields = Object.entries(toolFields).flatMap(([field, needed]) =>
    needed.some((word) => kept.has(word)) || !tools.some((tool) => isObject(tool) && field in tool) ? [] : [field],
  );
  if (refusedFields.length === 0) return;
  edits.set(
    'tools',
    tools.map((tool: unknown) =>
      isObject(tool)
        ? Object.fromEntries(Object.entries(tool).filter(([name]) => !refusedFields.includes(name)))
        : tool,
    ),
  );
  for (const field of refusedFields) losses.push({ what: `tools ${field}`, why: `${refused}; the tools are declared` });
}

/** The mark applies to the last block, and means the same there. */
function moveMark(field: string | undefined, tree: Tree, edits: Map<string, unknown>): void {
  if (field === undefined || tree[field] === undefined) return;
  edits.set(field, undefined);
  const { messages } = tree;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!isObject(last) || !isObject(tree[field]) || !Array.isArray(messages)) return;
  const blocks: readonly unknown[] = Array.isArray(last.content)
    ? last.content
    : [{ type: 'text', text: String(last.content) }];
  const end = blocks.at(-1);
  if (!isObject(end) || field in end || end.type === 'thinking' || end.type === 'redacted_thinking') return;
  const content = [...blocks.slice(0, -1), { ...end, [field]: tree[field] }];
  edits.set('messages', [...messages.slice(0, -1), { ...last, content }]);
}
