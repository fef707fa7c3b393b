/** What a provider's refusal says about a model: which parameter it does not take. */

import type { Tree } from '../../conversation/json-tree.ts';
import type { ModelProfile } from '../../conversation/model-profile.ts';

export interface Lesson {
  /** The addition to the model's profile. */
  readonly profile: ModelProfile;
  /** What was refused, by its name in the list of losses. */
  readonly what: string;
  /** Whether a body still holds what was refused. */
  holds(sent: Tree): boolean;
}
