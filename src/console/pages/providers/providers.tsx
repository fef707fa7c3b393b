/** Who serves models, with which keys, and how they do. */

import { Soon } from '../soon.tsx';

export function Page() {
  return <Soon id="providers" command="npx weir doctor" />;
}
