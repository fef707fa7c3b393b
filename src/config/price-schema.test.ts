import { describe, expect, test } from 'bun:test';
import { serviceTiers } from '../conversation/usage.ts';
import { operatorPrice } from '../prices/operator-price.ts';
import { tokenRateNames } from '../prices/price.ts';
import { priceConfig, priceFile, priceKeysAt, priceSchema } from './price-schema.ts';
import { describeProblem } from './problem.ts';
import { readConfigText } from './readers/read-file.ts';

const full = `prices:
  model:
    input: 2
    output: 8
    cache_read: 0.2
    cache_write: 2.5
    cache_write_1h: 4
    input_audio: 32
    input_image: 3
    input_video: 5
    cached_audio: 0.4
    cached_image: 0.3
    cached_video: 0.5
    thinking: 9
    output_audio: 64
    output_image: 40
    output_video: 50
    image: 0.04
    images: { high/1024x1024: 0.133, low: 0.01 }
    minute: 0.006
    characters: 15
    searches: 2
    video_second: 0.1
    video_seconds:
      720p: 0.1
      4k: 0.4
    video: 0.5
    page: 0.001
    web_searches: 10
    request: 0.005
    above:
      200000: { input: 4, output: 12, cache_read: 0.4 }
      400000: { input: 6, thinking: 20 }
    service_tiers:
      flex: { input: 1, output: 4 }
      priority:
        input: 4
        above: { 200000: { input: 8, output: 24 } }
    currency: USD
    context_tokens: 1000000
`;

function readPrice(text: string) {
  const { content, problems } = readConfigText(text, 'weir.yaml');
  return { entry: content.prices['model'], problems: problems.map(describeProblem) };
}

function configOf(text: string) {
  const { entry, problems } = readPrice(text);
  if (entry === undefined) throw new Error(problems.join('\n'));
  return priceConfig('model', entry);
}

describe('a price of every class', () => {
  test('is read whole, and is the exact integers that money is counted in', () => {
    const price = operatorPrice(configOf(full));
    const rate = (usd: bigint, ...tiers: readonly [number, bigint][]) => ({
      nanoPerMillion: usd,
      tiers: tiers.map(([aboveInputTokens, nanoPerMillion]) => ({ aboveInputTokens, nanoPerMillion })),
    });
    const usd = 1_000_000_000n;
    const each = 1_000_000_000_000_000n;
    expect(price).toEqual({
      version: 'operator',
      input: rate(2n * usd, [200_000, 4n * usd], [400_000, 6n * usd]),
      output: rate(8n * usd, [200_000, 12n * usd]),
      cacheRead: rate(200_000_000n, [200_000, 400_000_000n]),
      cacheWrite: rate(2_500_000_000n),
      cacheWrite1h: rate(4n * usd),
      inputAudio: rate(32n * usd),
      inputImage: rate(3n * usd),
      inputVideo: rate(5n * usd),
      cachedAudio: rate(400_000_000n),
      cachedImage: rate(300_000_000n),
      cachedVideo: rate(500_000_000n),
      thinking: rate(9n * usd, [400_000, 20n * usd]),
      outputAudio: rate(64n * usd),
      outputImage: rate(40n * usd),
      outputVideo: rate(50n * usd),
      units: {
        images: each / 25n,
        imagesOf: { 'high/1024x1024': 133_000_000_000_000n, low: each / 100n },
        seconds: 6_000_000_000_000n,
        characters: 15n * usd,
        searches: 2n * usd * 1_000n,
        videoSeconds: each / 10n,
        videoSecondsOf: { '720p': each / 10n, '4k': (each * 4n) / 10n },
        videos: each / 2n,
        pages: each / 1_000n,
        webSearches: 10n * usd * 1_000n,
        requests: each / 200n,
      },
      serviceTiers: {
        flex: { input: rate(usd), output: rate(4n * usd) },
        // A class that a tier has above a step alone costs what it costs without the tier below it.
        priority: { input: rate(4n * usd, [200_000, 8n * usd]), output: rate(8n * usd, [200_000, 24n * usd]) },
      },
    });
  });

  test('has a key for every kind of tokens and every tier that usage is counted in', () => {
    const config = configOf(full);
    expect(Object.keys(operatorPrice(config))).toEqual(expect.arrayContaining([...tokenRateNames]));
    expect([...priceKeysAt(['service_tiers'])].sort()).toEqual([...serviceTiers].sort());
  });

  test('is written for the console as the file holds it', () => {
    const config = configOf(full);
    const file = JSON.parse(JSON.stringify(priceFile(config)));
    expect(priceConfig('model', priceSchema().parse(file))).toEqual(config);
    expect(priceFile(configOf('prices: {model: {image: 0.04}}'))).not.toHaveProperty('input');
  });
});

