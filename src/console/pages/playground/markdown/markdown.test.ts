/** Proves that Markdown is read as people mean it, piece by piece as well as whole, and that nothing in it can ever run. */

import { describe, expect, test } from 'bun:test';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { languages } from '../../../words/languages.ts';
import { SpeechProvider } from '../../../words/use-words.tsx';
import { Markdown } from './markdown.tsx';
import { parseBlocks } from './parse-blocks.ts';
import { parseInline, safeAddress } from './parse-inline.ts';
import { createChunkCutter } from './settled-chunks.ts';

const words = await languages.en.load();

function html(text: string): string {
  const first = { language: 'en' as const, words };
  return renderToStaticMarkup(createElement(SpeechProvider, { first, children: createElement(Markdown, { text }) }));
}

/** Tags and the attributes that could do harm, in order. */
const tagsOf = (text: string): string[] => [...html(text).matchAll(/<([a-z0-9]+)/g)].map(([, tag = '']) => tag);

describe('blocks', () => {
  test('headings, paragraphs, rules', () => {
    expect(parseBlocks('# One\n\ntwo\nlines\n\n---\n### Three ###')).toEqual([
      { type: 'heading', level: 1, text: 'One' },
      { type: 'paragraph', text: 'two\nlines' },
      { type: 'rule' },
      { type: 'heading', level: 3, text: 'Three' },
    ]);
  });

  test('code keeps everything inside it, also while it is not closed', () => {
    expect(parseBlocks('```ts\nconst a = 1;\n\n# no heading\n```\nafter')).toEqual([
      { type: 'code', language: 'ts', text: 'const a = 1;\n\n# no heading' },
      { type: 'paragraph', text: 'after' },
    ]);
    expect(parseBlocks('~~~\nopen')).toEqual([{ type: 'code', language: '', text: 'open' }]);
  });

  test('lists nest, count on, and hold tasks', () => {
    expect(parseBlocks('3. three\n   - inner\n4. four')).toEqual([
      {
        type: 'list',
        start: 3,
        isLoose: false,
        items: [
          { source: 'three\n- inner', checked: undefined },
          { source: 'four', checked: undefined },
        ],
      },
    ]);
    expect(parseBlocks('- [x] done\n- [ ] open')).toMatchObject([
      {
        items: [
          { source: 'done', checked: true },
          { source: 'open', checked: false },
        ],
      },
    ]);
  });

  test('tables with alignment and missing cells', () => {
    expect(parseBlocks('| a | b |\n|:--|--:|\n| 1 | x \\| y |\n| 2 |')).toEqual([
      {
        type: 'table',
        alignments: ['left', 'right'],
        head: ['a', 'b'],
        rows: [
          ['1', 'x | y'],
          ['2', ''],
        ],
      },
    ]);
  });

  test('quotes', () => expect(parseBlocks('> a\n> b')).toEqual([{ type: 'quote', source: 'a\nb' }]));
});

