/** The TeX that models write, as MathML: fractions, powers, roots, sums, matrices, Greek and the common signs. */

import { group, leaf, type MathNode, row } from './math-node.ts';
import { commandAtom } from './tex-commands.ts';
import { type Atom, type Grammar, sidesOf, tableOf } from './tex-grammar.ts';
import { TexReader, UnsupportedTeX } from './tex-reader.ts';

/** Undefined where it holds something that is not covered. */
export function parseTex(text: string): MathNode | undefined {
  try {
    const grammar = grammarOf(new TexReader(text));
    const rows = grammar.rows(() => false);
    if (!grammar.reader.isAtEnd) return undefined;
    const [first = []] = rows;
    return rows.length === 1 && first.length === 1 ? first[0] : tableOf(rows, sidesOf('rl'), { displaystyle: 'true' });
  } catch (error) {
    if (error instanceof UnsupportedTeX) return undefined;
    throw error;
  }
}

function grammarOf(reader: TexReader): Grammar {
  const grammar: Grammar = {
    reader,
    row: (ends) => readRow(grammar, ends),
    rows: (ends) => readRows(grammar, ends),
    argument: () => readArgument(grammar),
  };
  return grammar;
}

function readRows(grammar: Grammar, ends: () => boolean): MathNode[][] {
  const { reader } = grammar;
  const isRowEnd = () => reader.sees('\\\\') || reader.nextCommand() === 'cr';
  const rows: MathNode[][] = [[]];
  for (;;) {
    const cell = row(grammar.row(() => ends() || reader.sees('&') || isRowEnd()));
    rows.at(-1)?.push(cell);
    if (reader.isAtEnd || ends() || reader.sees('}')) break;
    if (reader.takes('&')) continue;
    reader.command();
    // The distance to the next row, which a browser chooses better.
    reader.take(/\s*\[[^\]]*\]/y);
    reader.skipSpace();
    if (reader.isAtEnd || ends()) break;
    rows.push([]);
  }
  return rows;
}

function readRow(grammar: Grammar, ends: () => boolean): MathNode[] {
  const { reader } = grammar;
  return reader.inside(() => {
    const nodes: MathNode[] = [];
    for (;;) {
      reader.skipSpace();
      if (reader.isAtEnd || reader.sees('}') || ends()) return nodes;
      const atom = reader.sees('_') || reader.sees('^') ? { node: group('mrow', []) } : readAtom(grammar);
      if (atom !== undefined) nodes.push(withScripts(grammar, atom));
    }
  });
}

function readArgument(grammar: Grammar): MathNode {
  const { reader } = grammar;
  return reader.inside(() => {
    reader.skipSpace();
    // Of `\frac12` each digit is an argument.
    const digit = reader.take(/\d/y);
    if (digit !== undefined) return leaf('mn', digit);
    const atom = reader.isAtEnd || /[}&_^]/.test(reader.text[reader.at] ?? '') ? undefined : readAtom(grammar);
    if (atom === undefined) throw new UnsupportedTeX('no argument');
    return atom.node;
  });
}

function readAtom(grammar: Grammar): Atom | undefined {
  const { reader } = grammar;
  reader.step();
  if (reader.takes('{')) {
    const node = row(grammar.row(() => false));
    if (!reader.takes('}')) throw new UnsupportedTeX('no }');
    return { node };
  }
  const name = reader.command();
  if (name !== undefined) return commandAtom(grammar, name);
  const number = reader.take(/\d+(?:\.\d+)?/y);
  if (number !== undefined) return { node: leaf('mn', number) };
  const sign = String.fromCodePoint(reader.text.codePointAt(reader.at) ?? 0);
  reader.at += sign.length;
  return signAtom(sign);
}

const signs: Readonly<Record<string, string>> = { '-': '−', '*': '∗', "'": '′' };

function signAtom(sign: string): Atom {
  if (sign === '~') return { node: { type: 'space', em: 0.25 } };
  if (/[%#$&\\}]/.test(sign)) throw new UnsupportedTeX(sign);
  if (/\p{L}/u.test(sign)) return { node: leaf('mi', sign) };
  // A bracket that was not asked to grow stays as it is.
  if (/[()[\]]/.test(sign)) return { node: leaf('mo', sign, { stretchy: 'false' }) };
  // Nothing says whether a bar opens or closes.
  if (sign === '|') return { node: leaf('mo', sign, { stretchy: 'false', lspace: '0.05em', rspace: '0.05em' }) };
  return { node: leaf('mo', signs[sign] ?? sign) };
}

interface Scripts {
  below?: MathNode;
  above?: MathNode;
}

function withScripts(grammar: Grammar, atom: Atom): MathNode {
  const { reader } = grammar;
  const scripts: Scripts = {};
  let hasLimits = atom.hasLimits === true;
  for (;;) {
    reader.skipSpace();
    const command = reader.nextCommand();
    if (command === 'limits' || command === 'nolimits') {
      reader.command();
      hasLimits = command === 'limits';
      continue;
    }
    const primes = reader.take(/'+/y);
    if (primes !== undefined) put(scripts, 'above', leaf('mo', '′'.repeat(primes.length)));
    else if (reader.takes('_')) put(scripts, 'below', grammar.argument());
    else if (reader.takes('^')) put(scripts, 'above', grammar.argument());
    else return scripted(atom.node, scripts, hasLimits);
  }
}

/** A prime and a power can stand together; two powers cannot. */
function put(scripts: Scripts, place: 'below' | 'above', node: MathNode): void {
  const before = scripts[place];
  const isPrime = before?.type === 'leaf' && before.text.startsWith('′');
  if (before !== undefined && !isPrime) throw new UnsupportedTeX(`double ${place}`);
  scripts[place] = before === undefined ? node : group('mrow', [before, node]);
}

function scripted(base: MathNode, { below, above }: Scripts, hasLimits: boolean): MathNode {
  if (below !== undefined && above !== undefined) {
    return group(hasLimits ? 'munderover' : 'msubsup', [base, below, above]);
  }
  if (below !== undefined) return group(hasLimits ? 'munder' : 'msub', [base, below]);
  return above === undefined ? base : group(hasLimits ? 'mover' : 'msup', [base, above]);
}
