/** What each command of TeX makes; one that is not here leaves the whole formula as it was written. */

import { group, leaf, type MathNode, row } from './math-node.ts';
import { environmentAtom } from './tex-environments.ts';
import { type Atom, type Grammar, namedFunction, tableOf } from './tex-grammar.ts';
import { type TexReader, UnsupportedTeX } from './tex-reader.ts';
import {
  accents,
  fences,
  functionNames,
  identifiers,
  inAlphabet,
  integrals,
  isAlphabet,
  largeOperators,
  operators,
  spaces,
  underMarks,
} from './tex-symbols.ts';

type Command = (grammar: Grammar, name: string) => Atom | undefined;

/** Undefined where a command draws nothing. */
export function commandAtom(grammar: Grammar, name: string): Atom | undefined {
  const symbol = symbolAtom(name);
  if (symbol !== undefined) return symbol;
  if (Object.hasOwn(commands, name)) return commands[name]?.(grammar, name);
  const accent = accents.get(name);
  if (accent !== undefined) return accentAtom(grammar, name, accent);
  const under = underMarks.get(name);
  if (under !== undefined) {
    const node = group('munder', [grammar.argument(), leaf('mo', under, { stretchy: 'true' })]);
    return { node, hasLimits: name === 'underbrace' };
  }
  if (isAlphabet(name)) return { node: inOther(grammar.argument(), name) };
  throw new UnsupportedTeX(name);
}

function symbolAtom(name: string): Atom | undefined {
  const em = spaces.get(name);
  if (em !== undefined) return { node: { type: 'space', em } };
  const letter = identifiers.get(name);
  // Capital Greek is upright, as everywhere.
  if (letter !== undefined) {
    return { node: leaf('mi', letter, /^[A-Z]/.test(name) ? { mathvariant: 'normal' } : undefined) };
  }
  const fence = fences.get(name);
  if (fence !== undefined) return { node: leaf('mo', fence, { stretchy: 'false' }) };
  const operator = operators.get(name);
  if (operator !== undefined) return { node: leaf('mo', operator) };
  const large = largeOperators.get(name);
  if (large !== undefined) return { node: leaf('mo', large, { movablelimits: 'true' }), hasLimits: true };
  const integral = integrals.get(name);
  if (integral !== undefined) return { node: leaf('mo', integral) };
  return functionNames.has(name) ? namedFunction(name) : undefined;
}

const nothing: Command = () => undefined;
const asItIs: Command = ({ argument }) => ({ node: argument() });
const text: Command = ({ reader }) => ({ node: leaf('mtext', plainText(reader.rawGroup())) });
const fraction: Command = ({ argument }, name) => {
  const node = group('mfrac', [argument(), argument()]);
  if (name === 'frac') return { node };
  return { node: group('mrow', [node], { displaystyle: name === 'tfrac' ? 'false' : 'true' }) };
};
const over: Command = ({ argument }) => {
  const above = argument();
  return { node: group('mover', [argument(), above]) };
};
const sized: Command = ({ reader }, name) => {
  const size = `${sizes[name.replace(/[lrm]$/, '')] ?? 1}em`;
  const mark = fenceOf(reader);
  return { node: leaf('mo', mark, { stretchy: 'true', minsize: size, maxsize: size }) };
};

const sizes: Readonly<Record<string, number>> = { big: 1.2, Big: 1.8, bigg: 2.4, Bigg: 3 };

const commands: Readonly<Record<string, Command>> = {
  frac: fraction,
  dfrac: fraction,
  tfrac: fraction,
  cfrac: fraction,
  binom: binomial,
  dbinom: binomial,
  tbinom: binomial,
  sqrt: root,
  text,
  textrm: text,
  textnormal: text,
  mbox: text,
  textbf: text,
  textit: text,
  mathrm: upright,
  rm: nothing,
  operatorname: ({ reader }) => namedFunction(plainText(reader.rawGroup()).replaceAll(/\s+/g, '')),
  'operatorname*': ({ reader }) => ({ ...namedFunction(plainText(reader.rawGroup())), hasLimits: true }),
  mathop: ({ argument }) => ({ node: argument(), hasLimits: true }),
  mathbin: asItIs,
  mathrel: asItIs,
  mathord: asItIs,
  mathit: asItIs,
  mathnormal: asItIs,
  phantom: ({ argument }) => ({ node: group('mphantom', [argument()]) }),
  boxed: ({ argument }) => ({ node: group('mrow', [argument()], { look: 'boxed' }) }),
  overset: over,
  stackrel: over,
  underset: ({ argument }) => {
    const below = argument();
    return { node: group('munder', [argument(), below]) };
  },
  xrightarrow: labeledArrow,
  xleftarrow: labeledArrow,
  substack: ({ reader, rows }) => {
    if (!reader.takes('{')) throw new UnsupportedTeX('substack');
    const node = tableOf(
      rows(() => false),
      [],
    );
    reader.takes('}');
    return { node };
  },
  not: ({ argument }) => {
    const node = argument();
    if (node.type !== 'leaf') throw new UnsupportedTeX('not');
    return { node: leaf('mo', `${node.text}\u0338`) };
  },
  bmod: () => ({ node: leaf('mo', 'mod', { lspace: '0.25em', rspace: '0.25em' }) }),
  mod: () => ({ node: leaf('mo', 'mod', { lspace: '1em', rspace: '0.25em' }) }),
  pmod: ({ argument }) => ({
    node: group('mrow', [
      { type: 'space', em: 1 },
      leaf('mo', '(', { stretchy: 'false' }),
      leaf('mo', 'mod', { lspace: '0em', rspace: '0.25em' }),
      argument(),
      leaf('mo', ')', { stretchy: 'false' }),
    ]),
  }),
  left: pair,
  begin: (grammar) => environmentAtom(grammar),
  tag: ({ reader }) => ({
    node: group('mrow', [{ type: 'space', em: 2 }, leaf('mtext', `(${plainText(reader.rawGroup())})`)]),
  }),
  label: ({ reader }) => void reader.rawGroup(),
  displaystyle: nothing,
  textstyle: nothing,
  scriptstyle: nothing,
  nonumber: nothing,
  notag: nothing,
  hline: nothing,
  ...Object.fromEntries(
    Object.keys(sizes).flatMap((name) => ['', 'l', 'r', 'm'].map((side) => [`${name}${side}`, sized])),
  ),
};

