/**
 * The profile of a model at a provider, merged field by field; each of these overrides the ones before it: the model's family, the
 * preset of the host, the provider's own list, the operator. Price tables come between preset and list; they bound money and
 * are shown (`Pricing`), but no request is changed by them. Learned refusals override all of them and are applied to the result,
 * since they expire.
 */

import { type ListedModel, type ModelProfile, unknownProfile } from '../conversation/model-profile.ts';
import type { ParameterName } from '../conversation/parameters.ts';
import type { ModelNote, Provider } from './assemble.ts';
import { bareName, kinOf, mergedRows } from './families.ts';
import { matches } from './formats-for.ts';

type Described = Pick<Provider, 'quirks'> & Partial<Pick<Provider, 'notes' | 'profiles'>>;

interface ProfileLayer {
  /** In words: where it is written. */
  readonly from: string;
  readonly profile: ModelProfile;
}

/** Two targets of one model share what is known of it, so that what is derived from a profile can be remembered by it. */
const known = new WeakMap<object, Map<string, ModelProfile>>();
const knownMax = 2_000;

export function profileOf(provider: Described, model: string, listed?: ListedModel): ModelProfile {
  if (listed !== undefined) return merged(profileLayers(provider, model, listed));
  const ofProvider = known.get(provider) ?? new Map<string, ModelProfile>();
  known.set(provider, ofProvider);
  const before = ofProvider.get(model);
  if (before !== undefined) return before;
  const profile = merged(profileLayers(provider, model, undefined));
  // Names of models come from callers.
  if (ofProvider.size >= knownMax) ofProvider.clear();
  ofProvider.set(model, profile);
  return profile;
}

export function profileLayers(
  provider: Described,
  model: string,
  listed: ListedModel | undefined,
): readonly ProfileLayer[] {
  const { family, profile: ofFamily } = kinOf(model);
  const layers: ProfileLayer[] = [];
  const add = (from: string, profile: ModelProfile | undefined): void => {
    if (profile !== undefined && Object.keys(profile).length > 0) layers.push({ from, profile });
  };
  if (family !== undefined) add(`family ${family.title}, seen ${family.seen}`, ofFamily);
  add('preset', provider.quirks.takes);
  add('preset', mergedRows(provider.quirks.takesOf ?? [], bareName(model)));
  add('provider', noteProfile(provider.notes?.get(model)));
  if (listed !== undefined) add("provider's list", listedProfile(listed, merged(layers).refuses));
  for (const { pattern, profile } of provider.profiles ?? []) {
    if (matches(pattern, model)) add(`operator, ${pattern}`, profile);
  }
  return layers;
}

/** Nothing where the operator set nothing. */
export function operatorProfile({ profiles = [] }: Partial<Pick<Provider, 'profiles'>>, model: string): ModelProfile {
  if (profiles.length === 0) return unknownProfile;
  return Object.assign({}, ...profiles.filter(({ pattern }) => matches(pattern, model)).map(({ profile }) => profile));
}

function merged(layers: readonly ProfileLayer[]): ModelProfile {
  const [only, other] = layers;
  if (only !== undefined && other === undefined) return only.profile;
  return Object.assign({}, ...layers.map(({ profile }) => profile));
}

function noteProfile(note: ModelNote | undefined): ModelProfile | undefined {
  return note === undefined ? undefined : { contextTokens: note.contextTokens };
}

/** A list covers the parameters that it names; the family covers the others. */
function listedProfile({ profile = {}, takes }: ListedModel, refused: readonly ParameterName[] = []): ModelProfile {
  if (takes === undefined) return profile;
  const still = refused.filter((name) => !takes.includes(name));
  return { ...profile, refuses: [...new Set([...still, ...(profile.refuses ?? [])])] };
}
