/** What happened lately, at one glance. */

import { Soon } from '../soon.tsx';

export function Page() {
  return <Soon id="overview" command="npx weir usage --by model" />;
}
