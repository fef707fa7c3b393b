/** What is served, by whom, and at what price. */

import { Soon } from '../soon.tsx';

export function Page() {
  return <Soon id="models" command="npx weir explain --help" />;
}
