/** Which models a body names beside the one that it asks for, and where they are served. */

import type { Caller } from '../../access/caller.ts';
import type { Target } from '../../routing/catalogue.ts';
import { requireModel } from '../admission/require-model.ts';
import type { RelayParts } from '../relay-parts.ts';

type NamingParts = Pick<RelayParts, 'catalogue' | 'knowsModel'>;

/** The model of this name as the target's provider knows it. Throws where the caller may not use it. */
export function furtherModel(parts: NamingParts, caller: Caller, target: Target, name: string, param: string): Target {
  const { provider } = target;
  const qualified = `${provider.name}/${name}`;
  if (!caller.mayUseModel(qualified)) requireModel(caller, name, param);
  const served = parts.catalogue.find(name)?.targets.find((one) => one.provider === provider);
  return { ...target, model: served?.model ?? name };
}

/** Is the text the name of a model, here or anywhere? A variant (`name:fast`, `name@host`) is the model. */
export function isModelName({ catalogue, knowsModel }: NamingParts, text: string): boolean {
  if (catalogue.knows(text) || knowsModel(text)) return true;
  const plain = text.replace(/[:@][\w.-]*$/, '');
  return plain !== text && (catalogue.knows(plain) || knowsModel(plain));
}
