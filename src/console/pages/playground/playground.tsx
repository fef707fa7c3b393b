/** Where a model is tried with a token, as a client would: first a token that works, then the workbench. */

import { SkeletonText } from '../../components/skeleton.tsx';
import { PageTools } from '../../frame/top-line.tsx';
import { TokenGate } from './token/token-gate.tsx';
import { TokenMenu } from './token/token-menu.tsx';
import { useModels } from './token/use-models.ts';
import { useToken } from './token/use-token.ts';
import { Workbench } from './workbench.tsx';

export function Page() {
  const tokens = useToken();
  const { token } = tokens;
  const models = useModels(token?.value);
  if (tokens.isComing) return <SkeletonText />;
  if (token === undefined || tokens.isChoosing || models.error !== null) {
    return (
      <TokenGate
        tokens={tokens}
        error={token === undefined || tokens.isChoosing ? tokens.error : models.error}
        isChecking={token !== undefined && models.isFetching}
        onAgain={() => void models.refetch()}
      />
    );
  }
  return (
    <>
      <PageTools>
        <TokenMenu token={token} onChoose={tokens.choose} onForget={tokens.forget} />
      </PageTools>
      {models.data === undefined ? (
        <SkeletonText />
      ) : (
        <Workbench token={token} fresh={tokens.fresh} models={models.data} />
      )}
    </>
  );
}
