/** Proves that the home page shows the address it was given, only if it is one, and that its policy holds for what it loads. */

import { describe, expect, test } from 'bun:test';
import { homePage, pageAssets } from './home.ts';

function shownAddress(body: string): string | undefined {
  return /<code id="base-address">([^<]*)<\/code>/.exec(body)?.[1];
}

describe('the base address', () => {
  for (const [given, shown] of [
    ['http://10.0.0.5:8787', 'http://10.0.0.5:8787/v1'],
    ['http://10.0.0.5:8787/', 'http://10.0.0.5:8787/v1'],
    ['http://10.0.0.5:8787/v1', 'http://10.0.0.5:8787/v1'],
    ['https://weir.example.com', 'https://weir.example.com/v1'],
    ['https://example.com/models/weir', 'https://example.com/models/weir/v1'],
    ['http://[::1]:8787', 'http://[::1]:8787/v1'],
  ] as const) {
    test(`${given} shows ${shown}`, () => {
      expect(shownAddress(homePage({ baseUrl: given }).body)).toBe(shown);
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
    test(`${JSON.stringify(given).slice(0, 60)} is not shown`, () => {
      const { body } = homePage({ baseUrl: given });
      expect(shownAddress(body)).toBe('http://127.0.0.1:8787/v1');
      if (given) expect(body).not.toContain(given);
    });
  }

  test('is filled in everywhere, and no address is offered that this version does not serve', () => {
    const { body } = homePage({ baseUrl: 'https://weir.example.com' });
    expect(body).not.toMatch(/%[a-z]+%/);
    expect(body).toContain('https://weir.example.com/v1/chat/completions');
    const offered = [...body.matchAll(/https:\/\/weir\.example\.com([\w/]*)/g)].map((match) => match[1]);
    expect(new Set(offered)).toEqual(new Set(['/v1', '/v1/chat/completions', '/v1/models']));
    expect(body).not.toContain('127.0.0.1');
  });
});

test('the page has nothing inline that its policy would refuse, and every asset it names exists', () => {
  const { body, headers } = homePage({ baseUrl: 'http://127.0.0.1:8787' });
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
      "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  );
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['referrer-policy']).toBe('no-referrer');
  expect(body).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)/i);
  const named = [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1] ?? '');
  expect(named.sort()).toEqual(Object.keys(pageAssets).sort());
  for (const asset of Object.values(pageAssets)) expect(asset.body.length).toBeGreaterThan(500);
});
