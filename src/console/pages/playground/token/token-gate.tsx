/** Before anything can be tried: paste a token, or take one of your own; a token that does not work says why. */

import { type FormEvent, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/fields/field.tsx';
import { Icon } from '../../../components/icon.tsx';
import { Link } from '../../../router/router.tsx';
import { useSessionState } from '../../../session/session.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { RefusalNotice, refusalFrom } from './refusal-notice.tsx';
import type { TokenState } from './use-token.ts';

interface TokenGateProps {
  readonly tokens: TokenState;
  /** Why the token at hand does not work. */
  readonly error: unknown;
  readonly isChecking: boolean;
  onAgain(): void;
}

export function TokenGate({ tokens, error, isChecking, onAgain }: TokenGateProps) {
  const words = useWords().playground.token;
  const [mintError, setMintError] = useState<unknown>();
  const [isMinting, setMinting] = useState(false);
  const mint = async () => {
    setMinting(true);
    setMintError(undefined);
    await tokens.mint().catch(setMintError);
    setMinting(false);
  };
  const shown = mintError ?? error;
  return (
    <section className="mx-auto grid max-w-[480px] gap-6 pt-[6vh]" aria-labelledby="token-gate">
      <div className="grid gap-2">
        <span className="grid size-10 place-items-center rounded-md border border-line bg-sunken text-quiet">
          <Icon name="tokens" className="size-5" />
        </span>
        <h2 id="token-gate" className="pt-1 text-xl font-semibold">
          {words.title}
        </h2>
        <p className="text-quiet text-pretty">{words.lead}</p>
      </div>
      {shown !== undefined && shown !== null && <RefusalNotice refusal={refusalFrom(shown)} />}
      <PasteForm
        isChecking={isChecking}
        onPaste={(value) => {
          setMintError(undefined);
          if (value === tokens.token?.value) onAgain();
          tokens.paste(value);
        }}
      />
      <OwnToken mayMint={tokens.mayMint} isMinting={isMinting} onMint={() => void mint()} />
    </section>
  );
}

function PasteForm({ isChecking, onPaste }: { readonly isChecking: boolean; onPaste(value: string): void }) {
  const words = useWords().playground.token;
  const [value, setValue] = useState('');
  const [isEmpty, setEmpty] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setEmpty(value.trim() === '');
    if (value.trim() !== '') onPaste(value.trim());
  };
  return (
    <form onSubmit={submit} className="grid gap-3">
      <Field
        label={words.field}
        hint={words.kept}
        error={isEmpty ? words.empty : undefined}
        type="password"
        mono
        // Neither may keep it: it belongs to this tab.
        autoComplete="off"
        spellCheck={false}
        data-1p-ignore=""
        data-lpignore="true"
        placeholder={words.placeholder}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        autoFocus
      />
      <div>
        <Button type="submit" kind="primary" busy={isChecking}>
          {isChecking ? words.checking : words.use}
        </Button>
      </div>
    </form>
  );
}

interface OwnTokenProps {
  readonly mayMint: boolean;
  readonly isMinting: boolean;
  onMint(): void;
}

function OwnToken({ mayMint, isMinting, onMint }: OwnTokenProps) {
  const words = useWords().playground.token;
  const { session, isKnown } = useSessionState();
  if (!isKnown) return null;
  return (
    <>
      <div className="flex items-center gap-3 text-xs text-quiet" aria-hidden="true">
        <span className="h-px grow bg-line" />
        {words.or}
        <span className="h-px grow bg-line" />
      </div>
      {mayMint && (
        <div className="grid justify-items-start gap-2">
          <Button icon="playground" busy={isMinting} onClick={onMint}>
            {words.mine}
          </Button>
          <p className="text-xs text-quiet">{words.mineHint}</p>
        </div>
      )}
      {session !== undefined && !mayMint && <p className="text-sm text-quiet">{words.viewer}</p>}
      {session === undefined && (
        <Link to="/console/sign-in" className="text-sm text-accent underline underline-offset-2">
          {words.signIn}
        </Link>
      )}
    </>
  );
}
