/** Which price applies to a model: the operator's own first, then the library's, remembered per model. */

import type { PriceConfig } from '../config/config.ts';
import type { Price, Rate, TableNames, UnitPrices } from './price.ts';
import { type LibraryEntry, loadPriceLibrary, nanoPerMillion, type PriceLibrary } from './price-library.ts';

export interface PriceQuestion {
  /** The provider as the operator named it. */
  readonly providerName: string;
  /** How the tables of prices name it, where they know it. */
  readonly tables?: TableNames | undefined;
  /** The model as the provider names it. */
  readonly model: string;
}

export interface Prices {
  /** Undefined where nobody knows a price, and until `ready` for those only the library knows. */
  priceOf(question: PriceQuestion): Price | undefined;
  contextWindowOf(question: PriceQuestion): number | undefined;
  /** Loads the library on the first call; resolves when it answers. */
  ready(): Promise<void>;
  /** The operator's own prices from now on. A price that somebody holds already stays what it is. */
  replace(overrides: readonly PriceConfig[]): void;
}

export interface PricesOptions {
  readonly overrides: readonly PriceConfig[];
  readonly nowMs?: () => number;
  readonly load?: () => Promise<PriceLibrary>;
}

const flat = (usdPerMillion: number): Rate => ({ nanoPerMillion: nanoPerMillion(usdPerMillion), tiers: [] });

const zero: Rate = { nanoPerMillion: 0n, tiers: [] };

/** For models that run on the operator's own machines, and for the sandbox. */
export function zeroPrice(version: string): Price {
  const none = undefined;
  return { version, input: zero, output: zero, cacheRead: none, cacheWrite: none, inputAudio: none, outputAudio: none };
}

/** Names of models come from callers, so what is remembered about them is bounded. */
const rememberedMax = 5_000;
/** Some prices change with the date and the hour: what is remembered is asked again. */
const rememberedForMs = 15 * 60_000;

export function createPrices(options: PricesOptions): Prices {
  const { nowMs = Date.now, load = loadPriceLibrary } = options;
  let own = ownPrices(options.overrides);
  const remembered = new Map<string, { entry: LibraryEntry | undefined; untilMs: number }>();
  let library: PriceLibrary | undefined;
  let loading: Promise<void> | undefined;

  function lookUp({ providerName, tables, model }: PriceQuestion): LibraryEntry | undefined {
    const override = own.find(({ matches }) => matches(`${providerName}/${model}`) || matches(model));
    const listed = library === undefined ? undefined : fromLibrary(library, tables?.genaiPrices, model, nowMs());
    if (override === undefined) return listed;
    return { price: override.price, contextWindow: override.contextTokens ?? listed?.contextWindow };
  }

  function entryOf(question: PriceQuestion): LibraryEntry | undefined {
    const key = `${question.providerName}\n${question.tables?.genaiPrices ?? ''}\n${question.model}`;
    const known = remembered.get(key);
    const now = nowMs();
    if (known !== undefined && known.untilMs > now) return known.entry;
    const entry = lookUp(question);
    if (remembered.size >= rememberedMax) remembered.clear();
    remembered.set(key, { entry, untilMs: now + rememberedForMs });
    return entry;
  }

  return {
    replace(overrides) {
      own = ownPrices(overrides);
      remembered.clear();
    },
    priceOf: (question) => entryOf(question)?.price,
    contextWindowOf: (question) => entryOf(question)?.contextWindow,
    ready() {
      loading ??= load().then((loaded) => {
        library = loaded;
        remembered.clear();
      });
      return loading;
    },
  };
}

interface OwnPrice {
  matches(name: string): boolean;
  readonly price: Price;
  readonly contextTokens: number | undefined;
}

function ownPrices(overrides: readonly PriceConfig[]): readonly OwnPrice[] {
  return overrides.map((config) => ({
    matches: patternTest(config.pattern),
    price: overridePrice(config),
    contextTokens: config.contextTokens,
  }));
}

/** Versions of the operator's own prices begin so. */
export const ownPriceVersion = 'operator';

function overridePrice(config: PriceConfig): Price {
  return {
    version: config.version ?? ownPriceVersion,
    input: flat(config.input),
    output: flat(config.output),
    cacheRead: config.cacheRead === undefined ? undefined : flat(config.cacheRead),
    cacheWrite: config.cacheWrite === undefined ? undefined : flat(config.cacheWrite),
    inputAudio: undefined,
    outputAudio: undefined,
    units: unitPrices(config),
  };
}

/** Each as people write it: an image, a minute, a million characters, a thousand searches, a second of video, a video. */
function unitPrices({ image, minute, characters, searches, videoSecond, video }: PriceConfig): UnitPrices {
  const nano = (usdPerMillion: number | undefined, name: keyof UnitPrices): UnitPrices =>
    usdPerMillion === undefined ? {} : { [name]: nanoPerMillion(usdPerMillion) };
  return {
    ...nano(image === undefined ? undefined : image * 1e6, 'images'),
    ...nano(minute === undefined ? undefined : minute * 1e6, 'seconds'),
    ...nano(characters, 'characters'),
    ...nano(searches === undefined ? undefined : searches * 1e3, 'searches'),
    ...nano(videoSecond === undefined ? undefined : videoSecond * 1e6, 'videoSeconds'),
    ...nano(video === undefined ? undefined : video * 1e6, 'videos'),
  };
}

function patternTest(pattern: string): (name: string) => boolean {
  if (!pattern.includes('*')) return (name) => name === pattern;
  const source = pattern
    .split('*')
    .map((literal) => literal.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  const expression = new RegExp(`^${source}$`, 's');
  return (name) => expression.test(name);
}

/**
 * Tries the name as it is, without a vendor's prefix (`vendor/model`, where the vendor may be the better provider to ask)
 * and without a date or `latest` at its end, the closest first.
 */
function fromLibrary(
  library: PriceLibrary,
  provider: string | undefined,
  model: string,
  atMs: number,
): LibraryEntry | undefined {
  const slash = model.lastIndexOf('/');
  const vendor = slash > 0 ? model.slice(model.lastIndexOf('/', slash - 1) + 1, slash) : undefined;
  const bare = model.slice(slash + 1);
  const undated = bare.replace(/[-@](\d{4}-\d{2}-\d{2}|\d{8}|latest)$/, '');
  const questions: [string | undefined, string][] = [
    [provider, model],
    ...(vendor === undefined ? [] : ([[vendor, bare]] as [string, string][])),
    [provider, bare],
    [provider, undated],
    ...(vendor === undefined ? [] : ([[vendor, undated]] as [string, string][])),
  ];
  for (const [asked, name] of questions) {
    const entry = library.find(asked, name, atMs);
    if (entry !== undefined) return entry;
  }
  return undefined;
}
