/** Text for machines, shown as it is and copied as it is shown. */

import { type ReactNode, useRef } from 'react';
import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  /** What it is: a language, a file's name. */
  readonly title: string;
  readonly code: string;
  readonly wrap?: boolean;
  /** Stands beside the copy button. */
  readonly tools?: ReactNode;
  /** The same text with colors. */
  readonly children?: ReactNode;
}

export function CodeBlock({ title, code, wrap = false, tools, children }: CodeBlockProps) {
  const shown = useRef<HTMLElement>(null);
  return (
    <figure className="overflow-hidden rounded-md border border-line bg-raised">
      <figcaption className="flex h-9 items-center justify-between gap-4 border-b border-line bg-sunken pr-1 pl-3 text-xs text-quiet">
        {title}
        <span className="flex items-center gap-1">
          {tools}
          <CopyButton text={code} what={title} shown={shown} kind="quiet" />
        </span>
      </figcaption>
      {/* Long lines scroll sideways, which the keyboard can do only where it can put the focus. */}
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
        tabIndex={0}
        className={`px-3 py-2.5 text-sm leading-5 focus-visible:outline-offset-[-2px] ${wrap ? 'break-words whitespace-pre-wrap' : 'overflow-x-auto'}`}
      >
        <code ref={shown}>{children ?? code}</code>
      </pre>
    </figure>
  );
}

/** A short machine word inside a sentence. */
export function Code({ children }: { readonly children: string }) {
  return <code className="rounded-sm bg-sunken px-1 py-0.5 text-[0.93em] break-words">{children}</code>;
}

/** An id that can be read, and copied with one press. */
export function Id({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <code className="truncate text-sm">{value}</code>
      <CopyButton text={value} what={what} kind="quiet" bare />
    </span>
  );
}
