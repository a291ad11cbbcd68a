/**
 * The text of a passage, drawn as its writer meant it: Markdown, tables, or as it is. Everything becomes elements of
 * the page, never HTML: what a document says can neither run nor load anything.
 */
import './rich-text.css';
import type { DocumentType } from '../../client/index.ts';
import { looksLikeMarkdown, parseMarkdown } from './markdown.ts';
import { MarkdownText } from './markdown-text.tsx';
import { MarkedText } from './marked-text.tsx';
import { type Range, toMarks } from './pieces.ts';
import { TableFrame } from './table-frame.tsx';
import { type Block, toBlocks } from './tables.ts';

type BlockProps = { block: Block; marks: ReturnType<typeof toMarks> };

function TextBlock({ block, marks }: BlockProps) {
  if ('text' in block) return <MarkedText text={block.text.trim()} marks={marks} offset={offsetOf(block)} />;
  const [head = [], ...rows] = block.rows;
  return (
    <TableFrame>
      <thead>
        <tr>
          {head.map((cell) => (
            <th key={cell.offset} dir="auto">
              <MarkedText marks={marks} {...cell} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row[0]?.offset}>
            {row.map((cell) => (
              <td key={cell.offset} dir="auto">
                <MarkedText marks={marks} {...cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}

/** Where the text of a block begins without the white space before it. */
const offsetOf = ({ text, offset }: { text: string; offset: number }): number =>
  offset + text.length - text.trimStart().length;

type RichTextProps = {
  text: string;
  /** The format of the document. */
  type: DocumentType | undefined;
  /** What is marked, in code points of the text. */
  ranges?: Range[];
};

export function RichText({ text, type, ranges = [] }: RichTextProps) {
  const marks = toMarks(text, ranges);
  const isMarkdown = type === 'md' || ((type === 'text' || type === 'txt') && looksLikeMarkdown(text));
  const root = isMarkdown ? parseMarkdown(text) : undefined;
  if (root !== undefined) return <MarkdownText root={root} source={text} marks={marks} />;
  return (
    <div class="rich-text" dir="auto">
      {toBlocks(text).map((block, index) =>
        'text' in block && block.text.trim() === '' ? null : 'text' in block ? (
          <p key={index} dir="auto">
            <TextBlock block={block} marks={marks} />
          </p>
        ) : (
          <TextBlock key={index} block={block} marks={marks} />
        ),
      )}
    </div>
  );
}
