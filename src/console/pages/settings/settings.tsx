/** How this Weir is set up, and where each setting comes from. */

import { Soon } from '../soon.tsx';

export function Page() {
  return <Soon id="settings" command="npx weir doctor" />;
}
