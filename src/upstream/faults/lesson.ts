/** What a provider's refusal says about a model: which parameter it does not take. */

import type { Tree } from '../../conversation/json-tree.ts';
import type { ModelProfile } from '../../conversation/model-profile.ts';

export interface Lesson {
  /** What is to be added to the model's profile. */
  readonly profile: ModelProfile;
  /** What was refused, as losses call it. */
  readonly what: string;
  /** Does a body still hold what was refused? */
  holds(sent: Tree): boolean;
}
