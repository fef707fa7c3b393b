/** Which token the call uses: one's own where someone is signed in, or one that is pasted and stays in this tab. */

import { useState } from 'react';
import { Button } from '../../../../components/button.tsx';
import { Field } from '../../../../components/fields/field.tsx';
import { useWords } from '../../../../words/use-words.tsx';
import { usableToken } from '../../../playground/token/token-keep.ts';
import type { TokenState } from '../../../playground/token/use-token.ts';

/** The same token as in the playground. Created at the first call that needs it. */
export async function tokenFor(tokens: TokenState): Promise<string> {
  if (tokens.token !== undefined) return (await tokens.fresh()).value;
  if (!tokens.mayMint) return '';
  await tokens.mint();
  return usableToken(sessionStorage, Date.now())?.value ?? '';
}

interface TryTokenProps {
  readonly tokens: TokenState;
  /** What stands in the field; it becomes the tab's token with the call. */
  readonly typed: string;
  readonly error: string | undefined;
  onType(text: string): void;
}

export function TryToken({ tokens, typed, error, onType }: TryTokenProps) {
  const words = useWords().reference;
  const { token, mayMint } = tokens;
  const [isPasting, setPasting] = useState(false);
  const isOwn = mayMint && !isPasting && token?.kind !== 'pasted';
  if (isOwn) {
    return (
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-quiet">
        {words.ownToken}
        <Button size="small" kind="quiet" onClick={() => setPasting(true)}>
          {words.otherToken}
        </Button>
      </div>
    );
  }
  return (
    <div className="grid gap-2">
      <Field
        label={words.token}
        hint={words.tokenHint}
        error={error}
        type="password"
        mono
        autoComplete="off"
        spellCheck={false}
        data-1p-ignore=""
        data-lpignore="true"
        placeholder="weir_…"
        value={typed}
        onChange={(event) => onType(event.target.value)}
      />
      {mayMint && (
        <div>
          <Button
            size="small"
            kind="quiet"
            onClick={() => {
              tokens.forget();
              onType('');
              setPasting(false);
            }}
          >
            {words.ownInstead}
          </Button>
        </div>
      )}
    </div>
  );
}
