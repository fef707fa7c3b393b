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

/** Is the text the name of a model, here or anywhere? A variant (`name:fast`, `name@host`) is the model, whatever path is before it. */
export function isModelName({ catalogue, knowsModel }: NamingParts, text: string): boolean {
  const plain = text.replace(/[:@][\w.-]*$/, '');
  const bare = plain.slice(plain.lastIndexOf('/') + 1);
  return [text, plain, bare].some((name) => name !== '' && (catalogue.knows(name) || knowsModel(name)));
}
