/** What a model wrote: Markdown, or JSON with line breaks where the whole reply is JSON. */

import { useMemo, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { HighlightedBlock } from '../../../highlight/highlighted-block.tsx';
import { looksLikeJson, prettyJson } from '../../../highlight/pretty-json.ts';
import { useWords } from '../../../words/use-words.tsx';
import { Markdown } from '../markdown/markdown.tsx';

interface ReplyTextProps {
  readonly text: string;
  readonly isLive: boolean;
}

export function ReplyText({ text, isLive }: ReplyTextProps) {
  const pretty = useMemo(() => (isLive ? undefined : prettyJson(text)), [text, isLive]);
  if (pretty !== undefined) return <JsonReply text={text} pretty={pretty} />;
  if (isLive && looksLikeJson(text)) return <HighlightedBlock title="JSON" language="json" code={text} wrap />;
  return <Markdown text={text} />;
}

function JsonReply({ text, pretty }: { readonly text: string; readonly pretty: string }) {
  const words = useWords().answers;
  const [isRaw, setRaw] = useState(false);
  return (
    <HighlightedBlock
      title="JSON"
      language={isRaw ? '' : 'json'}
      code={isRaw ? text : pretty}
      wrap
      tools={
        text !== pretty && (
          <Button size="small" kind="quiet" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            {words.raw}
          </Button>
        )
      }
    />
  );
}
