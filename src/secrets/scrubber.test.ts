import { describe, expect, test } from 'bun:test';
import { Random } from '../../test/harness/random.ts';
import { createScrubber, scrubTree } from './scrubber.ts';

const secret = 'sk-live-Q7v/9+zKp2mX4tRw8LbYc1Ee';
const scrub = createScrubber([secret]);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const base64url = (text: string): string => Buffer.from(text).toString('base64url');
const hex = (text: string): string => Buffer.from(text).toString('hex');

/** The longest piece of the secret that is left in a text, in any of its encodings. */
function longestLeft(text: string): number {
  const plain = text.replace(/[\s"'`\\]/g, '');
  let most = 0;
  for (let from = 0; from < secret.length; from++)
    for (let to = from + most + 1; to <= secret.length && plain.includes(secret.slice(from, to)); to++)
      most = to - from;
  return most;
}

describe('is taken out', () => {
  test.each([
    ['plain', secret],
    ['a prefix', secret.slice(0, 20)],
    ['a prefix of 8', secret.slice(0, 8)],
    ['a suffix of 8', secret.slice(-8)],
    ['a piece of the middle', secret.slice(9, 19)],
    ['base64', base64(secret)],
    ['base64 without padding', base64(secret).replace(/=+$/, '')],
    ['URL-safe base64', base64url(secret)],
    ['base64 of the header', base64(`Bearer ${secret}`)],
    ['base64 of a pair', base64(`user:${secret}`)],
    ['base64 at another place', base64(`ab${secret}cd`)],
    ['URL-safe base64 at another place', base64url(`x${secret}y`)],
    ['in capitals', secret.toUpperCase()],
    ['in small letters', secret.toLowerCase()],
    ['a piece in other case', secret.slice(9, 19).toUpperCase()],
    ['in alternating case', [...secret].map((each, at) => (at % 2 ? each.toUpperCase() : each.toLowerCase())).join('')],
    ['hexadecimal', hex(secret)],
    ['hexadecimal in capitals', hex(secret).toUpperCase()],
    ['URL-encoded', encodeURIComponent(secret)],
    ['URL-encoded whole', [...secret].map((each) => `%${hex(each)}`).join('')],
    ['over two lines', `${secret.slice(0, 12)}\n${secret.slice(12)}`],
    ['over many lines', secret.match(/.{1,5}/g)?.join('\r\n  ') ?? ''],
    ['with quotation marks between', `${secret.slice(0, 10)}" '${secret.slice(10)}`],
    ['with an escaped line feed', `${secret.slice(0, 10)}\\n${secret.slice(10)}`],
    ['with JSON escapes', [...secret].map((each) => `\\u00${hex(each)}`).join('')],
    ['with escaped slashes', secret.replaceAll('/', '\\/')],
    [
      'base64 over lines',
      base64(secret)
        .match(/.{1,11}/g)
        ?.join('\n') ?? '',
    ],
    ['masked', `${secret.slice(0, 5)}********${secret.slice(-4)}`],
    ['masked with dots', `${secret.slice(0, 7)}...`],
    ['masked, the end only', `••••${secret.slice(-4)}`],
  ])('%s', (_name, spelled) => {
    const text = scrub(`The key ${spelled} is wrong.`);
    expect(text).toBe('The key [key] is wrong.');
  });

  test('cut anywhere, no piece of 8 is left', () => {
    for (const spelled of [secret, `x ${secret} y`])
      for (let at = 1; at < spelled.length; at++) {
        expect(longestLeft(scrub(`key ${spelled.slice(0, at)}`))).toBeLessThan(8);
        expect(longestLeft(scrub(`${spelled.slice(at)} key`))).toBeLessThan(8);
      }
  });

  test('every one of several secrets, and short ones as they are', () => {
    const several = createScrubber([secret, 'another-key-7654', 'abcd']);
    expect(several(`${secret} another-key-7654 abcd`)).toBe('[key] [key] [key]');
    expect(several('ANOTHER-KEY-7654 ABCD')).toBe('[key] [key]');
  });

  test('a key that is not configured, and a token', () => {
    expect(createScrubber([])('sk-proj-aaaaaaaaaaaaaaaaaaaaaaaa eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJrIn0.abc')).toBe(
      '[key] [key]',
    );
  });
});

describe('is left', () => {
  test.each([
    'The model `gpt-4.1` does not exist or you do not have access to it.',
    'Please retry in 7.5s ... or later. "quoted", 100% sure, a\\b',
    '余额不足\n第二行 😀',
    'image ****** removed',
  ])('%p', (text) => {
    expect(scrub(text)).toBe(text);
  });

  test('the text around a secret, to the character', () => {
    expect(scrub(`{"message": "bad \\"${secret}\\"", "n": 1}`)).toBe('{"message": "bad \\"[key]\\"", "n": 1}');
  });

  test('a key file’s ordinary words', () => {
    const file = JSON.stringify({ type: 'service_account', client_email: 'a@b.example' });
    expect(createScrubber([file])('service_account a@b.example')).toBe('service_account a@b.example');
  });
});

test('control characters are replaced', () => {
  expect(scrub('line\r\n\u0000forged')).toBe('line \n forged');
});

test('hostile texts of 64 KB are scrubbed to their end', () => {
  const random = new Random(1);
  const hostile = [
    'A'.repeat(65_536),
    '\\'.repeat(65_536),
    '%'.repeat(65_536),
    '*'.repeat(65_536),
    secret.slice(0, 7).repeat(9_362),
    base64(secret).repeat(1_489),
    secret.repeat(2_048),
    'sk-'.repeat(21_845),
    'eyJ'.repeat(21_845),
    random.token(65_536),
  ];
  for (const text of hostile) {
    expect(longestLeft(scrub(text))).toBeLessThan(8);
  }
});

test('a text is cut at its limit, and no more than a few characters of a secret are left there', () => {
  expect(scrub('a '.repeat(8_192))).toHaveLength(16_384);
  for (let before = 16_384 - secret.length; before < 16_384; before++) {
    const text = scrub(`${' '.repeat(before)}${secret}`);
    expect(longestLeft(text)).toBeLessThan(8);
    expect(text.length).toBeLessThanOrEqual(16_385);
  }
});

test('a tree keeps its shape', () => {
  expect(scrubTree({ a: [secret, 1, null], b: { c: `x ${secret}` } }, scrub)).toEqual({
    a: ['[key]', 1, null],
    b: { c: 'x [key]' },
  });
});
