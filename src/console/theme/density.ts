/** How close together rows stand: remembered per browser, and set on the root where the style sheet looks. */

import { remember, remembered } from '../remembered.ts';

export const densities = ['regular', 'compact'] as const;
export type Density = (typeof densities)[number];

export function chosenDensity(): Density {
  return remembered('density') === 'compact' ? 'compact' : 'regular';
}

export function applyDensity(density: Density): void {
  if (density === 'compact') document.documentElement.dataset['density'] = density;
  else delete document.documentElement.dataset['density'];
}

export function chooseDensity(density: Density): void {
  remember('density', density === 'compact' ? density : undefined);
  applyDensity(density);
}