describe('words', () => {
  for (const [text, expected] of [
    ['**a** *b* ~~c~~ `d`', '<strong class="font-semibold">a</strong> <em>b</em> <s>c</s>'],
    ['***both***', '<strong class="font-semibold"><em>both</em></strong>'],
    ['snake_case_name stays', 'snake_case_name stays'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['**open', '**open'],
    ['a\\*b', 'a*b'],
    ['line  \nbreak', 'line<br/>break'],
  ] as const) {
    test(text, () => expect(html(text)).toContain(expected));
  }

  test('links open elsewhere and say nothing about here', () => {
    expect(html('[Weir](https://example.com/a_(b) "title") and https://example.com/x.')).toContain(
      'href="https://example.com/a_(b)" target="_blank" rel="noopener noreferrer"',
    );
    expect(parseInline('see https://example.com/x.')).toEqual([
      { type: 'text', text: 'see ' },
      { type: 'link', href: 'https://example.com/x', children: [{ type: 'text', text: 'https://example.com/x' }] },
      { type: 'text', text: '.' },
    ]);
  });

  test('a picture is a link and is not loaded', () => {
    expect(tagsOf('![cat](https://example.com/cat.png)').filter((tag) => tag !== 'div')).toEqual(['p', 'a']);
  });
});

describe('nothing runs', () => {
  const corpus = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg/onload=alert(1)>',
    '<iframe srcdoc="<script>alert(1)</script>">',
    '[a](javascript:alert(1))',
    '[a](JaVaScRiPt:alert(1))',
    '[a](java\tscript:alert(1))',
    '[a](\u0001javascript:alert(1))',
    '[a](data:text/html;base64,PHNjcmlwdD4=)',
    '[a](vbscript:x)',
    '[a](//evil.example/x)',
    '[a](blob:https://x/1)',
    '![a](javascript:alert(1))',
    '<javascript:alert(1)>',
    '[<img src=x onerror=alert(1)>](https://example.com)',
    '```html\n<script>alert(1)</script>\n```',
    '```"><script>alert(1)</script>\nx\n```',
    '| <script>alert(1)</script> |\n|---|\n| <img src=x onerror=alert(1)> |',
    '- <script>alert(1)</script>\n> <b onclick=alert(1)>',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '[a](https://example.com" onmouseover="alert(1))',
    '`<script>`',
    '# <style>*{display:none}</style>',
    '<a href="javascript:alert(1)">x</a>',
    '{{constructor.constructor("alert(1)")()}}',
  ];
  const harmless =
    /^(div|p|a|code|pre|figure|figcaption|button|span|svg|path|table|thead|tbody|tr|th|td|ul|ol|li|blockquote|h[4-6]|strong|em|s|br|hr)$/;
  test.each(corpus)('%s', (text) => {
    const drawn = html(text);
    expect(tagsOf(text).filter((tag) => !harmless.test(tag))).toEqual([]);
    // Handlers and styles inside tags; the same letters in a text are escaped and harmless.
    expect(drawn.match(/<[^>]*\s(on\w+|style|srcdoc|src)=/g)).toBeNull();
    for (const [, href = ''] of drawn.matchAll(/href="([^"]*)"/g)) expect(href).toMatch(/^(https?|mailto):/);
  });

  test('only three kinds of address are followed', () => {
    expect(safeAddress('mailto:a@example.com')).toBe('mailto:a@example.com');
    for (const address of ['javascript:1', '/console', 'file:///etc', 'data:,x', 'https://', '']) {
      expect(safeAddress(address)).toBeUndefined();
    }
  });

  test('hostile texts are drawn to their end', () => {
    const hostile = [
      '*'.repeat(50_000),
      '['.repeat(50_000),
      '`'.repeat(50_000),
      '> '.repeat(5_000),
      '**a'.repeat(20_000),
      '![a]('.repeat(10_000),
      '|'.repeat(50_000),
    ];
    for (const text of hostile) expect(html(text)).toEndWith('</div>');
  });
});

describe('a text that grows', () => {
  const whole =
    '# Title\n\nFirst *paragraph*.\n\n```js\nlet a;\n\nlet b;\n```\n\n1. one\n\n2. two\n   more\n\nAfter.\n\n> quote\n\n| a |\n|---|\n| 1 |\n\nThe end of it all';

  test('is cut into the same pieces as the whole, and what is settled never changes', () => {
    const cutter = createChunkCutter();
    let before: readonly string[] = [];
    for (let length = 1; length <= whole.length; length++) {
      const chunks = cutter.cut(whole.slice(0, length));
      expect(chunks.join('')).toBe(whole.slice(0, length));
      expect(chunks.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
      before = chunks;
    }
    expect(before).toEqual(createChunkCutter().cut(whole));
    expect(before.length).toBe(8);
  });

  test('another text starts anew', () => {
    const cutter = createChunkCutter();
    cutter.cut('a\n\nb\n\nc');
    expect(cutter.cut('x\n\nanother paragraph')).toEqual(['x\n\n', 'another paragraph']);
  });
});
