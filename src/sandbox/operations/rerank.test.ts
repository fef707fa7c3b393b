/** The document that speaks of what was asked must come first, whatever else the others mention. */

import { describe, expect, test } from 'bun:test';
import type { RankedDocument, RerankReply, RerankRequest } from '../../operations/rerank.ts';
import { rankDocuments } from './rerank.ts';

const rank = (query: string, documents: readonly RankedDocument[], more: Partial<RerankRequest> = {}): RerankReply =>
  rankDocuments({ model: 'sandbox-rerank', query, documents, returnDocuments: false, ...more }, 'rerank-1');

/** One collection that speaks of many things, and pairs of neighbors that share most of their words. */
const shelf = [
  'Carson City is the capital city of the American state of Nevada.',
  'Washington, D.C. is the capital of the United States and a federal district.',
  'Capital punishment has existed in the United States since before it was a country.',
  'Capitalization in English grammar is the use of a capital letter at the start of a word.',
  'To reset your password, open Settings, choose Security and follow the link in the email.',
  'Passwords must have twelve characters; they are stored as salted hashes and never shown.',
  'Refunds are paid back to the original card within five business days after we receive the parcel.',
  'Parcels are shipped from our warehouse every business day; delivery takes two to four days.',
  'The mitochondrion produces most of the chemical energy of a cell.',
  'The cell nucleus holds the chromosomes and controls which genes are read.',
  'A solar eclipse happens when the Moon passes between Earth and the Sun.',
  'During a lunar eclipse the Moon moves through the shadow of the Earth.',
  'An index speeds up database queries at the cost of slower writes and more storage.',
  'A transaction groups several database writes so that all of them happen or none.',
  'Sourdough bread rises by wild yeast; feed the starter every day before baking.',
  'Knead pizza dough for ten minutes and let it rest in the refrigerator overnight.',
  'The French Revolution began in 1789 with the storming of the Bastille.',
  'The Russian Revolution of 1917 ended the rule of the Tsars.',
  'Electric cars lose range in winter because batteries dislike the cold.',
  'Winter tyres are required by law in several countries when roads are icy.',
  'The violin has four strings tuned in fifths and is played with a bow.',
  'A classical guitar has six strings, the lower three wound with metal.',
  'Vitamin C deficiency causes scurvy, known among sailors for bleeding gums.',
  'Vitamin D is made in the skin under sunlight and keeps bones strong.',
];

const cases: readonly (readonly [query: string, right: number])[] = [
  ['what is the capital city of Nevada', 0],
  ['capital of the United States federal district', 1],
  ['death penalty and capital punishment history', 2],
  ['when to use capital letters in grammar', 3],
  ['how do I reset my password?', 4],
  ['how many characters must passwords have', 5],
  ['when is my refund paid to my card', 6],
  ['how long does delivery take', 7],
  ['which part of the cell produces energy', 8],
  ['where are chromosomes in the nucleus', 9],
  ['what is a solar eclipse', 10],
  ['lunar eclipse shadow', 11],
  ['speed up slow queries with an index', 12],
  ['database transaction all or nothing writes', 13],
  ['feeding a sourdough starter', 14],
  ['how long to knead pizza dough', 15],
  ['when did the French revolution begin', 16],
  ['revolution against the tsar of Russia', 17],
  ['why do electric car batteries lose range when it is cold', 18],
  ['are winter tires required by law', 19],
  ['tuning of the strings of a violin', 20],
  ['how many strings does a guitar have', 21],
  ['disease of sailors by lack of vitamin C', 22],
  ['vitamin from sunlight for bones', 23],
];

test('the right document comes first', () => {
  const wrong = cases.filter(([query, right]) => rank(query, shelf).results[0]?.index !== right);
  console.log(`rerank: ${cases.length - wrong.length}/${cases.length} right documents first`);
  expect(cases.length).toBe(24);
  expect(wrong.length).toBeLessThanOrEqual(4);
});

