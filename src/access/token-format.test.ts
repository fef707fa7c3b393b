/** A token is recognizable, every damaged one is detected, and none is ever quoted. */

import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../conversation/gateway-error.ts';
import { checkShape, hintOf, mintToken, shapeFault, tokenLength } from './token-format.ts';

const codeOf = (text: string): string => {
  try {
    checkShape(text);
    return 'ok';
  } catch (error) {
    return error instanceof GatewayError ? error.code : 'other';
  }
};

describe('mintToken', () => {
  test('has its prefix, length and alphabet, and passes its own check', () => {
    for (let index = 0; index < 200; index++) {
      const token = mintToken();
      expect(token).toMatch(/^weir_[0-9A-Za-z]{49}$/);
      expect(token).toHaveLength(tokenLength);
      expect(codeOf(token)).toBe('ok');
    }
  });

  test('holds all 256 bits at both ends of their range', () => {
    const lowest = mintToken(new Uint8Array(32));
    const highest = mintToken(new Uint8Array(32).fill(255));
    expect(lowest.slice(5, 48)).toBe('0'.repeat(43));
    expect(highest).toHaveLength(tokenLength);
    let value = 0n;
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    for (const digit of highest.slice(5, 48)) value = value * 62n + BigInt(digits.indexOf(digit));
    expect(value).toBe(2n ** 256n - 1n);
  });

  test('does not repeat', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => mintToken())).size).toBe(1_000);
  });
});

describe('checkShape', () => {
  const token = mintToken();

  test('finds every single changed character', () => {
    for (let index = 0; index < token.length; index++) {
      const changed = `${token.slice(0, index)}${token[index] === 'a' ? 'b' : 'a'}${token.slice(index + 1)}`;
      // A broken prefix makes it a token of the operator's own choice, which only the table can refuse.
      if (index >= 5) expect(codeOf(changed)).toBe('token_malformed');
    }
  });

  test.each([token.slice(0, -1), `${token}a`, 'weir_', `weir_${'a'.repeat(49)}`])('refuses %#', (text) => {
    expect(codeOf(text)).toBe('token_malformed');
  });

  test('a token of the operator: 20 to 512 visible characters', () => {
    expect(codeOf('a'.repeat(19))).toBe('token_malformed');
    expect(codeOf('a'.repeat(20))).toBe('ok');
    expect(codeOf('~'.repeat(512))).toBe('ok');
    expect(codeOf('a'.repeat(513))).toBe('token_malformed');
    for (const odd of [' ', '\t', '\n', '\0', '\x7f', 'é', '\u{1f600}']) {
      expect(codeOf(`${'a'.repeat(20)}${odd}`)).toBe('token_malformed');
    }
    expect(codeOf('')).toBe('token_malformed');
  });

  test('never quotes what it refused', () => {
    for (const text of [`${token}a`, token.slice(0, -1), `${token.slice(0, -1)}!`, `canary canary canary canary`]) {
      expect(shapeFault(text)).toBeString();
      expect(shapeFault(text)).not.toContain(text.slice(5, 20));
    }
  });
});

describe('hint', () => {
  test('the hint shows the beginning and no more', () => {
    const token = mintToken();
    expect(hintOf(token)).toBe(`${token.slice(0, 9)}…`);
    expect(hintOf('my-own-first-token-1234')).toBe('my-o…');
  });
});
