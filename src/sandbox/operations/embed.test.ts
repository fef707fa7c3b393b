/** Vectors are useful only if similar texts lie close, and safe only if no text is expensive to embed. */

import { describe, expect, test } from 'bun:test';
import { cosine, dimensionsDefault, dimensionsMax, embedText, embedTexts } from './embed.ts';

type Input = string | readonly number[];

const embed = (inputs: readonly Input[], dimensions?: number): readonly Float32Array[] =>
  embedTexts({ model: 'sandbox-embed', inputs, encoding: 'float', ...(dimensions === undefined ? {} : { dimensions }) })
    .vectors;

const norm = (vector: Float32Array): number => Math.sqrt(cosine(vector, vector));

/** A sentence, one about the same thing, and one about another that shares its build or some of its words. */
const triples: readonly (readonly [string, string, string])[] = [
  ['The cat sleeps on the sofa.', 'A cat is sleeping on our sofa.', 'The train leaves from the station.'],
  ['How do I reset my password?', 'I forgot my password and need to reset it.', 'How do I bake my bread?'],
  [
    'The stock market fell sharply today.',
    'Stocks dropped as the market fell.',
    'The football team won sharply today.',
  ],
  ['She plays the violin in an orchestra.', 'He played violin with the orchestra.', 'She plays tennis in a club.'],
  ['Heavy rain is expected tomorrow.', 'Tomorrow it will rain heavily.', 'Heavy furniture is sold tomorrow.'],
  [
    'The doctor prescribed antibiotics.',
    'My doctor gave me a prescription for antibiotics.',
    'The lawyer filed a lawsuit.',
  ],
  ['Install the package with npm.', 'npm install adds a package.', 'Install the shelf with screws.'],
  ['The database connection timed out.', 'A timeout occurred connecting to the database.', 'The bakery opened early.'],
  ['Bananas are rich in potassium.', 'Potassium is found in bananas.', 'Computers are rich in memory.'],
  ['He is learning to swim.', 'Swimming lessons helped him learn.', 'He is planning to move.'],
  ['The museum is closed on Mondays.', 'On Monday the museum does not open.', 'The invoice is due on Fridays.'],
  ['Solar panels produce electricity.', 'Electricity production from solar power.', 'Cows produce milk on farms.'],
  ['The recipe needs two eggs and flour.', 'Mix the flour with two eggs.', 'The budget needs two signatures.'],
  ['Our flight to Paris was delayed.', 'Flights to Paris have delays.', 'Our order of shoes was refunded.'],
  ['Climate change melts glaciers.', 'Glaciers are melting in a changing climate.', 'Price change upsets customers.'],
  ['Python is a programming language.', 'Programmers write code in the Python language.', 'Coffee is a morning habit.'],
  ['The dog chased the ball in the park.', 'Dogs chase balls in parks.', 'The judge read the verdict in the court.'],
  ['I would like to rent a hotel room.', 'Renting a room in a hotel.', 'I would like to sell a used car.'],
  ['The bridge was built in 1889.', 'Construction of the bridge: built 1889.', 'The song was recorded in 1975.'],
  ['Encrypt the file before sending it.', 'Files must be encrypted when sent.', 'Water the garden before mowing it.'],
  [
    'The teacher explained the theorem.',
    'An explanation of the theorem by the teacher.',
    'The waiter brought the soup.',
  ],
  ['Wash your hands with soap.', 'Hand washing with soap and water.', 'Sharpen your pencil with care.'],
  [
    'Electric cars need charging stations.',
    'Charging an electric car at a station.',
    'Old paintings need careful restoration.',
  ],
  [
    'The company hired fifty engineers.',
    'Fifty new engineers were hiring targets of the company.',
    'The river flooded fifty villages.',
  ],
  ['Vaccines protect against measles.', 'A vaccination protects children from measles.', 'Helmets are sold in colors.'],
  ['Accomodation near the beach', 'accommodation close to beaches', 'accounting for small firms'],
  ['Der Hund schläft im Garten.', 'Im Garten schlafen die Hunde.', 'Die Rechnung liegt auf dem Tisch.'],
  ['El gato duerme en la cama.', 'Los gatos duermen en camas.', 'El tren sale de la estación.'],
  ['La bibliothèque est fermée dimanche.', 'Dimanche, les bibliothèques sont fermées.', 'La voiture est garée dehors.'],
  ['今日は天気がいいです。', '今日の天気は晴れです。', '新しい電車に乗りました。'],
  ['Кошка спит на диване.', 'На диване спит моя кошка.', 'Поезд уходит со станции.'],
  ['naïve café résumé', 'naive cafe resume', 'native cave result'],
  ['HTTP status 404 not found', 'the server answered with status 404', 'train number 17 not late'],
  ['getUserName returns a string', 'the function getUserName gives back a string', 'openFile throws an error'],
  [
    'quarterly revenue grew by ten percent',
    'revenue growth of ten percent this quarter',
    'ten percent of the cakes burnt',
  ],
  [
    'Mount Everest is the highest mountain.',
    'The highest mountain on Earth is Everest.',
    'Cleopatra is the famous queen.',
  ],
];

