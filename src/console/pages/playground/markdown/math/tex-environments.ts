/** Matrices, cases and aligned equations of TeX. */

import { group, leaf, type MathNode } from './math-node.ts';
import { type Atom, type Grammar, sidesOf, tableOf } from './tex-grammar.ts';
import { UnsupportedTeX } from './tex-reader.ts';

interface Environment {
  /** What stands around it. */
  readonly fences?: readonly [open: string, close: string];
  /** The sides of its columns, over and over. */
  readonly sides?: string;
  /** Rows as large as an equation that stands for itself. */
  readonly isDisplay?: boolean;
  /** Its columns are described after its name. */
  readonly hasSpec?: boolean;
}

const aligned: Environment = { sides: 'rl', isDisplay: true };
const gathered: Environment = { isDisplay: true };

const environments: Readonly<Record<string, Environment>> = {
  matrix: {},
  smallmatrix: {},
  pmatrix: { fences: ['(', ')'] },
  bmatrix: { fences: ['[', ']'] },
  Bmatrix: { fences: ['{', '}'] },
  vmatrix: { fences: ['|', '|'] },
  Vmatrix: { fences: ['‖', '‖'] },
  array: { hasSpec: true },
  cases: { fences: ['{', ''], sides: 'l' },
  aligned,
  align: aligned,
  'align*': aligned,
  alignat: { ...aligned, hasSpec: true },
  'alignat*': { ...aligned, hasSpec: true },
  split: aligned,
  eqnarray: { sides: 'rcl', isDisplay: true },
  gathered,
  gather: gathered,
  'gather*': gathered,
  equation: gathered,
  'equation*': gathered,
};

export function environmentAtom({ reader, rows: readRows }: Grammar): Atom {
  const name = reader.rawGroup();
  const environment = Object.hasOwn(environments, name) ? environments[name] : undefined;
  if (environment === undefined) throw new UnsupportedTeX(name);
  const spec = environment.hasSpec === true ? reader.rawGroup() : undefined;
  const rows = readRows(() => reader.nextCommand() === 'end');
  if (reader.command() !== 'end' || reader.rawGroup() !== name) throw new UnsupportedTeX('end');
  const sides = sidesOf(environment.sides ?? spec ?? '');
  const table = tableOf(rows, sides, environment.isDisplay === true ? { displaystyle: 'true' } : undefined);
  const [open, close] = environment.fences ?? [];
  if (open === undefined || close === undefined) return { node: table };
  const fence = (mark: string): MathNode => leaf('mo', mark, { fence: 'true', stretchy: 'true' });
  return { node: group('mrow', [fence(open), table, fence(close)]) };
}
