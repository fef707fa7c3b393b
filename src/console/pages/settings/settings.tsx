/** How this Weir is set up, who uses it, and where each setting comes from. */

import { useMemo, useRef } from 'react';
import { useSession } from '../../session/session.tsx';
import { About } from './about.tsx';
import { Account } from './account.tsx';
import { AdminKeysSection } from './admin-keys/admin-keys.tsx';
import { useManagedTeams } from './admin-keys/managed-teams.ts';
import { Appearance } from './appearance.tsx';
import { Audit } from './audit.tsx';
import { HomeSection } from './home-section.tsx';
import { People } from './people/people.tsx';
import { Retention } from './retention.tsx';
import { SectionIndex, useSectionScroll } from './section.tsx';
import { type SectionId, sectionsFor } from './sections.ts';
import { Security } from './security.tsx';
import { Limits, OtherSettings } from './setting-sections.tsx';
import { SignInSection } from './sign-in/sign-in-section.tsx';

const parts: Readonly<Record<SectionId, () => React.ReactNode>> = {
  appearance: Appearance,
  account: Account,
  people: People,
  signIn: SignInSection,
  adminKeys: AdminKeysSection,
  limits: Limits,
  retention: Retention,
  security: Security,
  home: HomeSection,
  other: OtherSettings,
  audit: Audit,
  about: About,
};

export function Page() {
  const { may } = useSession();
  const hasKeys = useManagedTeams() !== undefined;
  const sections = useMemo(() => sectionsFor(may).filter((id) => id !== 'adminKeys' || hasKeys), [may, hasKeys]);
  const content = useRef<HTMLDivElement>(null);
  useSectionScroll(content);
  return (
    <div className="-mt-6 grid min-w-0 grid-cols-[minmax(0,1fr)] gap-x-12 gap-y-6 lg:mt-0 lg:grid-cols-[176px_minmax(0,880px)]">
      <SectionIndex sections={sections} />
      <div ref={content} className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-10">
        {sections.map((id) => {
          const Part = parts[id];
          return <Part key={id} />;
        })}
      </div>
    </div>
  );
}
