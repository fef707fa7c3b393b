/** Which model a tab asks: the one of the address where it fits, and the first that does otherwise. */

import type { PlaygroundModel } from '../playground-contract.ts';

/** Empty where no model can do it. */
export function chosenModel(models: readonly PlaygroundModel[], operation: string, wanted: string | undefined): string {
  const options = models.filter(({ operations }) => operations.includes(operation));
  return options.find(({ id }) => id === wanted)?.id ?? options[0]?.id ?? '';
}
