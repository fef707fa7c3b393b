/** Proves that a refusal is told at the field it speaks of, and at no other. */

import { expect, test } from 'bun:test';
import { AskError } from './ask.ts';
import { errorAtField } from './use-change.ts';

const refusal = (message: string, param: string) =>
  new AskError(message, { status: 400, code: 'field_invalid', param });

test('a refusal belongs to its field and does not name it again', () => {
  expect(errorAtField(refusal('next: must be longer', 'next'), 'next')).toBe('must be longer');
  expect(errorAtField(refusal('labels[0]: must be letters', 'labels[0]'), 'labels')).toBe('must be letters');
  expect(errorAtField(refusal('next: must be longer', 'next'), 'current')).toBeUndefined();
  expect(errorAtField(refusal('Sign in.', ''), 'next')).toBeUndefined();
  expect(errorAtField(new Error('next: no'), 'next')).toBeUndefined();
});