/** Letters with nothing that would have to be drawn in another way. */
function plainText(raw: string): string {
  const plain = raw.replace(/\\([ %#&_{}$,;])/g, '$1').replaceAll('~', ' ');
  if (/[\\{}$]/.test(raw.replace(/\\[ %#&_{}$,;]/g, ''))) throw new UnsupportedTeX('text');
  // A space at the edge would be dropped.
  return plain.replace(/^\s+|\s+$/g, '\u00a0');
}

function binomial({ argument }: Grammar): Atom {
  const body = group('mfrac', [argument(), argument()], { linethickness: '0' });
  return { node: fenced('(', [body], ')') };
}

function root({ reader, argument }: Grammar): Atom {
  reader.skipSpace();
  if (!reader.sees('[')) return { node: group('msqrt', [argument()]) };
  const degree = reader.rawGroup('[', ']');
  if (!/^[\w+\-*/ ]*$/.test(degree)) throw new UnsupportedTeX('degree');
  return { node: group('mroot', [argument(), leaf(/^\d+$/.test(degree) ? 'mn' : 'mi', degree)]) };
}

/** Several upright letters are one name. */
function upright({ reader, argument }: Grammar): Atom {
  const { at } = reader;
  reader.skipSpace();
  if (reader.sees('{')) {
    const raw = reader.rawGroup();
    if (/^[\p{L}\p{N}\s.-]*$/u.test(raw)) return { node: leaf('mi', raw, { mathvariant: 'normal' }) };
    reader.at = at;
  }
  return { node: argument() };
}

function accentAtom({ argument }: Grammar, name: string, [mark, stretches]: readonly [string, boolean]): Atom {
  const over = leaf('mo', mark, { stretchy: stretches ? 'true' : 'false' });
  return { node: group('mover', [argument(), over], { accent: 'true' }), hasLimits: name === 'overbrace' };
}

function labeledArrow({ reader, argument }: Grammar, name: string): Atom {
  const below = reader.sees('[') ? leaf('mtext', plainText(reader.rawGroup('[', ']'))) : undefined;
  const arrow = leaf('mo', name === 'xrightarrow' ? '→' : '←', { stretchy: 'true' });
  const above = argument();
  const node = below === undefined ? group('mover', [arrow, above]) : group('munderover', [arrow, below, above]);
  return { node };
}

/** `\left( … \right)`, with `\middle|` between. */
function pair({ reader, row: readRow }: Grammar): Atom {
  const children: MathNode[] = [fenceLeaf(fenceOf(reader))];
  for (;;) {
    children.push(row(readRow(() => ['right', 'middle'].includes(reader.nextCommand() ?? ''))));
    const command = reader.command();
    if (command !== 'right' && command !== 'middle') throw new UnsupportedTeX('left');
    children.push(fenceLeaf(fenceOf(reader)));
    if (command === 'right') return { node: group('mrow', children) };
  }
}

/** The fence that comes next; a dot is one that is not drawn. */
function fenceOf(reader: TexReader): string {
  const found = reader.take(/\s*(?:\\(?:[a-zA-Z]+|[\s\S])|[\s\S])/y)?.trim() ?? '';
  if (found === '.') return '';
  if (/^[()[\]|/<>]$/.test(found)) return found === '<' ? '⟨' : found === '>' ? '⟩' : found;
  const known = fences.get(found.slice(1)) ?? operators.get(found.slice(1));
  if (known === undefined) throw new UnsupportedTeX(found);
  return known;
}

const fenceLeaf = (mark: string): MathNode => leaf('mo', mark, { fence: 'true', stretchy: 'true' });

function fenced(open: string, children: readonly MathNode[], close: string): MathNode {
  return group('mrow', [fenceLeaf(open), ...children, fenceLeaf(close)]);
}

function inOther(node: MathNode, alphabet: string): MathNode {
  if (node.type === 'leaf') return { ...node, text: inAlphabet(node.text, alphabet) };
  if (node.type === 'space') return node;
  return { ...node, children: node.children.map((child) => inOther(child, alphabet)) };
}
