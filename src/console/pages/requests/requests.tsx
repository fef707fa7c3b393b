/** Every request with its story. */

import { Soon } from '../soon.tsx';

export function Page() {
  return <Soon id="requests" command="npx weir usage" />;
}
