/** Where a request goes: computed once where the URL is always the same, filled in per call where it names the model. */

import type { FormatName, FormatPath, ProviderRules } from './provider.ts';

/** A URL that names the model. */
interface ModelPlace {
  readonly before: string;
  readonly after: string;
  /** The name's slashes and colons are part of the path. */
  readonly keepsPath: boolean;
}

export type Place = string | ModelPlace;

interface Address {
  readonly whole: Place;
  readonly stream: Place;
}

export type Addresses = Partial<Readonly<Record<FormatName, Address>>>;

export type Settings = Readonly<Record<string, string>>;

/** The full URL of a format. A format that the provider does not have is a mistake of the calling code. */
export function addressOf(
  provider: { readonly name: string; readonly addresses: Addresses },
  format: FormatName,
  model: string,
  stream: boolean,
): string {
  const address = provider.addresses[format];
  if (address === undefined) throw new Error(`The provider ${provider.name} does not speak ${format}.`);
  const place = stream ? address.stream : address.whole;
  return typeof place === 'string' ? place : fillModel(place, model);
}

/** Every URL of a preset at this base, in the order in which its formats are declared. */
export function addressesOf(preset: ProviderRules, baseUrl: string, settings: Settings): Addresses {
  const addresses: Partial<Record<FormatName, Address>> = {};
  for (const [format, path] of Object.entries(preset.formats) as [FormatName, FormatPath][]) {
    const [whole, stream] = pathsOf(path).map((part) => joined(baseUrl, fillHoles(part, settings)));
    if (whole === undefined || stream === undefined) continue;
    addresses[format] = { whole: placeOf(whole), stream: placeOf(stream) };
  }
  return addresses;
}

/** The path for a whole reply and the one for a stream. */
export function pathsOf(path: FormatPath): [string, string] {
  return typeof path === 'string' ? [path, path] : [path.whole, path.stream];
}

const settingHole = /\{(\w+)\}/g;
const modelHole = /\{(\+?)model\}/;

/** The names of the settings that a template needs. */
export function holesOf(template: string): string[] {
  return [...template.matchAll(settingHole)].flatMap(([, name = '']) => (name === 'model' ? [] : [name]));
}

/** Fills in what is known; the model's hole and unknown ones stay. */
export function fillHoles(template: string, settings: Settings): string {
  return template.replace(settingHole, (hole, name: string) => {
    const value = Object.hasOwn(settings, name) && name !== 'model' ? settings[name] : undefined;
    return value === undefined ? hole : encodeURIComponent(value).replaceAll('%3A', ':');
  });
}

/** Undefined where the path is a whole URL and the base URL has another host. */
function joined(baseUrl: string, path: string): string | undefined {
  if (!/^https?:\/\//.test(path)) return baseUrl + path;
  return URL.parse(path)?.origin === URL.parse(baseUrl)?.origin ? path : undefined;
}

export function placeOf(address: string): Place {
  const hole = modelHole.exec(address);
  if (hole === null) return address;
  return {
    before: address.slice(0, hole.index),
    after: address.slice(hole.index + hole[0].length),
    keepsPath: hole[1] === '+',
  };
}

export function fillModel({ before, after, keepsPath }: ModelPlace, model: string): string {
  if (!keepsPath) return before + segment(model) + after;
  return before + model.split('/').map(segment).join('/').replaceAll('%3A', ':').replaceAll('%40', '@') + after;
}

/** Dots alone would lead to another path, even percent-encoded; encoded twice they name nothing. */
function segment(text: string): string {
  return text === '.' || text === '..' ? text.replaceAll('.', '%252E') : encodeURIComponent(text);
}
