/** Names everything in which a conversation that came back from a format differs from the one that went in. */

import { isDeepStrictEqual } from 'node:util';
import type { Message, Part } from '../../src/conversation/parts.ts';
import type { TextReply } from '../../src/conversation/text-reply.ts';
import type { TextRequest, Thinking } from '../../src/conversation/text-request.ts';
import { effortOfBudget } from '../../src/conversation/thinking-effort.ts';
import type { Usage } from '../../src/conversation/usage.ts';

export interface Difference {
  /** What differs, in neutral words: `top-k`, `text missing`, `tool-call arguments`. */
  readonly kind: string;
  readonly expected: unknown;
  readonly got: unknown;
}

/** One part with the fields of its turn. A turn without parts is a part of its own kind. */
interface Atom {
  readonly side: Message['role'];
  readonly turn: number;
  readonly authority: Message['authority'];
  readonly speaker: string | undefined;
  readonly part: Part | { readonly type: 'empty turn' };
}

export function requestDifferences(expected: TextRequest, got: TextRequest): Difference[] {
  const found = new Findings();
  const scalars = [
    'stream',
    'parallelToolCalls',
    'maxOutputTokens',
    'candidates',
    'stop',
    'temperature',
    'topP',
    'topK',
    'seed',
    'presencePenalty',
    'frequencyPenalty',
    'logprobs',
    'logitBias',
    'modalities',
    'audio',
    'verbosity',
    'serviceTier',
    'metadata',
    'user',
    'promptCacheKey',
    'store',
    'previousReplyId',
    'hostedTools',
    'toolChoice',
  ] as const;
  for (const name of scalars) found.compare(name, expected[name], got[name]);
  compareThinking(expected.thinking, got.thinking, found);
  found.compareFields('output', expected.output, got.output);
  found.compareFields('extras', expected.extras?.fields, got.extras?.fields);
  compareTools(expected, got, found);
  compareAtoms(atomsOf(expected.messages), atomsOf(got.messages), found);
  compareLinks(expected.messages, got.messages, found);
  return found.all;
}

export function replyDifferences(expected: TextReply, got: TextReply): Difference[] {
  const found = new Findings();
  found.compare('reply id', bareId(expected.id), bareId(got.id));
  for (const name of ['model', 'createdAtMs', 'serviceTier'] as const) found.compare(name, expected[name], got[name]);
  found.compareFields('extras', expected.extras?.fields, got.extras?.fields);
  found.compareFields('usage input', withFresh(expected.usage.input), withFresh(got.usage.input));
  found.compareFields('usage output', expected.usage.output, got.usage.output);
  found.compare('number of candidates', expected.candidates.length, got.candidates.length);
  for (const [index, candidate] of expected.candidates.entries()) {
    const other = got.candidates[index];
    if (other === undefined) continue;
    found.compare('finish reason', candidate.finish.reason, other.finish.reason);
    found.compare('stop sequence', candidate.finish.stopSequence, other.finish.stopSequence);
    const turn = (parts: readonly Part[]) => atomsOf([{ role: 'assistant', parts }]);
    compareAtoms(turn(candidate.parts), turn(other.parts), found);
    compareIds(candidate.parts, other.parts, found);
  }
  return found.all;
}

/** What is neither read from nor written to a cache follows from the other counts. */
function withFresh(input: Usage['input']): Usage['input'] {
  const { total, cacheRead = 0, cacheWrite = 0 } = input;
  return total === undefined ? input : { ...input, fresh: input.fresh ?? total - cacheRead - cacheWrite };
}

/** Each format has its own prefix, which it puts before an id of another. */
function bareId(id: string): string {
  return id.replace(/^(?:chatcmpl-|resp_|msg_|cmpl-|gen-)+/, '');
}

class Findings {
  readonly all: Difference[] = [];

  add(kind: string, expected: unknown, got: unknown): void {
    this.all.push({ kind, expected, got });
  }

  compare(kind: string, expected: unknown, got: unknown): void {
    if (!isDeepStrictEqual(plain(expected), plain(got))) this.add(kind, expected, got);
  }

  compareFields(kind: string, expected: object | undefined, got: object | undefined): void {
    const one = (expected ?? {}) as Readonly<Record<string, unknown>>;
    const other = (got ?? {}) as Readonly<Record<string, unknown>>;
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
      this.compare(`${kind} ${name}`, one[name], other[name]);
    }
  }
}

