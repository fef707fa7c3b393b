/** Draws Markdown with React's own elements alone: no text of a model ever becomes markup. */

import { memo, type ReactNode, useState } from 'react';
import { HighlightedBlock } from '../../../highlight/highlighted-block.tsx';
import { FormulaBlock, InlineFormula } from './formula.tsx';
import { type Block, parseBlocks } from './parse-blocks.ts';
import { type Inline, parseInline } from './parse-inline.ts';
import { createChunkCutter } from './settled-chunks.ts';

/** For whole texts and for those that still grow: only the last piece is read again. */
export function Markdown({ text }: { readonly text: string }) {
  const [cutter] = useState(createChunkCutter);
  const chunks = cutter.cut(text);
  const groups = Math.ceil(chunks.length / chunksPerGroup);
  return (
    <div className="leading-[22px] [overflow-wrap:anywhere]">
      {Array.from({ length: groups }, (_, group) => (
        <Group key={group} chunks={chunks.slice(group * chunksPerGroup, (group + 1) * chunksPerGroup)} />
      ))}
    </div>
  );
}

/** Each group costs the browser a look at whether it is in sight; each piece inside it costs nothing until it is. */
const chunksPerGroup = 16;

const sameChunks = (before: GroupProps, after: GroupProps) =>
  before.chunks.length === after.chunks.length &&
  // The last is the one that grows.
  before.chunks.findLastIndex((chunk, index) => chunk !== after.chunks[index]) === -1;

interface GroupProps {
  readonly chunks: readonly string[];
}

/** Out of sight it is neither laid out nor painted, so that a long reply costs what is seen of it. */
const Group = memo(function Group({ chunks }: GroupProps) {
  return (
    <div className="pb-3 [contain-intrinsic-size:auto_800px] [content-visibility:auto] last:pb-0">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {chunks.map((chunk, index) => (
          <Chunk key={index} source={chunk} />
        ))}
      </div>
    </div>
  );
}, sameChunks);

const Chunk = memo(function Chunk({ source }: GroupChunk) {
  return <Blocks source={source} />;
});

interface GroupChunk {
  readonly source: string;
}

/** Quotes and lists nest; a text that nests for the sake of it is shown as it is. */
const depthMax = 8;

function Blocks({ source, depth = 0 }: { readonly source: string; readonly depth?: number }): ReactNode {
  if (depth > depthMax) return <p className="whitespace-pre-wrap">{source}</p>;
  return parseBlocks(source).map((block, index) => <BlockView key={index} block={block} depth={depth} />);
}

const headingNames = ['h4', 'h5', 'h6'] as const;
const headingShapes = ['text-xl font-semibold', 'text-lg font-semibold', 'text-base font-semibold'] as const;

function BlockView({ block, depth }: { readonly block: Block; readonly depth: number }) {
  switch (block.type) {
    case 'heading': {
      // Below the page's own headings, whatever the model thinks of its answer.
      const Heading = headingNames[Math.min(2, block.level - 1)] ?? 'h6';
      return (
        <Heading className={headingShapes[Math.min(2, block.level - 1)]}>
          <Line text={block.text} />
        </Heading>
      );
    }
    case 'paragraph':
      return (
        <p>
          <Line text={block.text} />
        </p>
      );
    case 'code':
      return <HighlightedBlock title={block.language || 'text'} language={block.language} code={block.text} />;
    case 'math':
      return <FormulaBlock tex={block.tex} source={block.source} />;
    case 'quote':
      return (
        <blockquote className="grid gap-2 border-l-2 border-line-strong pl-3 text-quiet">
          <Blocks source={block.source} depth={depth + 1} />
        </blockquote>
      );
    case 'rule':
      return <hr className="border-line" />;
    case 'list':
      return <ListView block={block} depth={depth} />;
    case 'table':
      return <TableView block={block} />;
  }
}

type ListBlock = Extract<Block, { type: 'list' }>;

function ListView({ block, depth }: { readonly block: ListBlock; readonly depth: number }) {
  const items = block.items.map(({ source, checked }, index) => (
    <Item key={index} source={source} checked={checked} depth={depth} />
  ));
  const shape = `grid ${block.isLoose ? 'gap-2' : 'gap-1'} pl-6`;
  if (block.start === undefined) return <ul className={`list-disc ${shape}`}>{items}</ul>;
  return (
    <ol start={block.start} className={`list-decimal ${shape}`}>
      {items}
    </ol>
  );
}

interface ItemProps {
  readonly source: string;
  readonly checked: boolean | undefined;
  readonly depth: number;
}

const Item = memo(function Item({ source, checked, depth }: ItemProps) {
  const isTask = checked !== undefined;
  return (
    <li className={isTask ? 'list-none' : 'marker:text-quiet'}>
      <div className={isTask ? '-ml-5 flex items-start gap-2' : ''}>
        {isTask && (
          <span aria-hidden="true" className="text-quiet">
            {checked ? '☑' : '☐'}
          </span>
        )}
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5">
          <Blocks source={source} depth={depth + 1} />
        </div>
      </div>
    </li>
  );
});

type TableBlock = Extract<Block, { type: 'table' }>;
const alignmentShapes = { left: 'text-left', center: 'text-center', right: 'text-right' } as const;

function TableView({ block }: { readonly block: TableBlock }) {
  const shapeOf = (column: number) => alignmentShapes[block.alignments[column] ?? 'left'];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <div tabIndex={0} className="overflow-x-auto rounded-md border border-line">
      <table className="w-full text-sm">
        <thead className="bg-sunken">
          <tr>
            {block.head.map((cell, column) => (
              <th key={column} className={`px-3 py-1.5 font-medium ${shapeOf(column)}`}>
                <Line text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, index) => (
            <tr key={index} className="border-t border-line">
              {row.map((cell, column) => (
                <td key={column} className={`px-3 py-1.5 align-top ${shapeOf(column)}`}>
                  <Line text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Line({ text }: { readonly text: string }): ReactNode {
  return <Inlines list={parseInline(text)} />;
}

function Inlines({ list }: { readonly list: readonly Inline[] }): ReactNode {
  return list.map((inline, index) => <InlineView key={index} inline={inline} />);
}

function InlineView({ inline }: { readonly inline: Inline }): ReactNode {
  switch (inline.type) {
    case 'text':
      return inline.text;
    case 'code':
      return <code className="rounded-sm bg-sunken px-1 py-0.5 text-[0.93em]">{inline.text}</code>;
    case 'math':
      return <InlineFormula tex={inline.tex} source={inline.source} isDisplay={inline.isDisplay} />;
    case 'break':
      return <br />;
    case 'strong':
      return (
        <strong className="font-semibold">
          <Inlines list={inline.children} />
        </strong>
      );
    case 'emphasis':
      return (
        <em>
          <Inlines list={inline.children} />
        </em>
      );
    case 'strike':
      return (
        <s>
          <Inlines list={inline.children} />
        </s>
      );
    case 'link':
      return (
        <a
          href={inline.href}
          target="_blank"
          rel="noopener noreferrer"
          className="text-accent underline underline-offset-2"
        >
          <Inlines list={inline.children} />
        </a>
      );
  }
}