test('similar sentences embed closer than dissimilar ones', () => {
  const wrong = triples.filter(([anchor, like, unlike]) => {
    const [one, near, far] = embed([anchor, like, unlike]);
    if (one === undefined || near === undefined || far === undefined) return true;
    return cosine(one, near) <= cosine(one, far) || cosine(near, one) <= cosine(near, far);
  });
  console.log(`embedding pairs: ${triples.length - wrong.length}/${triples.length} similar ones closer`);
  expect(triples.length).toBeGreaterThanOrEqual(30);
  expect(wrong).toEqual([]);
});

test('unrelated sentences lie nearly at right angles, equal ones do not differ', () => {
  const anchors = embed(triples.map(([anchor]) => anchor));
  let sum = 0;
  let count = 0;
  for (const [index, left] of anchors.entries()) {
    for (const right of anchors.slice(index + 1)) {
      sum += Math.abs(cosine(left, right));
      count++;
    }
  }
  expect(sum / count).toBeLessThan(0.1);
  const [one, same] = embed(['The cat sleeps.', 'the CAT sleeps']);
  expect(cosine(one ?? new Float32Array(), same ?? new Float32Array())).toBeCloseTo(1, 6);
});

describe('properties', () => {
  const inputs: readonly Input[] = [
    'a sentence',
    '',
    '   \n\t ',
    '!?…',
    '😀🚀',
    '\ud800 lone',
    '\u0000',
    'x',
    [],
    [1],
    [9906, 1917],
    'a a a a a',
  ];
  for (const dimensions of [1, 2, 3, 16, 255, 256, 257, 1536, 3071, dimensionsMax]) {
    test(`${dimensions} dimensions have length one and are the same every time`, () => {
      const vectors = embed(inputs, dimensions);
      expect(vectors.length).toBe(inputs.length);
      for (const vector of vectors) {
        expect(vector.length).toBe(dimensions);
        expect(norm(vector)).toBeCloseTo(1, 5);
      }
      expect(embed(inputs, dimensions)).toEqual(vectors);
    });
  }

  test('256 dimensions where none are asked', () => {
    expect(embed(['text'])[0]?.length).toBe(dimensionsDefault);
    expect(dimensionsDefault).toBe(256);
  });

  for (const dimensions of [0, -1, 1.5, dimensionsMax + 1, Number.NaN]) {
    test(`${dimensions} dimensions are refused by name`, () => {
      expect(() => embed(['text'], dimensions)).toThrow(expect.objectContaining({ param: 'dimensions', status: 400 }));
    });
  }

  test('a vector does not depend on its neighbors', () => {
    expect(embed(['one text', 'another', 'third'])[1]).toEqual(embed(['another'])[0] ?? new Float32Array());
  });

  test('token arrays lie close by the ids they share', () => {
    const [one, near, far] = embed([
      [101, 2003, 999, 7],
      [101, 2003, 999, 8],
      [5, 6, 70, 80],
    ]);
    if (one === undefined || near === undefined || far === undefined) throw new Error('three vectors');
    expect(cosine(one, near)).toBeGreaterThan(0.5);
    expect(cosine(one, near)).toBeGreaterThan(cosine(one, far) + 0.4);
  });

  test('a title counts with its text', () => {
    const request = { model: 'sandbox-embed', inputs: ['It sleeps all day.'], encoding: 'float' as const };
    const titled = embedTexts({ ...request, title: 'Cats' });
    const plain = embedTexts(request);
    const query = embedText('cats');
    const similarity = (reply: typeof titled): number => cosine(query, reply.vectors[0] ?? new Float32Array(256));
    expect(similarity(titled)).toBeGreaterThan(similarity(plain) + 0.2);
  });

  test('what was read is counted', () => {
    const { consumption, model } = embedTexts({
      model: 'sandbox-embed',
      inputs: ['two words', [1, 2, 3], ''],
      encoding: 'base64',
    });
    expect(consumption.tokens?.input.total).toBe(5);
    expect(model).toBe('sandbox-embed');
  });

  test('a text is compared by its first 32,768 characters', () => {
    const head = 'weir '.repeat(6554).slice(0, 32_768);
    expect(embedText(`${head} zebra`)).toEqual(embedText(head));
    expect(embedText(`${head.slice(0, 32_760)} zebra`)).not.toEqual(embedText(head));
  });
});
