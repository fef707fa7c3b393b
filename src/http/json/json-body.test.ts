import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { editFields, readJsonBody } from './json-body.ts';

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const read = (text: string, depth = 64) => readJsonBody(encode(text), depth);

describe('reading', () => {
  test.each(['', 'null', '[]', '"text"', '{"a":', '{"a":1}x', '7'])('refuses %p', (text) => {
    expect(() => read(text)).toThrow(GatewayError);
  });

  test('bounds nesting exactly, also inside arrays and far too deep', () => {
    const nested = (levels: number): string => '{"a":' + '['.repeat(levels - 1) + ']'.repeat(levels - 1) + '}';
    expect(read(nested(64)).tree).toBeDefined();
    expect(() => read(nested(65))).toThrow('deeper than 64');
    expect(() => read('{"a":' + '['.repeat(100_000))).toThrow('deeper than 64');
  });

  test('brackets and quotes inside strings are text', () => {
    const body = read('{"a":"[[[{{{\\"]\\\\","model":"m"}', 2);
    expect(decode(body.bytes.subarray(body.fields?.get('model')?.start, body.fields?.get('model')?.end))).toBe('"m"');
  });

  test('finds the position of every kind of value', () => {
    const text = '{ "a" : 1.50 , "b":[1, {"b":2}] ,"c":{"model":"inner"}\n,"d":null,"model" : "x" , "e":"é\\u00e9" }';
    const body = read(text);
    const shown = [...(body.fields ?? [])].map(([key, at]) => [key, decode(body.bytes.subarray(at.start, at.end))]);
    expect(shown).toEqual([
      ['a', '1.50'],
      ['b', '[1, {"b":2}]'],
      ['c', '{"model":"inner"}'],
      ['d', 'null'],
      ['model', '"x"'],
      ['e', '"é\\u00e9"'],
    ]);
  });
});

describe('editing', () => {
  test('replaces in place and keeps every other byte', () => {
    const body = read('{"x":1.0,\n "model" : "a" ,"y":{"model":"a"},"big":12345678901234567890}');
    expect(decode(editFields(body, new Map([['model', '"longer/name"']])))).toBe(
      '{"x":1.0,\n "model" : "longer/name" ,"y":{"model":"a"},"big":12345678901234567890}',
    );
  });

  test('adds a field at the end, and in an empty object', () => {
    expect(decode(editFields(read('{"a":1 }'), new Map([['b', 'true']])))).toBe('{"a":1 ,"b":true}');
    expect(decode(editFields(read('{}\n'), new Map([['b', 'true']])))).toBe('{"b":true}\n');
  });

  test('several edits at once', () => {
    const edited = editFields(
      read('{"c":3,"a":1,"b":2}'),
      new Map([
        ['b', '"B"'],
        ['c', '"C"'],
        ['d', '"D"'],
      ]),
    );
    expect(decode(edited)).toBe('{"c":"C","a":1,"b":"B","d":"D"}');
  });

  test('removing a field keeps the others', () => {
    expect(JSON.parse(decode(editFields(read('{"a":1,"b":2}'), new Map([['a', undefined]]))))).toEqual({ b: 2 });
    const body = read('{"a": 1, "b" : 1.0 ,"c":{ "x":9007199254740993},"d":4}');
    const edits = new Map([
      ['a', undefined],
      ['e', '5'],
      ['b', '"B"'],
    ]);
    expect(decode(editFields(body, edits))).toBe('{"b":"B","c":{ "x":9007199254740993},"d":4,"e":5}');
    expect(decode(editFields(read('{"a":1}'), new Map([['a', undefined]])))).toBe('{}');
  });

  test.each([
    ['{"model":"first","model":"second"}', 'second'],
    ['{"model":"first","mod\\u0065l":"second"}', 'second'],
  ])('what was checked is what is sent: %p', (text, seen) => {
    const body = read(text);
    expect(body.tree['model']).toBe(seen);
    expect(body.fields).toBeUndefined();
    expect(decode(editFields(body, new Map([['model', '"spliced"']])))).toBe('{"model":"spliced"}');
    expect(decode(editFields(body, new Map()))).toBe('{"model":"second"}');
  });

  test('a __proto__ key survives the slow path', () => {
    const body = read('{"__proto__":{"x":1},"a":1,"a":2}');
    expect(decode(editFields(body, new Map([['b', '3']])))).toBe('{"__proto__":{"x":1},"a":2,"b":3}');
  });
});
