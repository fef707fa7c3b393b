/** Reads a command's arguments strictly: an unknown flag is reported as a mistake, not ignored. */

import { nearestName } from '../config/nearest-name.ts';

export interface CommandWords {
  /** Printed for `--help` and after a mistake. */
  readonly usage: string;
  /** Flags by name, without the dashes: switches, flags with a value, and flags that may be repeated. */
  readonly flags: Readonly<Record<string, 'switch' | 'value' | 'list'>>;
  readonly operandsMin?: number;
  readonly operandsMax?: number;
}

export interface Arguments {
  readonly help: boolean;
  readonly operands: readonly string[];
  has(flag: string): boolean;
  /** Of a list, what was given each time with commas between. */
  valueOf(flag: string): string | undefined;
}

/** A mistake in a command's arguments. The message says what was expected. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
  readonly usage: string;

  constructor(message: string, usage: string) {
    super(message);
    this.usage = usage;
  }
}

export function readArguments(words: CommandWords, argv: readonly string[]): Arguments {
  const values = new Map<string, string>();
  const operands: string[] = [];
  const mistake = (message: string): ArgumentError => new ArgumentError(message, words.usage);
  let help = false;
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? '';
    if (word === '--') {
      operands.push(...argv.slice(index + 1));
      break;
    }
    if (word === '--help' || word === '-h') {
      help = true;
      continue;
    }
    if (!word.startsWith('-') || word === '-') {
      operands.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const flag = word.slice(0, equals === -1 ? undefined : equals).replace(/^--/, '');
    const kind = Object.hasOwn(words.flags, flag) ? words.flags[flag] : undefined;
    if (kind === undefined || !word.startsWith('--')) throw mistake(unknownFlag(word, equals, words));
    if (values.has(flag) && kind !== 'list') throw mistake(`--${flag} was given twice.`);
    if (kind === 'switch') {
      if (equals !== -1) throw mistake(`--${flag} takes no value.`);
      values.set(flag, '');
      continue;
    }
    const value = equals === -1 ? argv[++index] : word.slice(equals + 1);
    // A word with dashes after a flag is nearly always the next flag; `--name=--odd` says it is not.
    if (value === undefined || value === '' || (equals === -1 && value.startsWith('--'))) {
      throw mistake(`--${flag} needs a value.`);
    }
    const before = values.get(flag);
    values.set(flag, before === undefined ? value : `${before},${value}`);
  }
  if (!help) checkOperands(words, operands);
  return { help, operands, has: (flag) => values.has(flag), valueOf: (flag) => values.get(flag) };
}

function unknownFlag(word: string, equals: number, words: CommandWords): string {
  // Only the flag itself is shown: what follows the equals sign may be a secret.
  const shown = equals === -1 ? word : word.slice(0, equals);
  const near = nearestName(shown.replace(/^-+/, ''), Object.keys(words.flags));
  return `Unknown flag ${shown}.${near === undefined ? '' : ` Did you mean --${near}?`}`;
}

function checkOperands({ operandsMin = 0, operandsMax = operandsMin, usage }: CommandWords, operands: string[]): void {
  if (operands.length < operandsMin) throw new ArgumentError('An argument is missing.', usage);
  if (operands.length > operandsMax) {
    throw new ArgumentError(`Unexpected argument: \`${operands[operandsMax]}\`.`, usage);
  }
}