/** As JSON holds it: an absent field and one that is `undefined` are the same. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function compareTools(expected: TextRequest, got: TextRequest, found: Findings): void {
  found.compare(
    'tool names',
    expected.tools.map(({ name }) => name),
    got.tools.map(({ name }) => name),
  );
  for (const tool of expected.tools) {
    const other = got.tools.find(({ name }) => name === tool.name);
    if (other !== undefined) found.compareFields('tool', tool, other);
  }
}

function atomsOf(messages: readonly Message[]): Atom[] {
  return messages.flatMap(({ role, parts, name, authority }, turn) => {
    const said = parts.length === 0 ? [{ type: 'empty turn' as const }] : parts;
    return said.map((part): Atom => {
      const side = part.type === 'tool-result' ? 'tool' : role === 'tool' ? 'user' : role;
      return { side, turn, authority, speaker: name, part };
    });
  });
}

/** What must be equal for two parts to be the same part; the rest are its qualities. */
function coreOf({ side, part }: Atom): string {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return JSON.stringify([side, part.type, part.text]);
    case 'thinking':
      return JSON.stringify([side, part.type, part.text, part.redacted === true, part.seal?.value]);
    case 'tool-call':
      return JSON.stringify([side, part.type, part.id]);
    case 'tool-result':
      return JSON.stringify([part.type, part.callId]);
    case 'media':
      return JSON.stringify([side, part.type, part.media, part.source]);
    case 'native':
      return JSON.stringify([side, part.type, part.format, part.value]);
    default:
      return JSON.stringify([side, part.type]);
  }
}

function inside(part: Part): Atom {
  return { side: 'tool', turn: 0, authority: undefined, speaker: undefined, part };
}

function compareAtoms(expected: readonly Atom[], got: readonly Atom[], found: Findings): void {
  const pairs = aligned(expected.map(coreOf), got.map(coreOf));
  let before: readonly [number, number] = [-1, -1];
  for (const pair of [...pairs, [expected.length, got.length] as const]) {
    compareGap(expected.slice(before[0] + 1, pair[0]), got.slice(before[1] + 1, pair[1]), found);
    const [one, other] = [expected[pair[0]], got[pair[1]]];
    if (one !== undefined && other !== undefined) compareQualities(one, other, found);
    compareBoundary(expected, got, before, pair, found);
    before = pair;
  }
}

/** Parts that stood in one turn must not fall apart, and turns must not flow together. */
function compareBoundary(
  expected: readonly Atom[],
  got: readonly Atom[],
  before: readonly [number, number],
  now: readonly [number, number],
  found: Findings,
): void {
  if (now[0] !== before[0] + 1 || now[1] !== before[1] + 1) return;
  const [one, other] = [expected[before[0]], expected[now[0]]];
  const [first, second] = [got[before[1]], got[now[1]]];
  if (one === undefined || other === undefined || first === undefined || second === undefined) return;
  if (one.side !== other.side || [one, other].some(({ part }) => 'text' in part && part.text === '')) return;
  const wasOne = one.turn === other.turn;
  const isOne = first.turn === second.turn;
  if (wasOne !== isOne) found.add(`${one.side} turns ${isOne ? 'merged' : 'split'}`, one.part, other.part);
}

/** Parts that have no equal: those of one type are taken for each other, so that the altered piece can be named. */
function compareGap(expected: readonly Atom[], got: readonly Atom[], found: Findings): void {
  const rest = [...got];
  const missing: Atom[] = [];
  for (const atom of expected) {
    const said = saidAsText(atom.part, rest);
    if (said !== undefined) {
      found.add(`${nameOf(atom.part)} as text`, atom.part, said);
      continue;
    }
    // An empty text has no content that another text could have replaced.
    if (atom.part.type === 'text' && atom.part.text === '') {
      missing.push(atom);
      continue;
    }
    const isAlike = ({ part }: Atom) => part.type === atom.part.type;
    const near = rest.findIndex((other) => isAlike(other) && other.side === atom.side);
    const at = near === -1 ? rest.findIndex(isAlike) : near;
    const [other] = at === -1 ? [] : rest.splice(at, 1);
    if (other === undefined) missing.push(atom);
    else compareAltered(atom, other, found);
  }
  for (const atom of missing) found.add(`${nameOf(atom.part)} missing`, atom.part, rest);
  for (const atom of rest) found.add(`${nameOf(atom.part)} invented`, expected, atom.part);
}

function nameOf(part: Atom['part']): string {
  return part.type === 'media' ? part.media : part.type === 'thinking' && part.redacted ? 'redacted' : part.type;
}

/** Text of one kind may be sent as plain text; then the text is kept and its kind is lost. */
function saidAsText(part: Atom['part'], rest: Atom[]): Part | undefined {
  const held = part.type === 'media' && 'text' in part.source ? part.source.text : undefined;
  const text = part.type === 'refusal' ? part.text : held;
  const at = rest.findIndex(({ part: other }) => other.type === 'text' && other.text === text);
  const [found] = at === -1 ? [] : rest.splice(at, 1);
  return found?.part as Part | undefined;
}

function compareAltered(one: Atom, other: Atom, found: Findings): void {
  const { part } = one;
  const got = other.part;
  found.compare('side', one.side, other.side);
  if (part.type === 'media' && got.type === 'media') {
    found.compare(`${part.media} kind`, part.media, got.media);
    found.compare(`${part.media} source`, part.source, got.source);
  } else if (part.type === 'thinking' && got.type === 'thinking') {
    found.compare('thinking redacted', part.redacted === true, got.redacted === true);
    found.compare('thinking text', part.text, got.text);
  } else if ('text' in part && 'text' in got) {
    found.compare(`${part.type} text`, part.text, got.text);
  } else if (part.type === 'native') {
    found.compare('native value', part, got);
  }
  compareQualities(one, other, found);
}

