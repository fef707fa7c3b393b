/** Runs before anything is painted: a remembered theme must not arrive as a flash. */

import { applyTheme, chosenTheme } from './theme/theme.ts';

applyTheme(chosenTheme());
