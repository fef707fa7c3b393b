/** Proves that colors never change a letter of the code, fall on what they are for, and that JSON is laid out without touching its values. */

import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { HighlightedLines } from './highlighted-lines.tsx';
import { languageOf } from './languages.ts';
import { looksLikeJson, prettyJson } from './pretty-json.ts';
import { type OpenMark, type Piece, scanLine } from './scan-line.ts';

/** All pieces of a text, line by line, as the page makes them. */
function piecesOf(code: string, name: string): Piece[] {
  const language = languageOf(name);
  if (language === undefined) throw new Error(name);
  let open: OpenMark | undefined;
  return code.split('\n').flatMap((line) => {
    const scanned = scanLine(line, language, open);
    open = scanned.open;
    expect(scanned.pieces.map(({ text }) => text).join('')).toBe(line);
    return [...scanned.pieces];
  });
}

const of = (kind: Piece['kind'], code: string, name: string): string[] =>
  piecesOf(code, name)
    .filter((piece) => piece.kind === kind)
    .map(({ text }) => text);

const unescaped = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&');

const drawn = (code: string, language: string): string =>
  renderToStaticMarkup(createElement(HighlightedLines, { code, language }));

const samples: Readonly<Record<string, string>> = {
  ts: 'const a: string = `x $1\nstill text`; // end\n/* block\n comment */ return 0x1f;',
  python: 'def f(x):\n    """Doc\n    string"""\n    return None  # done\nprint(f\'{x}\', 1_000.5e3)',
  json: '{"key": "value", "n": -1.50e+3, "ok": true, "no": null}',
  bash: 'export A="b c" # comment\necho \'raw \\\' $HOME $A#b',
  html: '<!-- a\nb --><a href="x">Don\'t</a>',
  css: '.a { color: red; } /* x */ @media print { }',
  sql: "SELECT * FROM t WHERE a = 'it''s' -- why",
  yaml: 'key: value # comment\nlist:\n  - "a: b"',
  diff: '--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same',
  rust: 'fn f<\'a>(x: &\'a str) -> usize { println!("{x}"); 1 }',
  go: 'func f() string { return `raw\ntext` }',
  c: '#include <stdio.h>\nint main(void) { return 0; /* x */ }',
};

describe('the text', () => {
  for (const [name, code] of Object.entries(samples)) {
    test(`of ${name} is the same to the letter`, () => {
      piecesOf(code, name);
      expect(unescaped(drawn(code, name))).toBe(code);
    });
    test(`of ${name} is the same at every length, as it streams in`, () => {
      for (let length = 0; length <= code.length; length++) {
        const part = code.slice(0, length);
        expect(unescaped(drawn(part, name))).toBe(part);
      }
    });
  }

  test('also where it is not what its fence says', () => {
    const odd = ['<script>alert(1)</script>', '\r\n\t\u0000', '"""', "'".repeat(99), '😀\ud83d', '', '\n\n', 'a\n'];
    for (const name of Object.keys(samples)) for (const code of odd) expect(unescaped(drawn(code, name))).toBe(code);
  });

  test('of a language that nobody knows stays plain', () => {
    expect(drawn('a < b', 'brainfuck')).toBe('a &lt; b');
    expect(languageOf('constructor')).toBeUndefined();
  });

  test('that is very long stays plain, and its lines do', () => {
    expect(drawn('1\n'.repeat(150_000), 'js')).not.toContain('<span');
    expect(scanLine('"'.repeat(6_000), languageOf('js') ?? { texts: [], keywords: new Set() }).pieces).toHaveLength(1);
  });
});

describe('colors', () => {
  test('fall on comments, also over several lines', () => {
    expect(of('comment', samples['ts'] ?? '', 'ts')).toEqual(['// end', '/* block', ' comment */']);
    expect(of('comment', 'a = 1 # why', 'python')).toEqual(['# why']);
    expect(of('comment', 'x#y #z', 'bash')).toEqual(['#z']);
  });

  test('fall on texts, and not on an apostrophe', () => {
    expect(of('text', 'it\'s "so"', 'js')).toEqual(['"so"']);
    expect(of('text', '"a \\" b" + 1', 'js')).toEqual(['"a \\" b"']);
    expect(of('text', '`a\nb`', 'js')).toEqual(['`a', 'b`']);
  });

  test('fall on keywords, numbers and names', () => {
    expect(of('keyword', 'return constant', 'js')).toEqual(['return']);
    expect(of('keyword', 'Select From', 'sql')).toEqual(['Select', 'From']);
    expect(of('number', 'a1 = 42 + 0xff', 'js')).toEqual(['42', '0xff']);
    expect(of('name', '{"key": "value"}', 'json')).toEqual(['"key"']);
    expect(of('added', '+new', 'diff')).toEqual(['+new']);
  });

  test('have enough contrast in both themes', () => {
    const css = readFileSync(join(import.meta.dir, '../../http/pages/tokens.css'), 'utf8');
    const pair = (name: string) => {
      const [, light = '', dark = ''] = new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(css) ?? [];
      return [light, dark] as const;
    };
    for (const name of ['code-text', 'code-number', 'code-keyword', 'code-name', 'code-removed', 'quiet']) {
      for (const ground of ['raised', 'surface', 'sunken']) {
        for (const theme of [0, 1] as const) {
          expect(contrast(pair(name)[theme], pair(ground)[theme])).toBeGreaterThanOrEqual(4.5);
        }
      }
    }
  });
});

function contrast(first: string, second: string): number {
  const light = (color: string) => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [high = 0, low = 0] = [light(first), light(second)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

describe('JSON', () => {
  test('gets lines and indents', () => {
    expect(prettyJson('{"a":[1,2,{"b":"x, {y}: z"}],"c":{},"d":[]}')).toBe(
      '{\n  "a": [\n    1,\n    2,\n    {\n      "b": "x, {y}: z"\n    }\n  ],\n  "c": {},\n  "d": []\n}',
    );
  });

  test('keeps every value as it was written', () => {
    const text = '{"big":12345678901234567890,"exact":1.10,"e":1E+2,"u":"\\u00e9\\"","dup":1,"dup":2}';
    expect(prettyJson(text)?.replaceAll(/\n\s*/g, '').replaceAll('": ', '":')).toBe(text);
  });

  test('is only a whole object or list', () => {
    for (const text of ['', 'text', '1', '"a"', 'null', '{"a":1', '{"a":1} and more', '[link](https://a)', '{a: 1}']) {
      expect(prettyJson(text)).toBeUndefined();
    }
    expect(prettyJson(' \n[]\n')).toBe('[]');
  });

  test('is known by its beginning while it streams', () => {
    for (const text of ['{', '{"', '{ "a": ', '[', '[{', '["a"', '[[1', ' {\n  "x"'])
      expect(looksLikeJson(text)).toBe(true);
    for (const text of ['[link](x)', '{x}', '[1] see', 'Text {', '']) expect(looksLikeJson(text)).toBe(false);
  });

  test('ends for hostile texts', () => {
    expect(prettyJson('['.repeat(100_000))).toBeUndefined();
    expect(prettyJson('[' + '"\\\\",'.repeat(50_000) + '1]')).toContain('\n');
  });
});
