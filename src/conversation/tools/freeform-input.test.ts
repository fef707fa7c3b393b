import { describe, expect, test } from 'bun:test';
import { InputText, inputTextOf } from './freeform-input.ts';

const texts = ['', 'plain', 'say "x"\\ and\n\ttabs', 'ünï 😀 \u2028', '*** Begin Patch\n+{"input":"y"}\n*** End Patch'];

describe('the text of a call', () => {
  for (const text of texts) {
    for (const args of [JSON.stringify({ input: text }), ` { "input" : ${JSON.stringify(text)} } `]) {
      test(`is the same in pieces of any length: ${args.slice(0, 30)}`, () => {
        expect(inputTextOf(args)).toBe(text);
        for (const length of [1, 2, 3, 7, args.length]) {
          const input = new InputText();
          let said = '';
          for (let at = 0; at < args.length; at += length) said += input.add(args.slice(at, at + length));
          expect(said + input.end()).toBe(text);
        }
      });
    }
  }

  test('is passed on piece by piece, not at the end', () => {
    const input = new InputText();
    expect(input.add('{"inp')).toBe('');
    expect(input.add('ut":"ab')).toBe('ab');
    expect(input.add('c\\')).toBe('c');
    expect(input.add('n\\u00')).toBe('\n');
    expect(input.add('e9"}')).toBe('é');
    expect(input.end()).toBe('');
  });

  test('is everything where the model wrote something else', () => {
    for (const args of ['ls -l', '{"command":"ls"}', '["x"]', '{"input":1}']) {
      const input = new InputText();
      expect(input.add(args)).toBe('');
      expect(input.end()).toBe(args);
    }
    const late = new InputText();
    late.add('{"why":"x","input":"ls"}');
    expect(late.end()).toBe('ls');
  });
});
