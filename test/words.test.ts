/** Sources and tests use the field's own terms: in file names, identifiers, comments and messages. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { objectionableWords } from './vocabulary.ts';

const root = join(import.meta.dir, '..');

/** Names that others gave, names that a database has stored, and words that a prompt may contain. */
const allowed: Readonly<Record<string, string>> = {
  'src/upstream/faults/provider-faults.test.ts': 'wish',
  'src/sandbox/images/edits/read-edit.ts': 'picture',
  'src/sandbox/images/scene/vocabulary.ts': 'picture',
  'src/sandbox/video/render-video.ts': 'Pictures',
  'src/operations/video/wires/kling-video.test.ts': 'sound',
  'src/store/migrations/0001-0009/0004-tasks.ts': 'wishes',
  'src/store/migrations/0001-0009/0008-request-details.ts': 'stories',
  'src/store/tasks/task-methods.ts': 'wishes',
  'src/store/tasks/task-queries.ts': 'wishes',
  'test/contract/secret-uses.test.ts': 'wishes',
  'test/contract/tasks-crowd.test.ts': 'wishes',
};

/** These name the words themselves. */
const isAboutWords = /^test\/(vocabulary|phrases|words\.test|phrases\.test|documents\.test)\.ts$/;

/** The console's own words change with its pages. */
const files = [...new Bun.Glob('{src,test,scripts,bench,bin}/**/*.{ts,js}').scanSync({ cwd: root })]
  .filter((path) => !/^(src|test)\/console\//.test(path) && !isAboutWords.test(path))
  .sort();

test('no word hides the term', () => {
  const found = files.flatMap((path) =>
    objectionableWords(path, readFileSync(join(root, path), 'utf8'))
      .filter(({ word }) => allowed[path] !== word)
      .map(({ line, word, instead }) => `${path}:${line} says “${word}”: ${instead}`),
  );
  expect(found).toEqual([]);
});

test('every exception is needed', () => {
  const needed = (path: string) =>
    objectionableWords(path, readFileSync(join(root, path), 'utf8')).some(({ word }) => word === allowed[path]);
  expect(Object.keys(allowed).filter((path) => !needed(path))).toEqual([]);
});

test('identifiers are read as words, and strings of one word as data', () => {
  const words = (line: string) => objectionableWords('a.ts', line).map(({ word }) => word);
  expect(words('const noWishes = readBooks();')).toEqual(['Wishes', 'Books']);
  expect(words("describe('story', () => {")).toEqual(['story']);
  expect(words("send({ type: 'sound' }) // https://example.test/story")).toEqual([]);
});
