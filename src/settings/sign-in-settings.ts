/** Settings of the sign-in to the console. */

import { row } from './setting-row.ts';
import { choice } from './values.ts';

export const signInRows = {
  'sign_in.second_factor': row(choice(['optional', 'required_for_admins', 'required']), 'optional', {
    live: true,
    meaning:
      'Who needs a second factor to use the console: `optional` nobody, `required_for_admins` owners and administrators, `required` everyone.',
  }),
} as const;
