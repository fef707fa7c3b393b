/** Runs before anything is painted: a remembered theme must not arrive as a flash, nor rows that jump to another height. */

import { remembered } from './remembered.ts';
import { applyDensity, chosenDensity } from './theme/density.ts';
import { applyTheme, chosenTheme } from './theme/theme.ts';

applyTheme(chosenTheme());
applyDensity(chosenDensity());
if (remembered('rail') === 'narrow') document.documentElement.dataset['rail'] = 'narrow';