describe('what is wrong is named by its key and line, and nothing of it is taken over', () => {
  const wrong = (line: string) => readPrice(`prices:\n  model:\n    input: 1\n    output: 1\n    ${line}\n`);

  test.each([
    ['cache_write_1h: -1', 'cache_write_1h', '-1', 'USD per million tokens, a number from 0 to 1000000'],
    ['image: 1e308', 'image', '1e+308', 'USD for one image, a number from 0 to 1000000'],
    ['minute: .nan', 'minute', 'NaN', 'USD per minute of audio, a number from 0 to 1000000'],
    ['page: .inf', 'page', 'Infinity', 'USD for one page, a number from 0 to 1000000'],
    ['request: "0.01"', 'request', '"0.01"', 'USD for one request, a number from 0 to 1000000'],
    ['web_searches: 10 EUR', 'web_searches', '"10 EUR"', 'USD per 1,000 web searches, a number from 0 to 1000000'],
    ['currency: EUR', 'currency', '"EUR"', 'USD: other currencies are not converted'],
    ['images: { high/1024x1024: -2 }', 'images.high/1024x1024', '-2', 'USD for one image, a number from 0 to 1000000'],
    [
      'above: { 200000: { input: x } }',
      'above.200000.input',
      '"x"',
      'USD per million tokens, a number from 0 to 1000000',
    ],
    [
      'service_tiers: { flex: { output: -1 } }',
      'service_tiers.flex.output',
      '-1',
      'USD per million tokens, a number from 0 to 1000000',
    ],
  ])('%s', (line, key, found, allowed) => {
    const { entry, problems } = wrong(line);
    expect(problems).toEqual([`prices.model.${key} (weir.yaml, line 5): found ${found}; allowed: ${allowed}`]);
    expect(entry).toBeUndefined();
  });

  test('units and tiers that there are none of, with the one that was meant', () => {
    const messageOf = (line: string) => wrong(line).problems.join('\n');
    expect(messageOf('cache_write_2h: 1')).toMatch(
      /^prices\.model\.cache_write_2h \(weir\.yaml, line 5\): found an unknown key; .*did you mean cache_write_1h\?$/,
    );
    expect(messageOf('hours: 1')).toContain('found an unknown key');
    expect(messageOf('service_tiers: { flexx: {} }')).toEndWith('did you mean flex?');
    expect(messageOf('service_tiers: { flex: { inputt: 1 } }')).toEndWith('did you mean input?');
    expect(messageOf('above: { many: { input: 1 } }')).toContain(
      'found a name that is not allowed; allowed: a whole number of input tokens',
    );
    expect(messageOf('images: { "a b": 1 }')).toContain('allowed: a size, a quality, or quality/size');
  });

  test('a price of searches alone prices no conversation', () => {
    expect(readPrice('prices: {model: {web_searches: 10}}').problems).toHaveLength(1);
    expect(readPrice('prices: {model: {request: 0.01}}').problems).toEqual([]);
  });
});