test('the order of the documents does not decide', () => {
  const reversed = [...shelf].reverse();
  const differing = cases.filter(([query]) => {
    const there = rank(query, shelf).results[0];
    const back = rank(query, reversed).results[0];
    return there?.index !== shelf.length - 1 - (back?.index ?? 0) || there.score !== back?.score;
  });
  expect(differing).toEqual([]);
});

describe('scores', () => {
  test('lie between 0 and 1, fall, and are the same every time', () => {
    for (const [query] of cases) {
      const { results } = rank(query, shelf);
      expect(results.length).toBe(shelf.length);
      for (const [place, { score }] of results.entries()) {
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(place === 0 ? 1 : (results[place - 1]?.score ?? 0));
      }
      expect(rank(query, shelf).results).toEqual(results);
    }
  });

  test('equal documents keep their order', () => {
    const { results } = rank('cat', ['a dog', 'a cat', 'a dog', 'a cat', 'a dog']);
    expect(results.map(({ index }) => index).slice(0, 2)).toEqual([1, 3]);
    expect(results[0]?.score).toBe(results[1]?.score ?? Number.NaN);
    expect(results.map(({ index }) => index).slice(2)).toEqual([0, 2, 4]);
  });

  test('a document that answers all is near 1, one without a common letter group near 0', () => {
    const { results } = rank('solar eclipse', ['solar eclipse', 'jumping buffoonery']);
    expect(results[0]?.score).toBeGreaterThan(0.6);
    expect(results[1]?.score).toBeLessThan(0.1);
  });

  test('a misspelt word still finds its document', () => {
    const { results } = rank('sourdogh recipie', [
      'pizza dough at home',
      'a recipe for sourdough bread',
      'city streets',
    ]);
    expect(results[0]?.index).toBe(1);
  });

  test('empty queries and documents are not errors', () => {
    expect(rank('', ['a', '']).results).toEqual([
      { index: 0, score: 0 },
      { index: 1, score: 0 },
    ]);
    expect(rank('query', []).results).toEqual([]);
  });
});

describe('requests', () => {
  test('objects are ranked by the text of their fields', () => {
    const documents = [
      { title: 'Bread', text: 'Flour and water.' },
      { title: 'Violin', notes: { body: ['Four strings', 4] } },
      { title: 'Moon', image: 'data:image/png;base64,dmlvbGluIHN0cmluZ3M=' },
    ];
    expect(rank('violin strings', documents).results[0]?.index).toBe(1);
    expect(rank('flour', documents).results[0]?.index).toBe(0);
    expect(rank('title', documents).results.every(({ score }) => score < 0.1)).toBe(true);
  });

  test('strings and objects rank in one list', () => {
    const { results } = rank('moon', ['sun', { text: 'moon' }, { text: null }, 'moonlight']);
    expect(results.map(({ index }) => index).slice(0, 2)).toEqual([1, 3]);
  });

  test('topN cuts the list and never lengthens it', () => {
    expect(rank('moon', shelf, { topN: 3 }).results).toEqual(rank('moon', shelf).results.slice(0, 3));
    expect(rank('moon', ['a', 'b'], { topN: 9 }).results.length).toBe(2);
  });

  test('a document is read to its limit of tokens', () => {
    const documents = ['filler words come first and then the moon', 'the moon'];
    expect(rank('moon', documents, { tokensPerDocumentMax: 4 }).results[1]).toEqual({
      index: 0,
      score: expect.any(Number),
    });
    expect(rank('first moon', documents).results[0]?.index).toBe(0);
    expect(rank('first moon', documents, { tokensPerDocumentMax: 3 }).results[0]?.index).toBe(1);
  });

  test('one search is counted, with the tokens that were read', () => {
    const reply = rank('two words', ['one', 'two three']);
    expect(reply.consumption).toEqual({ searches: 1, tokens: { input: { total: 7, fresh: 7 }, output: {} } });
    expect(reply.id).toBe('rerank-1');
    expect(reply.model).toBe('sandbox-rerank');
  });
});
