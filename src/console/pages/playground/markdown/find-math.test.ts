/** Proves that formulas are found by their marks and never damaged, and that prices, variables and escaped brackets are no formulas. */

import { describe, expect, test } from 'bun:test';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { languages } from '../../../words/languages.ts';
import { SpeechProvider } from '../../../words/use-words.tsx';
import { Markdown } from './markdown.tsx';
import { parseBlocks } from './parse-blocks.ts';
import { type Inline, parseInline } from './parse-inline.ts';

const words = await languages.en.load();

/** What a reader sees before the formulas are drawn: every letter of them as it was written. */
function shown(text: string): string {
  const first = { language: 'en' as const, words };
  const html = renderToStaticMarkup(
    createElement(SpeechProvider, { first, children: createElement(Markdown, { text }) }),
  );
  return html
    .replace(/<figcaption[\s\S]*?<\/figcaption>/g, '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#x27;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

const formulas = (list: readonly Inline[]): string[] =>
  list.flatMap((inline) =>
    inline.type === 'math' ? [inline.tex] : 'children' in inline ? formulas(inline.children) : [],
  );

describe('inside a line', () => {
  for (const [text, ...expected] of [
    ['Area \\(a^2\\) and \\(b_{1}\\).', 'a^2', 'b_{1}'],
    ['$a^2$ and $x_1 * y_1 * z$', 'a^2', 'x_1 * y_1 * z'],
    ['so \\[x \\, y\\] holds', 'x \\, y'],
    ['then $$e^{i\\pi} = -1$$ follows', 'e^{i\\pi} = -1'],
    ['**bold $a*b$ text**', 'a*b'],
    ['the answer is $42$.', '42'],
    ['$x$, $y$ and $z$', 'x', 'y', 'z'],
    ['$f(x) \\text{ is even}$', 'f(x) \\text{ is even}'],
    ['$speed = distance / time$', 'speed = distance / time'],
    ['\\(a \\\\ b\\)', 'a \\\\ b'],
    ['$a\\$b$', 'a\\$b'],
  ] as const) {
    test(text, () => {
      expect(formulas(parseInline(text))).toEqual([...expected]);
      for (const tex of expected) expect(shown(text)).toContain(tex);
    });
  }
});

describe('no formula', () => {
  for (const text of [
    'It costs $5 and $10.',
    'From $5 to $10, or US$20.',
    'between $5-$10',
    'It costs $20, which is 5$ less.',
    'It costs $20-30 (it was 40$ before).',
    '$5 to 10$ a month',
    'export PATH=$HOME/bin:$PATH',
    'echo $A $B',
    '$100/month and $200/year',
    'a $ b $ c',
    'only one $ here',
    '$$',
    'price in $',
    'A $1,000 plan and a $2,000 plan',
  ]) {
    test(text, () => {
      expect(formulas(parseInline(text))).toEqual([]);
      expect(shown(text)).toBe(text);
    });
  }

  test('brackets that were escaped are brackets', () => {
    expect(shown('see \\[1\\] and \\[note 2\\]')).toBe('see [1] and [note 2]');
    expect(shown('\\(as shown above\\)')).toBe('(as shown above)');
  });

  test('in code everything is code', () => {
    expect(formulas(parseInline('`$a$` and `\\(b\\)`'))).toEqual([]);
    expect(parseBlocks('```\n$$\nx\n$$\n```')).toEqual([{ type: 'code', language: '', text: '$$\nx\n$$' }]);
  });
});

describe('nothing is damaged', () => {
  for (const text of [
    '\\(a^2',
    'x \\[ y',
    'a \\, b',
    'x \\; y',
    '50\\% of it',
    '\\alpha + \\beta',
    'open \\( and \\]',
  ]) {
    test(text, () => expect(shown(text)).toBe(text));
  }

  test('what Markdown escapes is still escaped', () => {
    expect(shown('a\\*b\\_c \\# \\$5 \\`')).toBe('a*b_c # $5 `');
  });
});

describe('on lines of its own', () => {
  const block = (tex: string, source: string) => ({ type: 'math' as const, tex, source });

  test('between marks, whatever its lines begin with', () => {
    expect(parseBlocks('Then\n\\[\na = b\n- c\n# d\n\\]\nand')).toEqual([
      { type: 'paragraph', text: 'Then' },
      block('a = b\n- c\n# d', '\\[\na = b\n- c\n# d\n\\]'),
      { type: 'paragraph', text: 'and' },
    ]);
    expect(parseBlocks('$$ x^2 $$')).toEqual([block('x^2', '$$ x^2 $$')]);
    expect(parseBlocks('- item\n  $$\n  y\n  $$')).toMatchObject([
      { type: 'list', items: [{ source: 'item\n$$\ny\n$$' }] },
    ]);
  });

  test('an environment without marks, and a fence that says so', () => {
    const align = '\\begin{align}\na &= b \\\\\n&= c\n\\end{align}';
    expect(parseBlocks(align)).toEqual([block(align, align)]);
    expect(parseBlocks('```math\nx^2\n```')).toEqual([block('x^2', 'x^2')]);
  });

  test('one that is still being written is shown as far as it is', () => {
    expect(parseBlocks('\\[\na = \\frac{1}')).toEqual([block('', '\\[\na = \\frac{1}')]);
    expect(shown('\\[\na_1 * b_1 * c')).toBe('\\[\na_1 * b_1 * c');
  });

  test('one that never ends is text, and what follows is not swallowed', () => {
    expect(shown('\\[\nx\n\nNext *paragraph*')).toBe('\\[\nxNext paragraph');
  });
});

test('hostile texts are read to their end', () => {
  const hostile = ['$a'.repeat(25_000), '\\('.repeat(25_000), '$$'.repeat(25_000), '\\[\n'.repeat(25_000)];
  for (const text of [...hostile, '$$\n'.repeat(20_000), '\\begin{a}\n'.repeat(10_000), '\\'.repeat(50_000)]) {
    expect(shown(text).length).toBeGreaterThan(100);
  }
});
