/** Every component with every state in one place, for those who build pages with them; in builds from source only. */

import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { PageTools, SandboxBadge } from '../../frame/top-line.tsx';
import { Colours } from './colours.tsx';
import { Controls } from './controls.tsx';
import { Facts } from './facts.tsx';
import { States } from './states.tsx';

export function Page() {
  return (
    <>
      <PageTools>
        <SandboxBadge />
        <span className="grow" />
        <Button kind="primary" icon="plus" className="max-sm:hidden">
          Create token
        </Button>
      </PageTools>
      <div className="grid gap-10">
        <Part title="Both themes">
          <Colours />
        </Part>
        <Part title="Controls">
          <Controls />
        </Part>
        <Part title="Facts">
          <Facts />
        </Part>
        <Part title="States and notices">
          <States />
        </Part>
      </div>
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="grid min-w-0 gap-4">
      <h2 className="text-xl font-semibold tracking-tight">{title}</h2>
      {children}
    </section>
  );
}
