/** Which token is in use, always in sight, and how to take another. */

import { Button } from '../../../components/button.tsx';
import { Menu, MenuItem } from '../../../components/overlays/menu.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { type KeptToken, tokenHint } from './token-keep.ts';

interface TokenMenuProps {
  readonly token: KeptToken;
  onChoose(): void;
  onForget(): void;
}

export function TokenMenu({ token, onChoose, onForget }: TokenMenuProps) {
  const words = useWords().playground.token;
  const name = token.kind === 'mine' ? words.own : `${words.pasted} ${tokenHint(token.value)}`;
  return (
    <Menu
      align="start"
      trigger={
        <Button size="small" icon="tokens" aria-label={words.menu(name)} className="min-w-0 max-sm:px-2">
          <span className="truncate max-sm:hidden">{name}</span>
        </Button>
      }
    >
      <MenuItem icon="tokens" onSelect={onChoose}>
        {words.change}
      </MenuItem>
      {token.kind === 'pasted' && (
        <MenuItem icon="close" onSelect={onForget}>
          {words.forget}
        </MenuItem>
      )}
    </Menu>
  );
}
