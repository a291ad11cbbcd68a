/** Draws the tree of a Markdown text as elements. HTML in it is text, and pictures are their descriptions. */
import type { Code, Nodes, Parents, Root, Table } from 'mdast';
import type { ComponentChildren } from 'preact';
import { marksWithin } from './markdown.ts';
import { MarkedText } from './marked-text.tsx';
import type { Marks } from './pieces.ts';
import { TableFrame } from './table-frame.tsx';

type Drawing = { source: string; marks: Marks };

/** Addresses that a click may open: others could be scripts. */
const OPENED = /^(?:https?:\/\/|mailto:)/i;

const startOf = ({ position }: Nodes): number => position?.start.offset ?? 0;

/** The characters of a node's value, with their marks. `skipped`: how far after its start they begin. */
function Value({
  node,
  value,
  skipped = 0,
  ...drawing
}: Drawing & { node: Nodes; value: string; skipped?: number }) {
  const { source, marks } = drawing;
  const near = marks.filter(({ end }) => end > startOf(node));
  return <MarkedText text={value} marks={marksWithin(value, source, startOf(node) + skipped, near)} />;
}

const Children = ({ of: { children }, ...drawing }: Drawing & { of: Parents }) => (
  <>
    {children.map((child) => (
      <Node key={startOf(child)} node={child} {...drawing} />
    ))}
  </>
);

function MarkdownTable({ table, ...drawing }: Drawing & { table: Table }) {
  const [head, ...rows] = table.children;
  const draw = (row: typeof head, Cell: 'th' | 'td') =>
    row?.children.map((cell, index) => (
      <Cell key={startOf(cell)} dir="auto" class={table.align?.[index] ?? ''}>
        <Children of={cell} {...drawing} />
      </Cell>
    ));
  return (
    <TableFrame>
      <thead>
        <tr>{draw(head, 'th')}</tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={startOf(row)}>{draw(row, 'td')}</tr>
        ))}
      </tbody>
    </TableFrame>
  );
}

/** The description of a picture, which is not loaded: it could be anywhere. */
const Picture = ({ alt }: { alt: string | null | undefined }) => (
  <span class="muted">[{alt || 'picture'}]</span>
);

/** Code over several lines. Its value begins after the line of the fence. */
const CodeBlock = ({ code, ...drawing }: Drawing & { code: Code }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
  <pre tabIndex={0} dir="ltr">
    <code>
      <Value
        node={code}
        value={code.value}
        skipped={drawing.source.indexOf('\n', startOf(code)) - startOf(code) + 1}
        {...drawing}
      />
    </code>
  </pre>
);

type HasChildren = { children: ComponentChildren };

const Heading = ({ depth, children }: HasChildren & { depth: number }) => (
  <p class={`text-heading depth-${depth}`} dir="auto">
    {children}
  </p>
);

const SafeLink = ({ url, children }: HasChildren & { url: string }) =>
  OPENED.test(url) ? (
    <a href={url} target="_blank" rel="noreferrer noopener nofollow">
      {children}
    </a>
  ) : (
    children
  );

/** What holds a value or is drawn as it is; undefined: the node is drawn around its children. */
function drawLeaf(node: Nodes, drawing: Drawing): ComponentChildren {
  switch (node.type) {
    case 'text':
    case 'html':
      return <Value node={node} value={node.value} {...drawing} />;
    case 'inlineCode':
      return (
        <code>
          <Value node={node} value={node.value} {...drawing} />
        </code>
      );
    case 'code':
      return <CodeBlock code={node} {...drawing} />;
    case 'table':
      return <MarkdownTable table={node} {...drawing} />;
    case 'image':
    case 'imageReference':
      return <Picture alt={node.alt} />;
    case 'thematicBreak':
      return <hr />;
    case 'break':
      return <br />;
  }
}

function drawAround(node: Nodes, children: ComponentChildren): ComponentChildren {
  switch (node.type) {
    case 'paragraph':
      return <p dir="auto">{children}</p>;
    case 'heading':
      return <Heading depth={node.depth}>{children}</Heading>;
    case 'strong':
      return <strong>{children}</strong>;
    case 'emphasis':
      return <em>{children}</em>;
    case 'link':
      return <SafeLink url={node.url}>{children}</SafeLink>;
    case 'list':
      return node.ordered ? <ol start={node.start ?? 1}>{children}</ol> : <ul>{children}</ul>;
    case 'listItem':
      return <li dir="auto">{children}</li>;
    case 'blockquote':
      return <blockquote dir="auto">{children}</blockquote>;
    default:
      return children;
  }
}

const Node = ({ node, ...drawing }: Drawing & { node: Nodes }): ComponentChildren =>
  drawLeaf(node, drawing) ??
  drawAround(node, 'children' in node ? <Children of={node} {...drawing} /> : null);

export const MarkdownText = ({ root, ...drawing }: Drawing & { root: Root }) => (
  <div class="rich-text" dir="auto">
    <Children of={root} {...drawing} />
  </div>
);
