/** The tools that a model called, and the place where a person answers in their stead. */

import { type FormEvent, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { CodeBlock } from '../../../components/code-block.tsx';
import { TextField } from '../../../components/fields/field.tsx';
import { HighlightedBlock } from '../../../highlight/highlighted-block.tsx';
import { prettyJson } from '../../../highlight/pretty-json.ts';
import { useWords } from '../../../words/use-words.tsx';
import type { ToolCall } from './conversation.ts';

interface ToolCallsProps {
  readonly calls: readonly ToolCall[];
  /** Absent while the call is still being written, and once it has been answered. */
  readonly onResults?: ((results: readonly string[]) => void) | undefined;
}

export function ToolCalls({ calls, onResults }: ToolCallsProps) {
  const words = useWords().playground.turn;
  const [results, setResults] = useState<readonly string[]>([]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onResults?.(calls.map((_, index) => results[index] ?? ''));
  };
  return (
    <form onSubmit={submit} className="grid gap-3">
      {calls.map((call, index) => (
        <div key={call.id || index} className="grid gap-2">
          <HighlightedBlock
            title={words.calls(call.name)}
            language="json"
            code={prettyJson(call.arguments) ?? call.arguments}
            wrap
          />
          {call.result !== undefined && <CodeBlock title={words.answered} code={call.result} wrap />}
          {onResults !== undefined && (
            <TextField
              label={words.result(call.name)}
              hint={words.resultHint}
              rows={2}
              className="font-mono text-sm"
              value={results[index] ?? ''}
              onChange={(event) =>
                setResults(calls.map((_, at) => (at === index ? event.target.value : (results[at] ?? ''))))
              }
            />
          )}
        </div>
      ))}
      {onResults !== undefined && (
        <div>
          <Button type="submit" kind="primary" size="small">
            {words.sendResults}
          </Button>
        </div>
      )}
    </form>
  );
}
