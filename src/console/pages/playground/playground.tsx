/** Where a model is tried with a token, as a client would. */

import { Soon } from '../soon.tsx';

export function Page() {
  return <Soon id="playground" command="npx weir explain --help" />;
}
