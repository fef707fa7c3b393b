/** Videos in the making. */

import { Soon } from '../soon.tsx';

export function Page() {
  return <Soon id="tasks" command="npx weir usage" />;
}
