/** Shows what was made in the console as the part of `weir.yaml` that it would be, to be taken there. */

import type { ExportView } from '../../../admin/contracts/configuration-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { SkeletonText } from '../../components/skeleton.tsx';
import { useWords } from '../../words/use-words.tsx';

export function ExportDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const words = useWords().providers.exported;
  const exported = useAsk<ExportView>('/console/api/export', { when: open });
  return (
    <Dialog open={open} title={words.title} onClose={onClose}>
      <div className="grid min-h-40 content-start gap-4 overflow-y-auto p-5">
        {exported.isError && <ErrorNotice error={exported.error} onAgain={() => void exported.refetch()} />}
        {exported.isPending && <SkeletonText lines={5} />}
        {exported.data !== undefined && <Exported {...exported.data} />}
      </div>
    </Dialog>
  );
}

function Exported({ yaml, variables }: ExportView) {
  const words = useWords().providers.exported;
  if (yaml.trim() === '' || yaml.trim() === '{}') return <p className="text-quiet">{words.none}</p>;
  return (
    <>
      <p className="text-quiet">{words.hint}</p>
      <CodeBlock title={words.fileName} code={yaml} />
      {variables.length > 0 && (
        <>
          <p className="text-quiet">{words.variables}</p>
          <CodeBlock title={words.variablesTitle} code={variables.map((name) => `${name}=`).join('\n')} />
        </>
      )}
    </>
  );
}
