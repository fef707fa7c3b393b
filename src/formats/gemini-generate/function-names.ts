/** Which names of functions the format accepts. */

import type { LossList } from '../../conversation/loss-list.ts';

const charactersMax = 128;
const allowed = /^[A-Za-z_][A-Za-z0-9_.:-]*$/;

/** A name that the format would refuse is altered and reported: the model will call the function by the altered one. */
export function writtenName(name: string, place: string, losses: LossList): string {
  if (allowed.test(name) && name.length <= charactersMax) return name;
  const characters = name.replace(/[^A-Za-z0-9_.:-]/g, '_').slice(0, charactersMax - 1);
  const altered = /^[A-Za-z_]/.test(characters) ? characters : `_${characters}`;
  losses.add(
    `${place} function name ${name}`,
    `has characters or a length that the format refuses; written as ${altered}`,
  );
  return altered;
}
