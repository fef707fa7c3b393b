import { expect, test } from 'bun:test';
import type { FormFile } from '../../wire.ts';
import { lasting } from './openai-transcriptions-form.ts';

const file = { bytes: 75_000 } as FormFile;
const facts = {
  model: 'm',
  stream: false,
  most: { seconds: 100, tokens: { input: { total: 3_207 }, output: { total: 800 } } },
};
const most = (seconds: number | undefined, exact: boolean, packsSilence: boolean) =>
  lasting(facts, file, { seconds, exact, packsSilence }).most;

test('a counted length is the bound, a claimed one can only raise it', () => {
  expect(most(2.5, true, false)).toMatchObject({ seconds: 3, secondsLikely: 3 });
  expect(most(2.5, false, true)).toMatchObject({ seconds: 100, secondsLikely: 100 });
  expect(most(900, false, true)).toMatchObject({ seconds: 900, secondsLikely: 900 });
});

test('without a claim a file that can pack silence is bounded as silence and charged as thin speech', () => {
  expect(most(undefined, false, true)).toMatchObject({ seconds: 4_688, secondsLikely: 100 });
  expect(most(undefined, false, false)).toMatchObject({ seconds: 100 });
  expect(most(undefined, false, false).secondsLikely).toBeUndefined();
});

test('tokens follow the seconds, and the prompt stays counted', () => {
  expect(most(10, true, true).tokens).toEqual({ input: { total: 327, audio: 320 }, output: { total: 80 } });
});
