/** Copies exactly what is shown and says that it did; where it may not, it selects the text and says which keys copy it. */

import { type RefObject, useEffect, useRef, useState } from 'react';
import { useWords } from '../words/use-words.tsx';
import { Button } from './button.tsx';
import { copyText, selectText } from './copy-text.ts';
import { Icon } from './icon.tsx';

const confirmedForMs = 2_000;

type Outcome = 'copied' | 'selected' | undefined;

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, for those who hear the page: “Copy the token”. */
  readonly what: string;
  /** Selected where copying is refused. */
  readonly shown?: RefObject<HTMLElement | null>;
  readonly size?: 'small' | 'medium' | 'large';
  readonly kind?: 'plain' | 'primary' | 'quiet';
  /** Only the pictogram, for rows of a table. */
  readonly bare?: boolean;
  readonly onCopied?: () => void;
}

export function CopyButton(props: CopyButtonProps) {
  const { text, what, shown, size = 'small', kind = 'plain', bare = false, onCopied } = props;
  const words = useWords().parts;
  const [outcome, copy] = useCopying(text, shown);
  const note = { copied: words.copiedNote, selected: words.copyByHandNote }[outcome ?? 'copied'];
  const word = outcome === undefined ? words.copy : { copied: words.copied, selected: words.copyByHand }[outcome];
  return (
    <>
      <Button
        size={size}
        kind={kind}
        className={bare ? 'w-7 px-0' : ''}
        onClick={(event) => {
          void copy(event.currentTarget);
          onCopied?.();
        }}
        aria-label={words.copyThis(what)}
        data-outcome={outcome}
      >
        <Icon
          name={outcome === 'copied' ? 'check' : 'copy'}
          className={outcome === 'copied' && kind !== 'primary' ? 'text-ok' : ''}
        />
        {!bare && (
          // The widest word holds the place, so that nothing moves when it changes.
          <span className="grid text-center">
            <span className="invisible col-start-1 row-start-1" aria-hidden="true">
              {words.copied}
            </span>
            <span className="col-start-1 row-start-1">{word}</span>
          </span>
        )}
      </Button>
      <span role="status" className="sr-only">
        {outcome === undefined ? '' : note}
      </span>
    </>
  );
}

function useCopying(text: string, shown: RefObject<HTMLElement | null> | undefined) {
  const [outcome, setOutcome] = useState<Outcome>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (button: HTMLElement) => {
    const copied = await copyText(text, button);
    if (!copied && shown?.current) selectText(shown.current);
    setOutcome(copied ? 'copied' : 'selected');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOutcome(undefined), confirmedForMs);
  };
  return [outcome, copy] as const;
}
