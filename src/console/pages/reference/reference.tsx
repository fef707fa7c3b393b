/** The API reference for everybody who has the address: whoever calls the interface need not be able to sign in here. */

import { ApiReference } from '../settings/api/api-reference.tsx';

export function Page() {
  return (
    <div className="mx-auto max-w-[900px]">
      <ApiReference level="h2" />
    </div>
  );
}
