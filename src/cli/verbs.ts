/** Commands with a verb, such as `weir token create`: finds it, reads its arguments and runs it. */

import { ArgumentError, type Arguments, type CommandWords, readArguments } from './arguments.ts';
import { exitCodes, type Output, reportMistakes } from './output.ts';
import { printable } from './table.ts';

interface Verbs<Verb extends string, Dependencies> {
  /** The word before the verb. */
  readonly name: string;
  readonly usage: string;
  readonly words: Readonly<Record<Verb, CommandWords>>;
  readonly commands: Readonly<Record<Verb, (dependencies: Dependencies, given: Arguments) => Promise<void>>>;
}

/** Without a verb, or with `--help`, the usage is printed. */
export function runVerb<Verb extends string, Dependencies extends Output>(
  { name, usage, words, commands }: Verbs<Verb, Dependencies>,
  dependencies: Dependencies,
  argv: readonly string[],
): Promise<number> {
  const isVerb = (word: string): word is Verb => Object.hasOwn(words, word);
  const explain = (): number => {
    dependencies.out(`${usage}\n`);
    return exitCodes.done;
  };
  return reportMistakes(dependencies, async () => {
    const [verb = '--help', ...rest] = argv;
    if (verb === '--help' || verb === '-h') return explain();
    if (!isVerb(verb)) throw new ArgumentError(`Unknown command: ${name} ${printable(verb)}.`, usage);
    const given = readArguments(words[verb], rest);
    if (given.help) return explain();
    await commands[verb](dependencies, given);
    return exitCodes.done;
  });
}
