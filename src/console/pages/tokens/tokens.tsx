/** Who may call, what for, and how much. */

import { Soon } from '../soon.tsx';

export function Page() {
  return <Soon id="tokens" command="npx weir token list" />;
}