function compareQualities(one: Atom, other: Atom, found: Findings): void {
  if (one.part.type === 'empty turn') return;
  found.compare('authority', one.authority ?? 'system', other.authority ?? 'system');
  found.compare('speaker', one.speaker, other.speaker);
  const part = { ...one.part } as Readonly<Record<string, unknown>>;
  const got = { ...other.part } as Readonly<Record<string, unknown>>;
  if (!areCited(part['citations'], got['citations'])) found.add('citations', part['citations'], got['citations']);
  for (const name of ['cacheMark', 'logprobs', 'mediaType', 'filename', 'context', 'citable', 'detail']) {
    found.compare(name, part[name], got[name]);
  }
  found.compare('failed flag', part['failed'], got['failed']);
  found.compare(`${one.part.type} seal`, sealValue(one.part), sealValue(other.part));
  if (one.part.type === 'tool-call' && other.part.type === 'tool-call') {
    found.compare('tool-call name', one.part.name, other.part.name);
    found.compare('tool-call arguments', one.part.arguments, other.part.arguments);
  }
  if (one.part.type !== 'tool-result' || other.part.type !== 'tool-result') return;
  found.compare('result name', one.part.name, other.part.name);
  compareAtoms(one.part.parts.map(inside), other.part.parts.map(inside), found);
}

/** Formats add the fields that they require of a citation; the fields that it had must still be there. */
function areCited(expected: unknown, got: unknown): boolean {
  const one = (expected ?? []) as readonly Readonly<Record<string, unknown>>[];
  const other = (got ?? []) as readonly Readonly<Record<string, unknown>>[];
  if (one.length !== other.length) return false;
  return one.every((citation, index) =>
    Object.entries(citation).every(([name, value]) => name === 'native' || value === other[index]?.[name]),
  );
}

/** The same amount may be written as an effort or in tokens, or omitted where it is the default. */
function compareThinking(expected: Thinking | undefined, got: Thinking | undefined, found: Findings): void {
  const [requested, granted] = [amountsOf(expected), amountsOf(got)];
  if (!requested.some((amount) => granted.includes(amount))) found.add('thinking amount', expected, got);
  if (expected?.budgetTokens !== undefined && got?.budgetTokens !== undefined) {
    found.compare('thinking budget', expected.budgetTokens, got.budgetTokens);
  }
  // A caller that does not ask for either, or wants a summary of hidden thinking, gets either.
  const isSaid = expected?.visible !== undefined || expected?.summary !== undefined;
  if (!isSaid || (expected?.visible === false && expected.summary !== undefined)) return;
  const isSeen = (thinking: Thinking | undefined) => thinking?.summary !== undefined || thinking?.visible === true;
  found.compare('thinking visible', isSeen(expected), isSeen(got));
  const lengthOf = (thinking: Thinking | undefined) => thinking?.summary ?? 'auto';
  found.compare('thinking summary', lengthOf(expected), lengthOf(got));
}

/** A caller may send an effort and a budget at once; either is an acceptable answer. */
export function amountsOf(thinking: Thinking | undefined): string[] {
  if (thinking === undefined) return ['adaptive'];
  const { mode = 'adaptive', effort, budgetTokens } = thinking;
  if (mode === 'off') return ['none'];
  const amounts = [...(effort === undefined ? [] : [effort])];
  if (budgetTokens !== undefined) amounts.push(effortOfBudget(budgetTokens));
  return amounts.length > 0 ? amounts : [mode];
}

/** A provider's raw value comes back without the provider's name. */
function sealValue(part: Atom['part']): string | undefined {
  return 'seal' in part ? part.seal?.value : undefined;
}

/** Ids may be rewritten, but each result must still answer its own call. */
function compareLinks(expected: readonly Message[], got: readonly Message[], found: Findings): void {
  const links = (messages: readonly Message[]) => {
    const parts = messages.flatMap((message) => message.parts);
    const ids = parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : []));
    return parts.flatMap((part) => (part.type === 'tool-result' ? [ids.indexOf(part.callId)] : []));
  };
  found.compare('tool-call links', links(expected), links(got));
}

function compareIds(expected: readonly Part[], got: readonly Part[], found: Findings): void {
  const ids = (parts: readonly Part[]) => parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : []));
  const [one, other] = [ids(expected), ids(got)];
  if (one.length === other.length) found.compare('tool-call ids', one, other);
}

/** The longest run of equal items that both lists hold in the same order, as pairs of places. */
function aligned(one: readonly string[], other: readonly string[]): (readonly [number, number])[] {
  const lengths = Array.from({ length: one.length + 1 }, () => new Int32Array(other.length + 1));
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = other.length - 1; column >= 0; column -= 1) {
      const length =
        one[row] === other[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
      const line = lengths[row];
      if (line !== undefined) line[column] = length;
    }
  }
  const pairs: (readonly [number, number])[] = [];
  for (let row = 0, column = 0; row < one.length && column < other.length; ) {
    if (one[row] === other[column]) pairs.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return pairs;
}
