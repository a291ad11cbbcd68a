/** Keeps what a document shows on many pages (running headers and footers) and writes each text once. */
import type { Attributes } from '../markup/markup-tokens.ts';

/** The events that the HTML renderer takes while a file is read. */
export type RenderedEvents = {
  open(name: string, attributes?: Attributes): void;
  close(name: string): void;
  text(text: string): void;
};

export type RepeatedBlocks = {
  /** Begins a block. Its events go to the returned target. */
  begin(): RenderedEvents;
  /** Ends the block. One with the same text as an earlier one is dropped. */
  end(): void;
  /** Writes the blocks, each as paragraphs of their own. */
  writeTo(target: RenderedEvents): void;
};

type Block = ((target: RenderedEvents) => void)[];

export function repeatedBlocks(): RepeatedBlocks {
  const blocks = new Map<string, Block>();
  let block: Block = [];
  let written: string[] = [];
  return {
    begin() {
      block = [];
      written = [];
      const events = block;
      const pieces = written;
      return {
        open(name, attributes) {
          events.push((target) => target.open(name, attributes));
        },
        close(name) {
          events.push((target) => target.close(name));
        },
        text(text) {
          pieces.push(text);
          events.push((target) => target.text(text));
        },
      };
    },
    end() {
      const text = written.join('').replace(/\s+/g, ' ').trim();
      if (text !== '' && !blocks.has(text)) blocks.set(text, block);
    },
    writeTo(target) {
      for (const events of blocks.values()) {
        target.open('div');
        for (const replay of events) replay(target);
        target.close('div');
      }
    },
  };
}
