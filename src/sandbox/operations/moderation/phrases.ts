/**
 * Phrase patterns and their matcher, whose cost is linear in the text: each word starts at most a few short walks.
 *
 * A phrase is a row of slots: `word`, `one|other`, `<class>`; `?` behind a slot makes it optional, `~2` matches up to two words
 * of any kind, and `!word|other` says that none of these may follow.
 */

/** Alternatives by class name, separated by commas. */
type WordClasses = Readonly<Record<string, string>>;

interface Slot {
  readonly kind: 'words' | 'gap' | 'absent';
  readonly single: ReadonlySet<string>;
  /** Alternatives of several words, by their first. */
  readonly several: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly optional: boolean;
  readonly gapWordsMax: number;
}

interface Phrase<Meaning> {
  readonly source: string;
  readonly meaning: Meaning;
}

/** Phrases with the same beginning share it. */
interface Branch<Meaning> {
  readonly source: string;
  readonly slot: Slot;
  readonly branches: Branch<Meaning>[];
  /** Of the phrases that end here. */
  readonly meanings: Meaning[];
}

/** Separates sentences; no phrase reaches across. */
export const sentenceEnd = '';
/** A gap must not skip a negation. */
const negations: ReadonlySet<string> = new Set('not never no without stop against prevent avoid'.split(' '));

function compileSlot(part: string, classes: WordClasses): Slot {
  const gap = /^~(\d)$/.exec(part);
  if (gap !== null)
    return { kind: 'gap', single: new Set(), several: new Map(), optional: false, gapWordsMax: Number(gap[1]) };
  const absent = part.startsWith('!');
  const optional = part.endsWith('?');
  const listed = part.slice(absent ? 1 : 0, optional ? -1 : undefined).split('|');
  const alternatives = listed.flatMap((name) => expandName(name, classes)).map((text) => text.split(' '));
  return {
    kind: absent ? 'absent' : 'words',
    single: new Set(alternatives.filter((words) => words.length === 1).flat()),
    several: Map.groupBy(
      alternatives.filter((words) => words.length > 1),
      ([first = sentenceEnd]) => first,
    ),
    optional,
    gapWordsMax: 0,
  };
}

function expandName(name: string, classes: WordClasses): readonly string[] {
  const className = /^<(.+)>$/.exec(name)?.[1];
  if (className === undefined) return [name];
  const members = classes[className];
  if (members === undefined) throw new Error(`There is no class of words <${className}>.`);
  return members.split(', ');
}

export class PhraseMatcher<Meaning> {
  readonly #byFirstWord = new Map<string, Branch<Meaning>[]>();
  /** Every word of the phrases. */
  readonly vocabulary: ReadonlySet<string>;

  constructor(phrases: readonly Phrase<Meaning>[], classes: WordClasses) {
    const roots: Branch<Meaning>[] = [];
    const vocabulary = new Set<string>();
    for (const phrase of phrases) {
      let branches = roots;
      let last: Branch<Meaning> | undefined;
      for (const source of phrase.source.split(' ')) {
        last = branches.find((known) => known.source === source);
        if (last === undefined) {
          last = { source, slot: compileSlot(source, classes), branches: [], meanings: [] };
          branches.push(last);
          for (const word of wordsOfSlot(last.slot)) vocabulary.add(word);
        }
        branches = last.branches;
      }
      last?.meanings.push(phrase.meaning);
    }
    this.vocabulary = vocabulary;
    for (const root of roots) this.#index(root);
  }

  #index(root: Branch<Meaning>): void {
    const { slot, source } = root;
    if (slot.kind !== 'words' || slot.optional)
      throw new Error(`A phrase must begin with a word, not with "${source}".`);
    for (const word of new Set([...slot.single, ...slot.several.keys()])) {
      const known = this.#byFirstWord.get(word);
      if (known === undefined) this.#byFirstWord.set(word, [root]);
      else known.push(root);
    }
  }

  /** Calls `found` for each match; a meaning may come more than once. */
  find(words: readonly string[], found: (meaning: Meaning) => void): void {
    for (let at = 0; at < words.length; at++) {
      const roots = this.#byFirstWord.get(words[at] ?? sentenceEnd);
      if (roots !== undefined) for (const root of roots) follow(root, words, at, found);
    }
  }
}

function wordsOfSlot(slot: Slot): readonly string[] {
  return [...slot.single, ...[...slot.several.values()].flat(2)];
}

function follow<Meaning>(
  branch: Branch<Meaning>,
  words: readonly string[],
  at: number,
  found: (meaning: Meaning) => void,
): void {
  const { slot } = branch;
  if (slot.kind === 'gap') {
    followGap(branch, words, at, found);
    return;
  }
  const word = words[at] ?? sentenceEnd;
  const rows = slot.several.get(word)?.filter((row) => occursAt(row, words, at)) ?? [];
  if (slot.kind === 'absent') {
    if (!slot.single.has(word) && rows.length === 0) advance(branch, words, at, found);
    return;
  }
  if (slot.single.has(word)) advance(branch, words, at + 1, found);
  for (const row of rows) advance(branch, words, at + row.length, found);
  if (slot.optional) advance(branch, words, at, found);
}

function followGap<Meaning>(
  branch: Branch<Meaning>,
  words: readonly string[],
  at: number,
  found: (meaning: Meaning) => void,
): void {
  for (let skipped = 0; skipped <= branch.slot.gapWordsMax; skipped++) {
    advance(branch, words, at + skipped, found);
    const word = words[at + skipped] ?? sentenceEnd;
    if (word === sentenceEnd || negations.has(word)) return;
  }
}

function advance<Meaning>(
  branch: Branch<Meaning>,
  words: readonly string[],
  at: number,
  found: (meaning: Meaning) => void,
): void {
  for (const meaning of branch.meanings) found(meaning);
  for (const next of branch.branches) follow(next, words, at, found);
}

function occursAt(row: readonly string[], words: readonly string[], at: number): boolean {
  return row.every((word, offset) => words[at + offset] === word);
}
