/**
 * Lays out the paragraphs, tables and notes of an RTF document. The file marks where they end, not where they begin.
 */
import type { HtmlRenderer } from '../../../rendering/html-renderer.ts';
import { repeatedBlocks } from '../../../rendering/repeated-blocks.ts';
import type { TextPosition } from '../../../rendering/text-runs.ts';
import type { Numbering } from '../../office/word/numbering/numbering.ts';
import type { RtfListTable } from '../list-table.ts';
import type { RtfStyles } from '../styles.ts';
import { type LabelOf, type Story, story } from './story.ts';

export type RtfBody = {
  text(text: string, position: TextPosition | undefined): void;
  /** Takes a control word. Ignores words that neither end nor describe anything. */
  control(name: string, parameter: number | undefined): void;
  /** Sets the number or bullet of the next paragraph, as the file's program has counted it. */
  label(label: string): void;
  /** Opens what stands in a sentence without being a part of it. Returns what closes it. */
  openNote(): () => void;
  /** Sets what precedes the text of the open note. */
  introduce(introduction: string): void;
  /** Opens a header or footer. All of them follow the text, each once. Returns what closes it. */
  openRepeated(): () => void;
  end(): void;
};

/** A note is passed on once for each note around it. */
const NOTE_DEPTH_MAX = 8;

/** The document's story, and the stories that are open inside it. */
function createStories(document: Story) {
  const stories = [document];
  const innermost = (): Story => stories.at(-1) as Story; // the document itself is never closed
  return {
    innermost,
    isTooDeep: () => stories.length > NOTE_DEPTH_MAX,
    /** Returns what closes the story, and then calls `end`. */
    begin(next: Story, end: () => void): () => void {
      stories.push(next);
      return () => {
        next.end();
        stories.pop();
        end();
      };
    },
    /** Begins a note that is too deep in others: its paragraphs stand where they are. */
    beginHere(): () => void {
      const endParagraph = () => innermost().control('par', undefined);
      endParagraph();
      return endParagraph;
    },
  };
}

export function rtfBody(
  renderer: HtmlRenderer,
  { styles, lists }: { styles: RtfStyles; lists: RtfListTable },
): RtfBody {
  const repeated = repeatedBlocks();
  const labelOf = listLabels(lists);
  const { innermost, isTooDeep, begin, beginHere } = createStories(story(renderer, labelOf));
  return {
    text: (text, position) => innermost().text(text, position),
    control(name, parameter) {
      if (name === 's') innermost().setHeading(styles.headingLevel(parameter ?? 0));
      else innermost().control(name, parameter);
    },
    label: (label) => innermost().label(label),
    introduce: (introduction) => innermost().introduce(introduction),
    openNote() {
      if (isTooDeep()) return beginHere();
      const target = innermost().pause();
      target.open('note');
      return begin(story(target, labelOf), () => target.close('note'));
    },
    openRepeated() {
      if (isTooDeep()) return beginHere();
      innermost().pause();
      const { events, end } = repeated.begin();
      return begin(story(events, labelOf), end);
    },
    end() {
      innermost().end();
      repeated.writeTo(renderer);
    },
  };
}

/** The label of a paragraph: that which the file's program wrote, or else counted here, for lists without any. */
function listLabels(lists: RtfListTable): LabelOf {
  let numbering: Numbering | undefined;
  const writtenLists = new Set<number>();
  return (written, list, level) => {
    if (written !== '') writtenLists.add(list);
    if (list === 0 || writtenLists.has(list)) return written;
    numbering ??= lists.numbering();
    const label = numbering.count({ list: String(list), level }, []);
    return label === 'none' ? '' : label === 'bullet' ? '•' : label.number;
  };
}
