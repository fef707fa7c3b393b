/** Proves that the home page shows the given URL only if it is valid, and that its policy covers what it loads. */

import { describe, expect, test } from 'bun:test';
import { snippets } from '../../snippets/snippets.ts';
import { bestEncoding } from './asset-reply.ts';
import type { Entries } from './console-pack.ts';
import { type HomeFacts, homeFiles, homePage } from './home.ts';

const plain: HomeFacts = {
  baseUrl: 'http://127.0.0.1:8787',
  model: 'sandbox-chat',
  acceptLanguage: null,
  entries: undefined,
};

const bodyOf = (facts: Partial<HomeFacts>): Promise<string> => homePage({ ...plain, ...facts }).text();

async function shownAddress(baseUrl: string): Promise<string | undefined> {
  return /<code id="base-address">([^<]*)<\/code>/.exec(await bodyOf({ baseUrl }))?.[1];
}

describe('the base URL', () => {
  for (const [given, shown] of [
    ['http://10.0.0.5:8787', 'http://10.0.0.5:8787/v1'],
    ['http://10.0.0.5:8787/', 'http://10.0.0.5:8787/v1'],
    ['http://10.0.0.5:8787/v1', 'http://10.0.0.5:8787/v1'],
    ['https://weir.example.com', 'https://weir.example.com/v1'],
    ['https://example.com/models/weir', 'https://example.com/models/weir/v1'],
    ['http://[::1]:8787', 'http://[::1]:8787/v1'],
  ] as const) {
    test(`${given} shows ${shown}`, async () => {
      expect(await shownAddress(given)).toBe(shown);
    });
  }

  for (const given of [
    '',
    'weir.example.com',
    'javascript://x',
    'http://<script>alert(1)</script>',
    'http://a"onload=x',
    "http://a'; rm -rf ~; '",
    'http://user:secret@host',
    'http://host/?q',
    'http://host/#part',
    'http://host/$(reboot)',
    'http://host/`reboot`',
    'http://host:99999',
    'http://host\r\nx: y',
    `http://${'a'.repeat(400)}`,
  ]) {
    test(`${JSON.stringify(given).slice(0, 60)} is not shown`, async () => {
      expect(await shownAddress(given)).toBe('http://127.0.0.1:8787/v1');
      if (given) expect(await bodyOf({ baseUrl: given })).not.toContain(given);
    });
  }

  test('is filled in everywhere, and nothing is left open', async () => {
    const body = await bodyOf({ baseUrl: 'https://weir.example.com' });
    expect(body).not.toMatch(/%[a-z][a-zA-Z.]*%/);
    const offered = [...body.matchAll(/https:\/\/weir\.example\.com([\w/]*)/g)].map((match) => match[1]);
    expect(new Set(offered)).toEqual(new Set(['/v1', '/v1/chat/completions', '', '/v1beta']));
    expect(body).not.toContain('127.0.0.1');
  });
});

describe('the model', () => {
  test('is a served one, if its name has no special characters', async () => {
    expect(await bodyOf({ model: 'acme/large:2' })).toContain('model=&quot;acme/large:2&quot;');
    const body = await bodyOf({ model: '"; rm -rf ~ #' });
    expect(body).not.toContain('rm -rf');
    expect(body).toContain('sandbox-chat');
  });
});

describe('the language', () => {
  for (const [header, shown] of [
    [null, 'en'],
    ['zh-CN,zh;q=0.9,en;q=0.8', 'zh-CN'],
    ['en-GB,zh;q=0.5', 'en'],
    ['en;q=0.3, zh-TW', 'zh-CN'],
    ['fr, zh;q=0', 'en'],
    ['*', 'en'],
  ] as const) {
    test(`${header} is answered in ${shown}`, async () => {
      const body = await bodyOf({ acceptLanguage: header });
      expect(body).toContain(`<html lang="${shown}">`);
      expect(body).not.toContain('undefined');
      expect(body).not.toMatch(/%[a-z][a-zA-Z.]*%/);
    });
  }
});

test('every snippet has its tab or its place in the list, its panel and its buttons', async () => {
  const body = await bodyOf({});
  expect(snippets.filter(({ common }) => common).map(({ id }) => id)).toEqual([
    'curl',
    'python',
    'node',
    'claude-code',
    'codex',
    'gemini-cli',
  ]);
  for (const { id, common, parts } of snippets) {
    expect(body).toContain(common ? `id="tab-${id}"` : `<option value="${id}">`);
    expect(body).toContain(`id="panel-${id}"`);
    for (const index of parts.keys()) {
      const code = index === 0 ? `code-${id}` : `code-${id}-${index + 1}`;
      expect(body).toContain(`<code id="${code}">`);
      expect(body).toContain(`data-copy="${code}"`);
    }
  }
});

test('the page has nothing inline that its policy would refuse, and every file it names exists', async () => {
  const page = homePage(plain);
  const body = await page.text();
  expect(page.headers.get('content-security-policy')).toContain(
    "default-src 'none'; script-src 'self'; style-src 'self';",
  );
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(body).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)/i);
  const named = [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1] ?? '');
  expect(named.sort()).toEqual(homeFiles.map(({ path }) => path).sort());
  for (const file of homeFiles) {
    expect(file.bodies.identity?.length).toBeGreaterThan(500);
    expect(bestEncoding(file, 'gzip, br')).toBe('gzip');
  }
});

test('where the console was built its tokens and font are used in place of the plain ones', async () => {
  const at = (name: string) => `/console/assets/${name}`;
  const entries: Entries = {
    firstPaint: at('first.js'),
    script: at('main.js'),
    preloads: [],
    style: at('main.css'),
    foundation: at('foundation.css'),
    mainFont: at('mono.woff2'),
  };
  const body = await bodyOf({ entries });
  expect(body).toContain(`<script src="${entries.firstPaint}"></script>`);
  expect(body).toContain(`<link rel="stylesheet" href="${entries.foundation}">`);
  expect(body).not.toContain('/assets/tokens-');
});
