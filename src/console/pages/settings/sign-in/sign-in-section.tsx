/** How people sign in: each issuer with what is registered there, and a test of it. */

import type { SignInSettingsView } from '../../../../admin/contracts/sign-in-contract.ts';
import { useAsk } from '../../../api/use-ask.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Icon } from '../../../components/icon.tsx';
import { SkeletonText } from '../../../components/skeleton.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { Section } from '../section.tsx';
import { IssuerCard } from './issuer-card.tsx';

const signInSettingsPath = '/console/api/sign-in/settings';

export function SignInSection() {
  const { data, error, refetch } = useAsk<SignInSettingsView>(signInSettingsPath);
  return (
    <Section id="signIn">
      {error !== null && data === undefined && <ErrorNotice error={error} onAgain={() => void refetch()} />}
      {data === undefined ? error === null && <SkeletonText lines={3} /> : <IssuerList view={data} />}
    </Section>
  );
}

function IssuerList({ view }: { readonly view: SignInSettingsView }) {
  const words = useWords().signIn;
  if (view.items.length === 0) {
    return (
      <EmptyState icon="account" title={words.empty}>
        {words.emptyHint}
      </EmptyState>
    );
  }
  return (
    <>
      <p className="text-sm text-quiet">{words.passwordModes[view.passwords]}</p>
      {!view.publicUrlSet && (
        <p className="flex items-start gap-2 text-sm">
          <Icon name="warn" className="mt-0.5 text-warn" /> {words.noPublicUrl}
        </p>
      )}
      {view.items.map((issuer) => (
        <IssuerCard key={issuer.name} issuer={issuer} />
      ))}
    </>
  );
}
