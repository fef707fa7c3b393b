/** The profile of a model at a provider: its family, then what the provider's preset says of the host, then what the operator says. */

import type { ModelProfile } from '../conversation/model-profile.ts';
import type { Provider } from './assemble.ts';
import { familyProfile } from './families.ts';

export function profileOf(provider: Pick<Provider, 'quirks'>, model: string): ModelProfile {
  const ofFamily = familyProfile(model);
  const { takes } = provider.quirks;
  return takes === undefined ? ofFamily : { ...ofFamily, ...takes };
}
