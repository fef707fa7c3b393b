/** A few related specimens of the gallery under one small heading. */

import type { ReactNode } from 'react';

export function Specimens({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="grid min-w-0 content-start gap-3">
      <h3 className="text-sm text-quiet">{title}</h3>
      {children}
    </div>
  );
}
