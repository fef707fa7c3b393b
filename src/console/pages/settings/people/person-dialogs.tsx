/** What would take a person's access away is asked about once, in words that say what happens. */

import { useState } from 'react';
import { Check } from '../../../components/fields/field.tsx';
import { Question, type QuestionProps } from '../../../components/overlays/question.tsx';
import { useWords } from '../../../words/use-words.tsx';

interface PersonQuestion extends Pick<QuestionProps, 'open' | 'busy' | 'error' | 'onClose'> {
  readonly name: string;
}

export function DisableDialog({
  name,
  onConfirm,
  ...rest
}: PersonQuestion & { onConfirm(revokeTokens: boolean): void }) {
  const words = useWords().settings;
  const [withTokens, setWithTokens] = useState(false);
  return (
    <Question
      {...rest}
      title={words.disableTitle(name)}
      keep={words.cancel}
      confirm={words.disable}
      onConfirm={() => onConfirm(withTokens)}
    >
      <p>{words.disableMeaning}</p>
      <Check
        label={words.withTokens}
        hint={words.withTokensHint}
        checked={withTokens}
        onChange={(event) => setWithTokens(event.target.checked)}
      />
    </Question>
  );
}

export function ResetDialog({ name, ...rest }: PersonQuestion & { onConfirm(): void }) {
  const words = useWords().settings;
  return (
    <Question {...rest} title={words.resetTitle(name)} keep={words.cancel} confirm={words.resetPassword} kind="primary">
      <p>{words.resetMeaning}</p>
    </Question>
  );
}
