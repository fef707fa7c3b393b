/** The parameters of lists at their edges. */

import { expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { instantOf, limitOf, oneOf, textOf } from './query.ts';

const of = (text: string): URLSearchParams => new URLSearchParams(text);
const faultOf = (work: () => unknown): string => {
  try {
    return String(work());
  } catch (error) {
    return error instanceof GatewayError ? `${error.code} ${error.param}` : 'another error';
  }
};

test('a limit is a whole number within its bounds', () => {
  expect([limitOf(of('')), limitOf(of('limit=1')), limitOf(of('limit=500'))]).toEqual([50, 1, 500]);
  for (const text of ['0', '501', '-1', '1.5', '1e2', '', 'x', '99999999999'])
    expect(faultOf(() => limitOf(of(`limit=${text}`)))).toBe('field_invalid limit');
});

test('an instant is a date or milliseconds', () => {
  expect(instantOf(of('from=2030-01-31'), 'from')).toBe(Date.parse('2030-01-31'));
  expect(instantOf(of('from=1700000000000'), 'from')).toBe(1_700_000_000_000);
  expect(instantOf(of('from='), 'from')).toBeUndefined();
  expect(faultOf(() => instantOf(of('from=yesterday'), 'from'))).toBe('field_invalid from');
});

test('texts are bounded, and a choice is one of its values', () => {
  expect(textOf(of('model=a/b'), 'model')).toBe('a/b');
  expect(faultOf(() => textOf(of(`model=${'x'.repeat(301)}`), 'model'))).toBe('field_invalid model');
  expect(faultOf(() => textOf(of('model=a%00'), 'model'))).toBe('field_invalid model');
  expect(oneOf(of('by=day'), 'by', ['day', 'model'])).toBe('day');
  expect(faultOf(() => oneOf(of('by=constructor'), 'by', ['day']))).toBe('field_invalid by');
});
