/** Proves that TeX becomes MathML where it is covered, is left as it was written where it is not, and can never do anything but be drawn. */

import { describe, expect, test } from 'bun:test';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { MathView } from './math-view.tsx';
import { parseTex } from './parse-tex.ts';

const html = (tex: string, isDisplay = false): string =>
  renderToStaticMarkup(createElement(MathView, { tex, isDisplay, fallback: createElement('code', {}, tex) }));

/** Without attributes: what is drawn where. */
const shape = (tex: string): string => html(tex).replaceAll(/(<\w+)[^>]*>/g, '$1>');

describe('what is drawn', () => {
  for (const [tex, expected] of [
    ['a^2', '<msup><mi>a</mi><mn>2</mn></msup>'],
    ['x_{i+1}', '<msub><mi>x</mi><mrow><mi>i</mi><mo>+</mo><mn>1</mn></mrow></msub>'],
    ['x_i^2', '<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>'],
    ['\\frac{1}{2}', '<mfrac><mn>1</mn><mn>2</mn></mfrac>'],
    ['\\frac12', '<mfrac><mn>1</mn><mn>2</mn></mfrac>'],
    ['\\sqrt{x}', '<msqrt><mi>x</mi></msqrt>'],
    ['\\sqrt[3]{x}', '<mroot><mi>x</mi><mn>3</mn></mroot>'],
    ['\\sum_{i=1}^{n}', '<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>'],
    ['\\int_0^1', '<msubsup><mo>∫</mo><mn>0</mn><mn>1</mn></msubsup>'],
    ['\\lim_{x \\to 0}', '<munder><mi>lim</mi><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder>'],
    ['\\alpha\\Omega', '<mi>α</mi><mi>Ω</mi>'],
    ['\\sin x', '<mi>sin</mi><mi>x</mi>'],
    ['a\\,b', '<mi>a</mi><mspace></mspace><mi>b</mi>'],
    ["f'(x)", '<msup><mi>f</mi><mo>′</mo></msup><mo>(</mo><mi>x</mi><mo>)</mo>'],
    ['\\text{if } x', '<mtext>if\u00a0</mtext><mi>x</mi>'],
    ['\\mathbb{R}', '<mi>ℝ</mi>'],
    ['\\mathbf{v}', '<mi>𝐯</mi>'],
    ['\\mathrm{d}x', '<mi>d</mi><mi>x</mi>'],
    ['\\hat{y}', '<mover><mi>y</mi><mo>^</mo></mover>'],
    ['\\binom{n}{k}', '<mo>(</mo><mfrac><mi>n</mi><mi>k</mi></mfrac><mo>)</mo>'],
    ['\\left( x \\right]', '<mo>(</mo><mi>x</mi><mo>]</mo>'],
    ['\\left\\{ x \\right.', '<mo>{</mo><mi>x</mi><mo></mo>'],
    ['\\|v\\|', '<mo>‖</mo><mi>v</mi><mo>‖</mo>'],
    ['\\not\\in', '<mo>∈\u0338</mo>'],
    ['3.14 \\times 10^{-2}', '<mn>3.14</mn><mo>×</mo><msup><mn>10</mn><mrow><mo>−</mo><mn>2</mn></mrow></msup>'],
    ['\\alpha*x', '<mi>α</mi><mo>∗</mo><mi>x</mi>'],
    ['速度', '<mi>速</mi><mi>度</mi>'],
  ] as const) {
    test(tex, () => expect(shape(tex)).toContain(expected));
  }

  test('matrices and cases have rows and cells', () => {
    const matrix = shape('\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}');
    expect(matrix.match(/<mtr>/g)?.length).toBe(2);
    expect(matrix.match(/<mtd>/g)?.length).toBe(4);
    expect(matrix).toContain('<mo>(</mo><mtable>');
    expect(html('\\begin{cases} 1 & x > 0 \\\\ 0 & \\text{else} \\end{cases}')).toContain('text-left');
  });

  test('aligned equations, also with rows outside an environment', () => {
    expect(shape('a &= b \\\\ &= c').match(/<mtr>/g)?.length).toBe(2);
    expect(html('\\begin{align*} a &= b \\\\ c &= d \\end{align*}')).toContain('text-right');
  });

  test('one that stands for itself is a block', () => {
    expect(html('x', true)).toStartWith('<math display="block">');
    expect(html('x')).toStartWith('<math>');
  });
});

const escaped = (text: string): string => renderToStaticMarkup(createElement('code', {}, text));

describe('what is not covered stays as it was written', () => {
  for (const tex of [
    '\\unknowncommand{x}',
    '\\href{javascript:alert(1)}{x}',
    '\\html{<script>alert(1)</script>}',
    '\\color{red} x',
    '\\begin{tikzpicture} \\end{tikzpicture}',
    '\\begin{matrix} a',
    '\\frac{1}',
    '{a',
    'a}',
    'x^a^b',
    '\\left( x',
    '\\',
    '50\\% % a comment',
    '\\text{\\textbf{x}}',
    '\\constructor',
    '\\__proto__',
    '\\toString',
  ]) {
    test(tex, () => {
      expect(parseTex(tex)).toBeUndefined();
      expect(html(tex)).toBe(escaped(tex));
    });
  }
});

test('letters of the model are text, whatever they are', () => {
  for (const tex of ['\\text{<img src=x onerror=alert(1)>}', '<script>', 'a < b > c', '\\mathrm{x} "onclick="']) {
    const drawn = html(tex);
    const tags = [...drawn.matchAll(/<(\w+)/g)].map(([, name = '']) => name);
    expect(tags.filter((name) => !/^(math|m[a-z]+|code)$/.test(name))).toEqual([]);
    expect(drawn.match(/<[^>]*\s(on\w+|style|src|href)=/g)).toBeNull();
  }
});

test('hostile formulas end', () => {
  const hostile = [
    '{'.repeat(50_000),
    '\\frac'.repeat(5_000),
    'x^{'.repeat(2_000),
    '\\left('.repeat(1_500),
    '\\begin{matrix}'.repeat(500),
    '\\sqrt{'.repeat(1_000),
    '&'.repeat(7_000),
    '\\\\'.repeat(3_900),
    "'".repeat(7_900),
    '^'.repeat(7_000),
  ];
  for (const tex of hostile) expect(html(tex)).toMatch(/<\/(code|math)>$/);
});
