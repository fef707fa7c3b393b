/** The words of a command: every spelling that is read, every mistake that is pointed out. */

import { describe, expect, test } from 'bun:test';
import { ArgumentError, readArguments } from './arguments.ts';

const words = {
  usage: 'Usage: weir thing ID',
  flags: { name: 'value', rpm: 'value', label: 'list', json: 'switch' },
  operandsMin: 0,
  operandsMax: 1,
} as const;

const mistakeOf = (...argv: string[]): string => {
  try {
    readArguments(words, argv);
    return 'none';
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    expect(error.usage).toBe(words.usage);
    return error.message;
  }
};

describe('readArguments', () => {
  test('reads values in both spellings, switches and operands in any order', () => {
    const given = readArguments(words, ['--json', 'ID', '--name', 'a b', '--rpm=5']);
    expect([given.valueOf('name'), given.valueOf('rpm'), given.has('json')]).toEqual(['a b', '5', true]);
    expect(given.operands).toEqual(['ID']);
    expect([given.valueOf('nothing'), given.has('help')]).toEqual([undefined, false]);
  });

  test('a value may hold an equals sign, begin with one dash, or with two after the equals sign', () => {
    expect(readArguments(words, ['--name=a=b']).valueOf('name')).toBe('a=b');
    expect(readArguments(words, ['--rpm', '-5']).valueOf('rpm')).toBe('-5');
    expect(readArguments(words, ['--name=--odd']).valueOf('name')).toBe('--odd');
  });

  test('a list may be given again', () => {
    expect(readArguments(words, ['--label', 'a,b', '--json', '--label=c']).valueOf('label')).toBe('a,b,c');
    expect(readArguments(words, []).valueOf('label')).toBeUndefined();
  });

  test('two dashes end the flags', () => {
    expect(readArguments(words, ['--', '--json']).operands).toEqual(['--json']);
  });

  test.each(['--help', '-h'])('%s is understood even where something is missing', (flag) => {
    expect(readArguments({ ...words, operandsMin: 1 }, [flag]).help).toBe(true);
  });

  test.each([
    [['--nmae', 'x'], 'Unknown flag --nmae. Did you mean --name?'],
    [['--rmp=5'], 'Unknown flag --rmp. Did you mean --rpm?'],
    [['--zzzzzzz=SECRET'], 'Unknown flag --zzzzzzz.'],
    [['-json'], 'Unknown flag -json. Did you mean --json?'],
    [['--constructor', 'x'], 'Unknown flag --constructor.'],
    [['--name'], '--name needs a value.'],
    [['--name='], '--name needs a value.'],
    [['--label', 'a', '--label'], '--label needs a value.'],
    [['--name', '--json'], '--name needs a value.'],
    [['--json=yes'], '--json takes no value.'],
    [['--rpm', '1', '--rpm', '2'], '--rpm was given twice.'],
    [['a', 'b'], 'Unexpected argument: `b`.'],
  ])('%p: %s', (argv, message) => {
    expect(mistakeOf(...argv)).toBe(message);
  });

  test('an operand that is required', () => {
    expect(() => readArguments({ ...words, operandsMin: 1 }, [])).toThrow('An argument is missing.');
  });
});
