/** One token's whole story: what it used, what it may, and everything that can be done with it. */

import { useState } from 'react';
import type { IssuedTokenView, OwnedTokenView } from '../../../admin/contracts/account-contract.ts';
import { ask } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { useChange } from '../../api/use-change.ts';
import { AroundName } from '../../components/around-name.tsx';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SidePanel } from '../../components/overlays/side-panel.tsx';
import { useTell } from '../../components/overlays/toast.tsx';
import { SkeletonText } from '../../components/skeleton.tsx';
import { useQueryWord } from '../../router/router.tsx';
import { useUnsaved, withWords } from '../../router/unsaved.tsx';
import { useSession } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';
import { tokensPath } from './create-token.tsx';
import { EditToken } from './edit-token.tsx';
import { IssuedSecret } from './issued-secret.tsx';
import { RevokeDialog, RotateDialog } from './token-dialogs.tsx';
import { TokenStory } from './token-story.tsx';

interface TokenPanelProps {
  readonly id: string;
  /** What the list already knows, shown until the whole is here. */
  readonly listed: OwnedTokenView | undefined;
  onClose(): void;
}

/** A secret that is shown once must not vanish by a stray Escape or Back. */
const withPanel = withWords('token');

interface Rotated {
  readonly issued: IssuedTokenView;
  readonly overlapMs: number;
}

export function TokenPanel({ id, listed, onClose }: TokenPanelProps) {
  const words = useWords().tokens;
  const path = `${tokensPath}/${encodeURIComponent(id)}`;
  const { data, error, refetch } = useAsk<OwnedTokenView>(path);
  const token = data?.id === id ? data : listed;
  const [isEditing, setEditing] = useQueryWord('edit');
  const [rotated, setRotated] = useState<Rotated>();
  useUnsaved(rotated !== undefined, withPanel, words.onceShown);
  if (token === undefined) {
    return (
      <SidePanel open title={words.token} onClose={onClose}>
        {error === null ? <SkeletonText lines={6} /> : <ErrorNotice error={error} onAgain={() => void refetch()} />}
      </SidePanel>
    );
  }
  if (rotated !== undefined) {
    return (
      <SidePanel
        open
        title={<AroundName text={words.rotated} name={token.name} />}
        onClose={onClose}
        actions={
          <Button kind="primary" onClick={() => setRotated(undefined)}>
            {words.stored}
          </Button>
        }
      >
        <IssuedSecret issued={rotated.issued} note={words.overlapNote[rotated.overlapMs > 0 ? 'some' : 'none']} />
      </SidePanel>
    );
  }
  if (isEditing !== undefined && token.state !== 'revoked') {
    return <EditToken token={token} path={path} onDone={() => setEditing(undefined)} />;
  }
  return (
    <SidePanel
      open
      title={token.name}
      onClose={onClose}
      actions={<Actions token={token} path={path} onEdit={() => setEditing('1')} onRotated={setRotated} />}
    >
      <TokenStory token={token} />
    </SidePanel>
  );
}

interface ActionsProps {
  readonly token: OwnedTokenView;
  readonly path: string;
  onEdit(): void;
  onRotated(rotated: Rotated): void;
}

function Actions({ token, path, onEdit, onRotated }: ActionsProps) {
  const words = useWords().tokens;
  const tell = useTell();
  const [asking, setAsking] = useState<'rotate' | 'revoke'>();
  const revoke = useChange(() => ask<OwnedTokenView>(path, { method: 'DELETE' }), [tokensPath]);
  const rotate = useChange(
    (overlapMs: number) => ask<IssuedTokenView>(`${path}/rotate`, { body: { overlapMs } }),
    [tokensPath],
  );
  const session = useSession();
  const list = useWords().tokenList;
  const able = useChange(
    (disabled: boolean) => ask<OwnedTokenView>(path, { method: 'PATCH', body: { disabled } }),
    [tokensPath],
  );
  const toggleAble = () =>
    able.mutate(token.disabled !== true, {
      onSuccess: ({ name, disabled }) =>
        tell({ tone: 'ok', text: disabled === true ? list.disabledNote(name) : list.enabledNote(name) }),
      onError: (error) => tell({ tone: 'bad', text: error.message }),
    });
  const close = () => {
    setAsking(undefined);
    revoke.reset();
    rotate.reset();
  };
  const whenRevoked = () => {
    close();
    tell({ tone: 'ok', text: words.revokedNote(token.name) });
  };
  const isFixed = token.access === 'read' || token.state === 'revoked';
  if (!session.may('PATCH /console/api/tokens/{id}') || isFixed) return null;
  return (
    <>
      <Button kind="danger" className="mr-auto" onClick={() => setAsking('revoke')}>
        {words.revoke}
      </Button>
      {token.access === 'full' && (
        <Button busy={able.isPending} onClick={toggleAble}>
          {token.disabled === true ? list.enable : list.disable}
        </Button>
      )}
      <Button icon="again" onClick={() => setAsking('rotate')}>
        {words.rotate}
      </Button>
      <Button icon="edit" kind="primary" onClick={onEdit}>
        {words.edit}
      </Button>
      <RevokeDialog
        name={token.name}
        open={asking === 'revoke'}
        busy={revoke.isPending}
        error={revoke.error}
        onConfirm={() => revoke.mutate(undefined, { onSuccess: whenRevoked })}
        onClose={close}
      />
      <RotateDialog
        name={token.name}
        open={asking === 'rotate'}
        busy={rotate.isPending}
        error={rotate.error}
        onConfirm={(overlapMs) =>
          rotate.mutate(overlapMs, {
            onSuccess: (issued) => {
              close();
              onRotated({ issued, overlapMs });
            },
          })
        }
        onClose={close}
      />
    </>
  );
}
